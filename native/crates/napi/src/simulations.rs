//! Simulations on the handle: answers as JSON text behind one tag.

use crate::calls::{call_many_request, call_request, simulate_request};
use crate::handle::NativeChain;
use crate::job::Job;
use cairn_evm::{AccessListOutcome, CallManyOutcome, SimulateOutcome};
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;

#[napi]
impl NativeChain {
    /// `eth_createAccessList`: `done`, `refused` or `unknown-block`, and the result's JSON text or the reason.
    #[napi]
    pub fn create_access_list(
        &self,
        request: String,
        data: &[u8],
    ) -> napi::Result<AsyncTask<Job<Vec<String>>>> {
        let (chain, request) = (self.chain()?, call_request(&request, data)?);
        Ok(Job::spawn(move || {
            Ok(match chain.create_access_list(&request)? {
                AccessListOutcome::Created(json) => vec!["done".to_owned(), json],
                AccessListOutcome::Refused(reason) => vec!["refused".to_owned(), reason],
                AccessListOutcome::UnknownBlock => vec!["unknown-block".to_owned()],
            })
        }))
    }

    /// `eth_callMany`: `done`, `refused` or `unknown-block`, and the result's JSON text or the reason.
    #[napi]
    pub fn call_many(&self, request: String) -> napi::Result<AsyncTask<Job<Vec<String>>>> {
        let (chain, request) = (self.chain()?, call_many_request(&request)?);
        Ok(Job::spawn(move || {
            Ok(match chain.call_many(&request)? {
                CallManyOutcome::Done(json) => vec!["done".to_owned(), json],
                CallManyOutcome::Refused(reason) => vec!["refused".to_owned(), reason],
                CallManyOutcome::UnknownBlock => vec!["unknown-block".to_owned()],
            })
        }))
    }

    /// `eth_simulateV1`: `done` and the blocks' JSON text, `failed` with code and text, or `unknown-block`.
    #[napi]
    pub fn simulate(&self, request: String) -> napi::Result<AsyncTask<Job<Vec<String>>>> {
        let (chain, request) = (self.chain()?, simulate_request(&request)?);
        Ok(Job::spawn(move || {
            Ok(match chain.simulate(&request)? {
                SimulateOutcome::Done(json) => vec!["done".to_owned(), json],
                SimulateOutcome::Failed { code, message } => {
                    vec!["failed".to_owned(), code.to_string(), message]
                }
                SimulateOutcome::UnknownBlock => vec!["unknown-block".to_owned()],
            })
        }))
    }
}
