//! The state a trace starts from, read through: a snapshot by reference, so that changes pile up in front of it and a
//! tracer can still ask for what was before.

use crate::chain::Chain;
use crate::error::ChainError;
use crate::overlay::{CodeCache, ReadError, analysed};
use alloy_primitives::{Address, B256, KECCAK256_EMPTY, U256};
use cairn_state::{Snapshot, StateError, Store};
use revm::DatabaseRef;
use revm::bytecode::Bytecode;
use revm::state::AccountInfo;
use std::sync::Arc;

/// The state after one block.
pub(super) struct Source {
    snapshot: Snapshot,
    store: Store,
    code: Arc<CodeCache>,
}

impl Source {
    /// The state after block `number`.
    pub(super) fn at(chain: &Chain, number: u64) -> Result<Self, ChainError> {
        Ok(Self {
            snapshot: chain.state_at(number)?,
            store: chain.store.clone(),
            code: chain.code.clone(),
        })
    }
}

impl DatabaseRef for Source {
    type Error = ReadError;

    fn basic_ref(&self, address: Address) -> Result<Option<AccountInfo>, ReadError> {
        let account = self.snapshot.account(&address)?;
        Ok(account.map(|account| AccountInfo {
            balance: account.balance,
            nonce: account.nonce,
            code_hash: account.code_hash,
            account_id: None,
            code: (account.code_hash == KECCAK256_EMPTY).then(Bytecode::default),
        }))
    }

    fn code_by_hash_ref(&self, code_hash: B256) -> Result<Bytecode, ReadError> {
        if let Some(code) = self.code.get(&code_hash) {
            return Ok(code);
        }
        let Some(bytes) = self.snapshot.code(&code_hash)? else {
            return Err(StateError::Corrupt(format!("no code for hash {code_hash}")).into());
        };
        let code = analysed(bytes);
        self.code.insert(code_hash, code.clone());
        Ok(code)
    }

    fn storage_ref(&self, address: Address, slot: U256) -> Result<U256, ReadError> {
        Ok(self.snapshot.storage(&address, &slot)?)
    }

    fn block_hash_ref(&self, number: u64) -> Result<B256, ReadError> {
        let stored = self.store.header(number)?;
        Ok(stored.map(|stored| stored.hash).unwrap_or_default())
    }
}
