//! Tracing on the handle: one request, one JSON text.

use crate::failure::Failure;
use crate::handle::NativeChain;
use crate::job::Job;
use cairn_evm::{TraceAnswer, TraceRequest};
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;

#[napi]
impl NativeChain {
    /// Traces what the request names: `["ok", json]`, `["script", plan, base, milliseconds, hashes]`, or a code and a text.
    #[napi]
    pub fn trace(&self, request: String) -> napi::Result<AsyncTask<Job<Vec<String>>>> {
        let chain = self.chain()?;
        Ok(Job::spawn(move || {
            let request = match TraceRequest::parse(&request) {
                Ok(request) => request,
                Err(error) => return Ok(vec!["options".to_owned(), error]),
            };
            match chain.trace(request) {
                Ok(TraceAnswer::Done(json)) => Ok(vec!["ok".to_owned(), json]),
                Ok(TraceAnswer::Script {
                    plan,
                    base,
                    timeout_ms,
                    block,
                }) => Ok(vec![
                    "script".to_owned(),
                    plan,
                    base.to_string(),
                    timeout_ms.to_string(),
                    block.map_or_else(String::new, |hashes| {
                        let hashes: Vec<_> = hashes.iter().map(ToString::to_string).collect();
                        format!("{hashes:?}")
                    }),
                ]),
                Err(failure) => {
                    let (code, text) = failure.describe().map_err(Failure::from)?;
                    Ok(vec![code.to_owned(), text])
                }
            }
        }))
    }
}

/// In a process of its own: makes the one trace whose plan comes in over standard input.
#[napi]
pub fn run_tracer() {
    cairn_evm::run_tracer();
}
