//! Reads of the committed chain on the handle. What costs one or two keyed reads runs on the JavaScript thread, the rest
//! off it.

use crate::failure::Failure;
use crate::handle::NativeChain;
use crate::job::Job;
use crate::requests::{address, block_ref, hash, log_query, unpack};
use crate::shapes;
use alloy_primitives::U256;
use napi::bindgen_prelude::{AsyncTask, Buffer};
use napi_derive::napi;

#[napi]
impl NativeChain {
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
        self.read(|chain| Ok(chain.transaction_count(block_ref(&block)?)?))
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

    /// Log objects, or the word for why there are none.
    #[napi]
    pub fn logs_json(&self, query: String) -> napi::Result<AsyncTask<Job<String>>> {
        let (chain, query) = (self.chain()?, log_query(&query)?);
        Ok(Job::spawn(move || {
            Ok(shapes::logs(chain.logs_json(&query)?))
        }))
    }

    /// [`Self::logs_json`] on this thread when few rows answer it; null when they do not.
    #[napi]
    pub fn logs_small(&self, query: String) -> napi::Result<Option<String>> {
        self.read(|chain| {
            let outcome = chain.logs_small(&log_query(&query)?)?;
            Ok(outcome.map(shapes::logs))
        })
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
        let newest = block_ref(&newest)?;
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
}
