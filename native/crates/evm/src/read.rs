//! Small reads of the committed chain: accounts, code, slots, headers and raw encodings.

use crate::chain::Chain;
use crate::error::ChainError;
use crate::receipts::{encode_receipt, receipt_bloom};
use alloy_consensus::Header;
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, U256};
use alloy_rlp::{Encodable, Header as RlpHeader};
use cairn_state::{Snapshot, StoredHeader, StoredReceipt, StoredTx, TxLocation};

/// A height, a block hash, or the block last built by [`Chain::build_pending`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockRef {
    /// Height.
    Number(u64),
    /// Ethereum block hash.
    Hash(B256),
    /// The pending block.
    Pending,
}

/// An account as the boundary carries it; an absent one is all zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AccountState {
    /// Nonce.
    pub nonce: u64,
    /// Wei.
    pub balance: U256,
    /// Zero for an absent account.
    pub code_hash: B256,
}

impl Chain {
    /// Height of a block with this hash.
    pub fn block_number(&self, hash: &B256) -> Result<Option<u64>, ChainError> {
        Ok(self.store.number_of(hash)?)
    }

    /// Height of the committed block a reference means, if there is such a block.
    pub fn resolve(&self, block: BlockRef) -> Result<Option<u64>, ChainError> {
        match block {
            BlockRef::Number(number) => Ok((number <= self.head().header.number).then_some(number)),
            BlockRef::Hash(hash) => self.block_number(&hash),
            BlockRef::Pending => Ok(None),
        }
    }

    /// A block's header with the state after it; `None` for an unknown block.
    pub(crate) fn view(
        &self,
        block: BlockRef,
    ) -> Result<Option<(StoredHeader, Snapshot)>, ChainError> {
        if block == BlockRef::Pending {
            let pending = self.pending();
            return Ok(pending.map(|pending| (pending.header.clone(), pending.state.clone())));
        }
        let Some(number) = self.resolve(block)? else {
            return Ok(None);
        };
        Ok(self.store.header(number)?.zip(self.store.at(number)?))
    }

    /// The transactions of a block; empty for an unknown one.
    pub(crate) fn transactions_of(&self, block: BlockRef) -> Result<Vec<StoredTx>, ChainError> {
        if block == BlockRef::Pending {
            let pending = self.pending();
            return Ok(pending.map_or_else(Vec::new, |pending| pending.transactions.clone()));
        }
        Ok(match self.resolve(block)? {
            Some(number) => self.store.transactions(number)?.unwrap_or_default(),
            None => Vec::new(),
        })
    }

    /// The receipts of a block; empty for an unknown one.
    pub(crate) fn receipts_of(&self, block: BlockRef) -> Result<Vec<StoredReceipt>, ChainError> {
        if block == BlockRef::Pending {
            let pending = self.pending();
            return Ok(pending.map_or_else(Vec::new, |pending| pending.receipts.clone()));
        }
        Ok(match self.resolve(block)? {
            Some(number) => self.store.receipts(number)?.unwrap_or_default(),
            None => Vec::new(),
        })
    }

    /// A block's header as it is stored; `None` for an unknown block.
    pub(crate) fn stored_header(
        &self,
        block: BlockRef,
    ) -> Result<Option<StoredHeader>, ChainError> {
        if block == BlockRef::Pending {
            return Ok(self.pending().map(|pending| pending.header.clone()));
        }
        match self.resolve(block)? {
            Some(number) => Ok(self.store.header(number)?),
            None => Ok(None),
        }
    }

    /// A block's header; `None` for an unknown block.
    pub(crate) fn header_of(&self, block: BlockRef) -> Result<Option<Header>, ChainError> {
        Ok(self.stored_header(block)?.map(|stored| stored.header))
    }

    /// The state after a block; `None` for an unknown block.
    pub(crate) fn state_of(&self, block: BlockRef) -> Result<Option<Snapshot>, ChainError> {
        if block == BlockRef::Pending {
            return Ok(self.pending().map(|pending| pending.state.clone()));
        }
        match self.resolve(block)? {
            Some(number) => Ok(self.store.at(number)?),
            None => Ok(None),
        }
    }

    /// An account after a block; `None` for an unknown block.
    pub fn account(
        &self,
        address: &Address,
        block: BlockRef,
    ) -> Result<Option<AccountState>, ChainError> {
        let Some(state) = self.state_of(block)? else {
            return Ok(None);
        };
        let account = state.account(address)?.map(|account| AccountState {
            nonce: account.nonce,
            balance: account.balance,
            code_hash: account.code_hash,
        });
        Ok(Some(account.unwrap_or_default()))
    }

    /// The code of an account after a block; `None` for an unknown block.
    pub fn code(&self, address: &Address, block: BlockRef) -> Result<Option<Bytes>, ChainError> {
        let Some(state) = self.state_of(block)? else {
            return Ok(None);
        };
        match state.account(address)? {
            Some(account) if account.code_hash != KECCAK256_EMPTY => {
                Ok(Some(state.code(&account.code_hash)?.unwrap_or_default()))
            }
            _ => Ok(Some(Bytes::new())),
        }
    }

    /// A storage slot after a block; `None` for an unknown block.
    pub fn storage(
        &self,
        address: &Address,
        slot: &U256,
        block: BlockRef,
    ) -> Result<Option<U256>, ChainError> {
        match self.state_of(block)? {
            Some(state) => Ok(Some(state.storage(address, slot)?)),
            None => Ok(None),
        }
    }

    /// Number of transactions of a block: a binary search over its rows, no whole-block read.
    pub fn transaction_count(&self, block: BlockRef) -> Result<Option<u32>, ChainError> {
        if block == BlockRef::Pending {
            let pending = self.pending();
            return Ok(pending.map(|pending| pending.transactions.len() as u32));
        }
        let Some(header) = self.header_of(block)? else {
            return Ok(None);
        };
        let (mut low, mut high) = (
            0,
            u32::try_from(header.gas_used / 21_000).unwrap_or(u32::MAX),
        );
        while low < high {
            let index = low + (high - low) / 2;
            match self.store.receipt(TxLocation {
                block: header.number,
                index,
            })? {
                Some(_) => low = index + 1,
                None => high = index,
            }
        }
        Ok(Some(low))
    }

    /// RLP of a header.
    pub fn raw_header(&self, block: BlockRef) -> Result<Option<Bytes>, ChainError> {
        Ok(self.stored_header(block)?.map(|stored| stored.rlp))
    }

    /// RLP of a block: header, transactions, no uncles, no withdrawals.
    pub fn raw_block(&self, block: BlockRef) -> Result<Option<Vec<u8>>, ChainError> {
        let Some(stored) = self.stored_header(block)? else {
            return Ok(None);
        };
        let transactions = self.transactions_of(block)?;
        let mut list = Vec::new();
        for tx in &transactions {
            if tx.raw.first().is_some_and(|first| *first >= 0xc0) {
                list.extend_from_slice(&tx.raw);
            } else {
                tx.raw.encode(&mut list);
            }
        }
        let mut payload = stored.rlp.to_vec();
        RlpHeader {
            list: true,
            payload_length: list.len(),
        }
        .encode(&mut payload);
        payload.extend_from_slice(&list);
        payload.extend_from_slice(&[alloy_rlp::EMPTY_LIST_CODE, alloy_rlp::EMPTY_LIST_CODE]);
        let mut out = Vec::with_capacity(payload.len() + 5);
        RlpHeader {
            list: true,
            payload_length: payload.len(),
        }
        .encode(&mut out);
        out.extend_from_slice(&payload);
        Ok(Some(out))
    }

    /// Consensus encodings of a block's receipts.
    pub fn raw_receipts(&self, block: BlockRef) -> Result<Option<Vec<Bytes>>, ChainError> {
        if self.stored_header(block)?.is_none() {
            return Ok(None);
        }
        let encode = |receipt: &StoredReceipt| encode_receipt(receipt, &receipt_bloom(receipt));
        Ok(Some(self.receipts_of(block)?.iter().map(encode).collect()))
    }

    /// EIP-2718 bytes of a committed transaction.
    pub fn raw_transaction(&self, hash: &B256) -> Result<Option<Bytes>, ChainError> {
        match self.store.locate(hash)? {
            Some(location) => Ok(self.store.transaction(location)?.map(|tx| tx.raw)),
            None => Ok(None),
        }
    }
}
