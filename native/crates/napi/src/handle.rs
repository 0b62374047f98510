//! The handle of one open chain. Small reads run on the JavaScript thread, everything above about 50 µs off it.

use crate::failure::{Failure, guarded};
use crate::job::Job;
use crate::requests::{address, block_ref, call_request, hash, log_query, unpack};
use crate::shapes;
use alloy_primitives::{B256, U256};
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
    fn chain(&self) -> Result<Arc<Chain>, Failure> {
        self.chain
            .lock()
            .clone()
            .ok_or_else(|| cairn_evm::ChainError::Closed.into())
    }

    fn read<T>(&self, work: impl FnOnce(&Chain) -> Result<T, Failure>) -> napi::Result<T> {
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

    /// Makes the block durable: head, header, logs (JSON texts) and bloom.
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
            ])
        }))
    }

    /// nonce u64 ‖ balance ‖ code hash.
    #[napi]
    pub fn account(&self, account: String, block: String) -> napi::Result<Option<Buffer>> {
        self.read(|chain| {
            let found = chain.account(&address(&account)?, block_ref(&block)?)?;
            Ok(found.map(|account| {
                let mut out = Vec::with_capacity(72);
                out.extend_from_slice(&account.nonce.to_be_bytes());
                out.extend_from_slice(&account.balance.to_be_bytes::<32>());
                out.extend_from_slice(account.code_hash.as_slice());
                out.into()
            }))
        })
    }

    /// An account's code.
    #[napi]
    pub fn code(&self, account: String, block: String) -> napi::Result<Option<Buffer>> {
        self.read(|chain| {
            Ok(chain
                .code(&address(&account)?, block_ref(&block)?)?
                .map(|code| code.to_vec().into()))
        })
    }

    /// A slot as 32 bytes.
    #[napi]
    pub fn storage(
        &self,
        account: String,
        slot: &[u8],
        block: String,
    ) -> napi::Result<Option<Buffer>> {
        self.read(|chain| {
            let slot = U256::try_from_be_slice(slot)
                .ok_or_else(|| Failure::request("slot above 32 bytes"))?;
            let value = chain.storage(&address(&account)?, &slot, block_ref(&block)?)?;
            Ok(value.map(|value| value.to_be_bytes::<32>().to_vec().into()))
        })
    }

    /// Height of a block hash, decimal.
    #[napi]
    pub fn block_number(&self, block_hash: String) -> napi::Result<Option<String>> {
        self.read(|chain| {
            Ok(chain
                .block_number(&hash(&block_hash)?)?
                .map(|number| number.to_string()))
        })
    }

    /// `eth_call`.
    #[napi]
    pub fn call(&self, request: String, data: &[u8]) -> napi::Result<AsyncTask<Job<Buffer>>> {
        let (chain, request) = (self.chain()?, call_request(&request, data)?);
        Ok(Job::spawn(move || {
            Ok(shapes::call(&chain.call(&request)?).into())
        }))
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

    /// A header object.
    #[napi]
    pub fn header_json(&self, block: String) -> napi::Result<Option<String>> {
        self.read(|chain| Ok(chain.header_json(block_ref(&block)?)?))
    }

    /// A block object.
    #[napi]
    pub fn block_json(
        &self,
        block: String,
        full: bool,
    ) -> napi::Result<AsyncTask<Job<Option<String>>>> {
        let (chain, block) = (self.chain()?, block_ref(&block)?);
        Ok(Job::spawn(move || Ok(chain.block_json(block, full)?)))
    }

    /// A transaction object by hash.
    #[napi]
    pub fn transaction_json(&self, tx_hash: String) -> napi::Result<Option<String>> {
        self.read(|chain| Ok(chain.transaction_json(&hash(&tx_hash)?)?))
    }

    /// A transaction object by place.
    #[napi]
    pub fn transaction_by_index_json(
        &self,
        block: String,
        index: u32,
    ) -> napi::Result<Option<String>> {
        self.read(|chain| Ok(chain.transaction_by_index_json(block_ref(&block)?, index)?))
    }

    /// Number of transactions of a block.
    #[napi]
    pub fn transaction_count(&self, block: String) -> napi::Result<Option<u32>> {
        self.read(|chain| {
            Ok(chain
                .transaction_count(block_ref(&block)?)?
                .map(|count| count as u32))
        })
    }

    /// A receipt object.
    #[napi]
    pub fn receipt_json(&self, tx_hash: String) -> napi::Result<Option<String>> {
        self.read(|chain| Ok(chain.receipt_json(&hash(&tx_hash)?)?))
    }

    /// The receipt objects of a block.
    #[napi]
    pub fn block_receipts_json(
        &self,
        block: String,
    ) -> napi::Result<AsyncTask<Job<Option<String>>>> {
        let (chain, block) = (self.chain()?, block_ref(&block)?);
        Ok(Job::spawn(move || Ok(chain.block_receipts_json(block)?)))
    }

    /// Log objects; null when more match than asked for.
    #[napi]
    pub fn logs_json(&self, query: String) -> napi::Result<AsyncTask<Job<Option<String>>>> {
        let (chain, query) = (self.chain()?, log_query(&query)?);
        Ok(Job::spawn(move || Ok(chain.logs_json(&query)?)))
    }

    /// A proof object; `keys` are packed.
    #[napi]
    pub fn proof_json(
        &self,
        account: String,
        keys: &[u8],
        block: String,
    ) -> napi::Result<AsyncTask<Job<Option<String>>>> {
        let (chain, keys) = (self.chain()?, unpack(keys)?);
        let (account, block) = (address(&account)?, block_ref(&block)?);
        Ok(Job::spawn(move || {
            Ok(chain.proof_json(&account, &keys, block)?)
        }))
    }

    /// A fee history object.
    #[napi]
    pub fn fee_history_json(
        &self,
        count: u32,
        newest: String,
        percentiles: Vec<f64>,
    ) -> napi::Result<AsyncTask<Job<String>>> {
        let chain = self.chain()?;
        let newest = newest.parse::<u64>().unwrap_or(u64::MAX);
        Ok(Job::spawn(move || {
            Ok(chain.fee_history_json(u64::from(count), newest, &percentiles)?)
        }))
    }

    /// RLP of a header.
    #[napi]
    pub fn raw_header(&self, block: String) -> napi::Result<Option<Buffer>> {
        self.read(|chain| {
            Ok(chain
                .raw_header(block_ref(&block)?)?
                .map(|rlp| rlp.to_vec().into()))
        })
    }

    /// RLP of a block.
    #[napi]
    pub fn raw_block(&self, block: String) -> napi::Result<AsyncTask<Job<Option<Buffer>>>> {
        let (chain, block) = (self.chain()?, block_ref(&block)?);
        Ok(Job::spawn(move || {
            Ok(chain.raw_block(block)?.map(Buffer::from))
        }))
    }

    /// Packed consensus encodings of a block's receipts.
    #[napi]
    pub fn raw_receipts(&self, block: String) -> napi::Result<AsyncTask<Job<Option<Buffer>>>> {
        let (chain, block) = (self.chain()?, block_ref(&block)?);
        Ok(Job::spawn(move || {
            Ok(chain
                .raw_receipts(block)?
                .map(|items| shapes::pack(&items).into()))
        }))
    }

    /// EIP-2718 bytes of a committed transaction.
    #[napi]
    pub fn raw_transaction(&self, tx_hash: String) -> napi::Result<Option<Buffer>> {
        self.read(|chain| {
            Ok(chain
                .raw_transaction(&hash(&tx_hash)?)?
                .map(|raw| raw.to_vec().into()))
        })
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
