//! Work off the JavaScript thread, on Node's own thread pool.

use crate::failure::{Failure, guarded};
use napi::bindgen_prelude::{AsyncTask, ToNapiValue, TypeName};
use napi::{Env, Result, Task};

type Work<T> = Box<dyn FnOnce() -> std::result::Result<T, Failure> + Send>;

/// One piece of work; its result becomes the promise's value.
pub struct Job<T> {
    work: Option<Work<T>>,
}

impl<T: Send + ToNapiValue + TypeName + 'static> Job<T> {
    /// Schedules `work`.
    pub fn spawn(
        work: impl FnOnce() -> std::result::Result<T, Failure> + Send + 'static,
    ) -> AsyncTask<Self> {
        AsyncTask::new(Self {
            work: Some(Box::new(work)),
        })
    }
}

impl<T: Send + ToNapiValue + TypeName + 'static> Task for Job<T> {
    type Output = T;
    type JsValue = T;

    fn compute(&mut self) -> Result<T> {
        let work = self
            .work
            .take()
            .ok_or_else(|| Failure::request("work ran twice"))?;
        Ok(guarded(work)?)
    }

    fn resolve(&mut self, _env: Env, output: T) -> Result<T> {
        Ok(output)
    }
}
