//! The handle of one open chain. Small reads run on the JavaScript thread, everything above about 50 µs off it.

use crate::calls::call_request;
use crate::failure::{Failure, guarded};
use crate::job::Job;
use crate::requests::{address, unpack};
use crate::shapes;
use alloy_primitives::B256;
use cairn_evm::{Chain, Inputs, OpenOptions, committed_logs_json, header_json};
use napi::bindgen_prelude::{AsyncTask, Buffer};
use napi_derive::napi;
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// One open chain; `close` releases its directory.
#[napi]
pub struct NativeChain {
    chain: Mutex<Option<Arc<Chain>>>,
}

/// Opens or creates the database in `dir`.
#[napi]
pub fn open(dir: String, genesis: String, cache_bytes: Option<f64>) -> AsyncTask<Job<NativeChain>> {
    Job::spawn(move || {
        let cache_bytes = cache_bytes.map(|bytes| bytes as usize);
        let chain = Chain::open(&OpenOptions {
            dir: Path::new(&dir),
            genesis: &genesis,
            cache_bytes,
        })?;
        Ok(NativeChain {
            chain: Mutex::new(Some(Arc::new(chain))),
        })
    })
}

fn inputs(height: &str, timestamp: &str, miner: &str) -> Result<Inputs, Failure> {
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|_| Failure::request("not a 64-bit number"))
    };
    Ok(Inputs {
        height: number(height)?,
        timestamp: number(timestamp)?,
        miner: address(miner)?,
    })
}

impl NativeChain {
    /// The chain, while it is open.
    pub(crate) fn chain(&self) -> Result<Arc<Chain>, Failure> {
        self.chain
            .lock()
            .clone()
            .ok_or_else(|| cairn_evm::ChainError::Closed.into())
    }

    /// Runs small work on this thread.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Chain) -> Result<T, Failure>,
    ) -> napi::Result<T> {
        let chain = self.chain()?;
        Ok(guarded(|| work(&chain))?)
    }
}

#[napi]
impl NativeChain {
    /// The head as JSON text.
    #[napi]
    pub fn head(&self) -> napi::Result<String> {
        self.read(|chain| Ok(shapes::head(&chain.head(), chain.spec())))
    }

    /// Checks packed raw transactions.
    #[napi]
    pub fn admit(&self, packed: &[u8]) -> napi::Result<AsyncTask<Job<String>>> {
        let (chain, raws) = (self.chain()?, unpack(packed)?);
        Ok(Job::spawn(move || {
            Ok(shapes::admissions(&chain.admit(raws)?))
        }))
    }

    /// Dry run: indices of the transactions that execute.
    #[napi]
    pub fn propose(
        &self,
        height: String,
        timestamp: String,
        miner: String,
        packed: &[u8],
    ) -> napi::Result<AsyncTask<Job<Vec<u32>>>> {
        let (chain, raws) = (self.chain()?, unpack(packed)?);
        let inputs = inputs(&height, &timestamp, &miner)?;
        Ok(Job::spawn(move || {
            let indices = chain.propose(&inputs, raws)?;
            Ok(indices.into_iter().map(|index| index as u32).collect())
        }))
    }

    /// Executes the pending block for readers; nothing of it is kept but in memory. Answers the hash of the head it
    /// stands on.
    #[napi]
    pub fn build_pending(
        &self,
        height: String,
        timestamp: String,
        miner: String,
        packed: &[u8],
    ) -> napi::Result<AsyncTask<Job<String>>> {
        let (chain, raws) = (self.chain()?, unpack(packed)?);
        let inputs = inputs(&height, &timestamp, &miner)?;
        Ok(Job::spawn(move || {
            Ok(chain.build_pending(&inputs, raws)?.to_string())
        }))
    }

    /// Executes a block; held in memory until `commit`.
    #[napi]
    pub fn execute(
        &self,
        height: String,
        timestamp: String,
        miner: String,
        consensus_hash: &[u8],
        packed: &[u8],
    ) -> napi::Result<AsyncTask<Job<String>>> {
        let (chain, raws) = (self.chain()?, unpack(packed)?);
        let inputs = inputs(&height, &timestamp, &miner)?;
        let consensus_hash = B256::try_from(consensus_hash)
            .map_err(|_| Failure::request("the consensus hash is not 32 bytes"))?;
        Ok(Job::spawn(move || {
            Ok(chain.execute(&inputs, consensus_hash, raws, shapes::executed)?)
        }))
    }

    /// Makes the block durable: head, header, logs (JSON texts), bloom, and the changed accounts
    /// as one hex text.
    #[napi]
    pub fn commit(&self) -> napi::Result<AsyncTask<Job<Vec<String>>>> {
        let chain = self.chain()?;
        Ok(Job::spawn(move || {
            let committed = chain.commit()?;
            let head = &committed.head;
            Ok(vec![
                shapes::head(head, chain.spec()),
                header_json(&head.header, &head.hash),
                committed_logs_json(&committed),
                head.header.logs_bloom.to_string(),
                shapes::joined(&committed.changed),
            ])
        }))
    }

    /// `eth_call`.
    #[napi]
    pub fn call(&self, request: String, data: &[u8]) -> napi::Result<AsyncTask<Job<Buffer>>> {
        let (chain, request) = (self.chain()?, call_request(&request, data)?);
        Ok(Job::spawn(move || {
            Ok(shapes::call(&chain.call(&request)?).into())
        }))
    }

    /// `eth_call` on this thread when it is small; null when it is not known to be.
    #[napi]
    pub fn call_small(&self, request: String, data: &[u8]) -> napi::Result<Option<Buffer>> {
        self.read(|chain| {
            let outcome = chain.call_small(&call_request(&request, data)?)?;
            Ok(outcome.map(|outcome| shapes::call(&outcome).into()))
        })
    }

    /// `eth_estimateGas` on this thread when it is small; null when it is not known to be.
    #[napi]
    pub fn estimate_small(&self, request: String, data: &[u8]) -> napi::Result<Option<Buffer>> {
        self.read(|chain| {
            let outcome = chain.estimate_small(&call_request(&request, data)?)?;
            Ok(outcome.map(|outcome| shapes::estimate(&outcome).into()))
        })
    }

    /// `eth_estimateGas`.
    #[napi]
    pub fn estimate_gas(
        &self,
        request: String,
        data: &[u8],
    ) -> napi::Result<AsyncTask<Job<Buffer>>> {
        let (chain, request) = (self.chain()?, call_request(&request, data)?);
        Ok(Job::spawn(move || {
            Ok(shapes::estimate(&chain.estimate_gas(&request)?).into())
        }))
    }

    /// Waits for work in flight, then releases the directory.
    #[napi]
    pub fn close(&self) -> AsyncTask<Job<bool>> {
        let chain = self.chain.lock().take();
        Job::spawn(move || {
            let Some(chain) = chain else { return Ok(false) };
            let remaining = Arc::downgrade(&chain);
            drop(chain);
            while remaining.strong_count() > 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(true)
        })
    }
}
