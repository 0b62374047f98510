//! Immutable views of the state at one root, committed or staged. A view never blocks and is never invalidated: nodes are
//! not overwritten, and staged nodes live as long as a view of them.

use std::fmt;
use std::sync::Arc;

use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, U256};

use crate::accounts::{
    Applied, account_key, apply, decode_slot, read_leaf, slot_key, storage_root,
};
use crate::code_store::CodeStore;
use crate::error::StateError;
use crate::flat::{FlatAccount, FlatChanges, FlatState};
use crate::trie::node::Root;
use crate::trie::proof::prove;
use crate::trie::source::{Layer, Source};
use crate::trie::walk::follow;
use crate::types::{Account, StateChanges};

/// The state after one block: cheap to clone, readable from any thread.
#[derive(Clone)]
pub struct Snapshot {
    source: Source,
    codes: Arc<CodeStore>,
    root: Root,
    number: Option<u64>,
    /// Present in views of committed blocks.
    flat: Option<Arc<FlatState>>,
}

impl Snapshot {
    pub(crate) fn new(
        source: Source,
        codes: Arc<CodeStore>,
        root: Root,
        number: Option<u64>,
    ) -> Self {
        Self {
            source,
            codes,
            root,
            number,
            flat: None,
        }
    }

    /// This view with the cache of the latest state, which must have advanced to its block.
    pub(crate) fn with_flat(mut self, flat: Arc<FlatState>) -> Self {
        self.flat = Some(flat);
        self
    }

    /// Root hash of the state trie.
    #[must_use]
    pub fn root(&self) -> B256 {
        self.root.hash
    }

    /// Where its nodes are read.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Root of the state trie, and where its node is.
    pub(crate) fn root_node(&self) -> Root {
        self.root
    }

    /// Number of its block, if it is committed, and its root.
    pub(crate) fn position(&self) -> (Option<u64>, Root) {
        (self.number, self.root)
    }

    /// An account, `None` when absent.
    ///
    /// # Errors
    /// `io` or `corrupt` when a node cannot be read.
    pub fn account(&self, address: &Address) -> Result<Option<Account>, StateError> {
        Ok(self.resolve(address)?.map(|(account, _)| account))
    }

    /// The value of a slot; zero when the slot or the account is absent.
    ///
    /// # Errors
    /// `io` or `corrupt` when a node cannot be read.
    pub fn storage(&self, address: &Address, slot: &U256) -> Result<U256, StateError> {
        let key = (*address, *slot);
        let flat = self.flat.as_ref().zip(self.number);
        if let Some(value) = flat.and_then(|(flat, number)| flat.slot(number, &key)) {
            return Ok(value);
        }
        let Some(account) = self.resolve(address)? else {
            return Ok(U256::ZERO);
        };
        let leaf = follow(
            &self.source,
            storage_root(&account),
            &slot_key(slot),
            |_| (),
        )?;
        let value = leaf.map_or(Ok(U256::ZERO), |leaf| decode_slot(&leaf.bytes))?;
        if let Some((flat, number)) = flat {
            flat.keep_slot(number, key, value);
        }
        Ok(value)
    }

    /// Code by its hash; the empty code is always known.
    ///
    /// # Errors
    /// `io` or `corrupt` when the row cannot be read.
    pub fn code(&self, code_hash: &B256) -> Result<Option<Bytes>, StateError> {
        if *code_hash == KECCAK256_EMPTY {
            return Ok(Some(Bytes::new()));
        }
        match self.source.staged_code(code_hash) {
            Some(code) => Ok(Some(code)),
            None => self.codes.get(code_hash),
        }
    }

    /// Merkle proof of an account, present or absent (EIP-1186): RLP nodes, root first.
    ///
    /// # Errors
    /// `io` or `corrupt` when a node cannot be read.
    pub fn account_proof(&self, address: &Address) -> Result<Vec<Bytes>, StateError> {
        prove(&self.source, self.root, &account_key(address))
    }

    /// Merkle proof of a slot in its account's storage trie, present or absent; empty without storage.
    ///
    /// # Errors
    /// `io` or `corrupt` when a node cannot be read.
    pub fn storage_proof(&self, address: &Address, slot: &U256) -> Result<Vec<Bytes>, StateError> {
        let Some(account) = self.resolve(address)? else {
            return Ok(Vec::new());
        };
        prove(&self.source, storage_root(&account), &slot_key(slot))
    }

    fn resolve(&self, address: &Address) -> Result<Option<FlatAccount>, StateError> {
        let flat = self.flat.as_ref().zip(self.number);
        if let Some(account) = flat.and_then(|(flat, number)| flat.account(number, address)) {
            return Ok(account);
        }
        let leaf = follow(&self.source, self.root, &account_key(address), |_| ())?;
        let account = leaf.as_ref().map(read_leaf).transpose()?;
        if let Some((flat, number)) = flat {
            flat.keep_account(number, *address, account);
        }
        Ok(account)
    }

    /// The state of the next block: this one with `changes` applied.
    pub(crate) fn stage(&self, changes: &StateChanges) -> Result<StagedState, StateError> {
        let number = self.number.map_or(Some(0), |number| number.checked_add(1));
        let number = number.ok_or(StateError::TooLarge("block number"))?;
        let Applied { root, layer, flat } = apply(&self.source, self.root, number + 1, changes)?;
        let source = self.source.with_layer(Arc::clone(&layer));
        let after = Self::new(source, Arc::clone(&self.codes), root, Some(number));
        Ok(StagedState {
            parent: self.position(),
            layer,
            flat,
            after,
        })
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("number", &self.number)
            .field("root", &self.root.hash)
            .finish()
    }
}

/// The state after a block that is not durable yet. Staging has no effect on the store; dropping it forgets it.
pub struct StagedState {
    parent: (Option<u64>, Root),
    layer: Arc<Layer>,
    flat: FlatChanges,
    after: Snapshot,
}

impl StagedState {
    /// Root hash of the state trie after the block.
    #[must_use]
    pub fn root(&self) -> B256 {
        self.after.root.hash
    }

    /// A view of the staged state, readable before and after the commit.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.after.clone()
    }

    /// Number and root of the state this one was staged on.
    pub(crate) fn parent(&self) -> (Option<u64>, Root) {
        self.parent
    }

    /// Root of the state trie, and where its node is.
    pub(crate) fn root_node(&self) -> Root {
        self.after.root
    }

    /// What it changes of the latest state.
    pub(crate) fn flat(&self) -> &FlatChanges {
        &self.flat
    }

    /// The nodes it made.
    pub(crate) fn layer(&self) -> &Arc<Layer> {
        &self.layer
    }
}

impl fmt::Debug for StagedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StagedState")
            .field("after", &self.after)
            .finish_non_exhaustive()
    }
}
