//! The chain database: opening it, the head, views of the state, and committing blocks. One batch per block, synced before
//! it is visible, is the commit point; everything read is bounded by the head, so a reader sees a block wholly or not.

use std::path::Path;
use std::sync::Arc;

use alloy_primitives::B256;
use fjall::{Database, Keyspace};
use parking_lot::{Mutex, RwLock};

use crate::blocks::HeaderRow;
use crate::code_store::CodeStore;
use crate::commit;
use crate::error::StateError;
use crate::flat::FlatState;
use crate::keys;
use crate::keyspaces;
use crate::snapshot::{Snapshot, StagedState};
use crate::trie::node::Root;
use crate::trie::source::{Layers, NodeStore, Source};
use crate::types::{CommitBlock, HeadRef, StateChanges, StoreOptions};

/// The chain database of one directory. Clones share it; it closes when the last clone and the last snapshot are gone.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

/// What the clones of a store share.
pub(crate) struct Inner {
    pub(crate) database: Database,
    pub(crate) meta: Keyspace,
    pub(crate) headers: Keyspace,
    pub(crate) block_hashes: Keyspace,
    pub(crate) transactions: Keyspace,
    pub(crate) receipts: Keyspace,
    pub(crate) tx_hashes: Keyspace,
    pub(crate) log_rows: Keyspace,
    pub(crate) touch_rows: Keyspace,
    pub(crate) slot_keys: Keyspace,
    pub(crate) node_rows: Keyspace,
    pub(crate) nodes: Arc<NodeStore>,
    pub(crate) codes: Arc<CodeStore>,
    flat: Arc<FlatState>,
    pub(crate) head: RwLock<Option<Head>>,
    /// Layers of the latest blocks, kept for direct reading up to `recent_bytes`.
    recent: RwLock<Layers>,
    recent_bytes: usize,
    writer: Mutex<()>,
}

/// The last committed block.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    pub(crate) number: u64,
    pub(crate) hash: B256,
    pub(crate) root: Root,
}

impl Store {
    /// Opens the database of a directory, creating both when absent. The directory stays locked until the store closes.
    ///
    /// # Errors
    /// `locked` when the directory is in use, `format` when another version wrote it, `corrupt` or `io` when it cannot
    /// be read.
    pub fn open(dir: &Path, options: StoreOptions) -> Result<Self, StateError> {
        let inner = keyspaces::open(dir, options)?;
        let head = read_head(&inner)?;
        inner.flat.start(head.map(|head| head.number));
        *inner.head.write() = head;
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Number and hash of the last committed block; `None` on an empty store.
    #[must_use]
    pub fn head(&self) -> Option<HeadRef> {
        self.inner.head.read().map(|head| HeadRef {
            number: head.number,
            hash: head.hash,
        })
    }

    /// The state after a block; `None` above the head.
    ///
    /// # Errors
    /// `io` or `corrupt` when the block's row cannot be read.
    pub fn at(&self, number: u64) -> Result<Option<Snapshot>, StateError> {
        let Some(head) = self.covering(number) else {
            return Ok(None);
        };
        let root = if head.number == number {
            head.root
        } else {
            self.inner.header_fields(number)?.root()
        };
        let snapshot = self.snapshot(root, Some(number));
        Ok(Some(snapshot.with_flat(Arc::clone(&self.inner.flat))))
    }

    /// The state without accounts, on which block 0 is staged.
    #[must_use]
    pub fn empty(&self) -> Snapshot {
        self.snapshot(Root::EMPTY, None)
    }

    /// Number of a committed block by its hash.
    ///
    /// # Errors
    /// `io` or `corrupt` when the row cannot be read.
    pub fn number_of(&self, hash: &B256) -> Result<Option<u64>, StateError> {
        let Some(row) = self.inner.block_hashes.get(hash)? else {
            return Ok(None);
        };
        let number = <[u8; 8]>::try_from(row.as_ref()).map(u64::from_be_bytes);
        let number = number.map_err(|_| StateError::corrupt("block number row"))?;
        Ok(self.covering(number).map(|_| number))
    }

    /// Applies the changes of the next block to `parent` in memory and computes the root. Each staging counts as one
    /// block: whatever one block does goes into one set of changes.
    ///
    /// # Errors
    /// `io` or `corrupt` when a node cannot be read, `too-large` when the block makes too many nodes.
    pub fn stage(
        &self,
        parent: &Snapshot,
        changes: &StateChanges,
    ) -> Result<StagedState, StateError> {
        let (number, root) = parent.position();
        match *self.inner.head.read() {
            // A committed parent needs its staged layers no longer.
            Some(head) if number == Some(head.number) && root == head.root => {}
            _ => return parent.stage(changes),
        }
        self.snapshot(root, number).stage(changes)
    }

    /// Makes a block durable: its state, code, header, transactions, receipts and indexes, and moves the head to it. When
    /// this returns, the block survives a crash; when it fails, nothing of it is visible. Block 0 starts an empty store.
    ///
    /// # Errors
    /// `not-on-head` when the block or its state does not extend the head, `inconsistent` when its parts disagree,
    /// `too-large`, `io`, or `poisoned` after an earlier failed write.
    pub fn commit(&self, block: &CommitBlock) -> Result<(), StateError> {
        let _writing = self.inner.writer.lock();
        let head = *self.inner.head.read();
        commit::check(block, head)?;
        commit::write(&self.inner, block)?;
        let layer = Arc::clone(block.state.layer());
        let epoch = layer.epoch;
        let recent = self
            .inner
            .recent
            .read()
            .with(layer, self.inner.recent_bytes, epoch);
        let head = Head {
            number: block.header.number,
            hash: block.hash,
            root: block.state.root_node(),
        };
        self.inner.flat.advance(head.number, block.state.flat());
        *self.inner.recent.write() = recent;
        *self.inner.head.write() = Some(head);
        Ok(())
    }

    fn snapshot(&self, root: Root, number: Option<u64>) -> Snapshot {
        let recent = self.inner.recent.read().clone();
        let durable = number.map_or(0, |number| number + 1);
        let source = Source::new(Arc::clone(&self.inner.nodes), recent, durable);
        Snapshot::new(source, Arc::clone(&self.inner.codes), root, number)
    }

    /// The head, if a block number is not above it.
    pub(crate) fn covering(&self, number: u64) -> Option<Head> {
        self.inner.head.read().filter(|head| number <= head.number)
    }
}

impl Inner {
    pub(crate) fn new(database: Database, open: keyspaces::Opened) -> Self {
        Self {
            database,
            meta: open.meta,
            headers: open.headers,
            block_hashes: open.block_hashes,
            transactions: open.transactions,
            receipts: open.receipts,
            tx_hashes: open.tx_hashes,
            log_rows: open.log_rows,
            touch_rows: open.touch_rows,
            slot_keys: open.slot_keys,
            node_rows: open.node_rows,
            nodes: open.nodes,
            codes: open.codes,
            flat: open.flat,
            head: RwLock::new(None),
            recent: RwLock::new(Layers::default()),
            recent_bytes: open.recent_bytes,
            writer: Mutex::new(()),
        }
    }

    /// The row of a header that must exist.
    pub(crate) fn header_row(&self, number: u64) -> Result<fjall::Slice, StateError> {
        self.headers
            .get(keys::block_key(number))?
            .ok_or_else(|| StateError::corrupt("header missing"))
    }

    /// What stands before the header in its row.
    pub(crate) fn header_fields(&self, number: u64) -> Result<HeaderRow, StateError> {
        Ok(HeaderRow::decode(&self.header_row(number)?)?.0)
    }
}

fn read_head(inner: &Inner) -> Result<Option<Head>, StateError> {
    let Some(row) = inner.meta.get(keys::META_HEAD)? else {
        return Ok(None);
    };
    let number = <[u8; 8]>::try_from(row.as_ref()).map(u64::from_be_bytes);
    let number = number.map_err(|_| StateError::corrupt("head row"))?;
    let fields = inner.header_fields(number)?;
    Ok(Some(Head {
        number,
        hash: fields.hash,
        root: fields.root(),
    }))
}
