//! Looking into the state and the index of accounts on the handle: one request, one JSON text.

use crate::failure::Failure;
use crate::handle::NativeChain;
use crate::job::Job;
use cairn_evm::ExploreRequest;
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;

#[napi]
impl NativeChain {
    /// Answers what the request asks: `["ok", json]`, or a code.
    #[napi]
    pub fn explore(&self, request: String) -> napi::Result<AsyncTask<Job<Vec<String>>>> {
        let chain = self.chain()?;
        Ok(Job::spawn(move || {
            let request = ExploreRequest::parse(&request)
                .map_err(|_| Failure::request("not a request to explore"))?;
            match chain.explore(request) {
                Ok(json) => Ok(vec!["ok".to_owned(), json]),
                Err(failure) => {
                    let code = failure.code().map_err(Failure::from)?;
                    Ok(vec![code.to_owned()])
                }
            }
        }))
    }
}
