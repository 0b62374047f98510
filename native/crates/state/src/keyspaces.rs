//! Opening the storage engine: its directory, keyspaces, tuning and format version.

use std::path::Path;
use std::sync::Arc;

use fjall::config::{BlockSizePolicy, CompressionPolicy, FilterPolicy, PinningPolicy};
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use crate::code_store::CodeStore;
use crate::error::StateError;
use crate::flat::FlatState;
use crate::keys;
use crate::store::Inner;
use crate::trie::source::NodeStore;
use crate::types::StoreOptions;

/// Bounds what is replayed when a store opens.
const JOURNAL_BYTES: u64 = 256 << 20;

/// The keyspaces of an open database.
pub(crate) struct Opened {
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
    /// Memory for the layers of the latest blocks.
    pub(crate) recent_bytes: usize,
    pub(crate) flat: Arc<FlatState>,
}

/// Opens or creates the database of a directory. The cache is shared: three eighths for decoded nodes, two for the latest
/// blocks' nodes, one each for the latest state by plain keys, database blocks and code.
pub(crate) fn open(dir: &Path, options: StoreOptions) -> Result<Inner, StateError> {
    std::fs::create_dir_all(dir)?;
    let part = options.cache_bytes / 8;
    let database = Database::builder(dir)
        .cache_size(part as u64)
        .journal_compression(CompressionType::None)
        .max_journaling_size(JOURNAL_BYTES)
        .worker_threads(2)
        .open()?;
    let node_rows = database.keyspace(keys::NODES, bulky)?;
    let code_rows = database.keyspace(keys::CODE, KeyspaceCreateOptions::default)?;
    let open = Opened {
        meta: database.keyspace(keys::META, KeyspaceCreateOptions::default)?,
        headers: database.keyspace(keys::HEADERS, KeyspaceCreateOptions::default)?,
        block_hashes: database.keyspace(keys::BLOCK_HASHES, KeyspaceCreateOptions::default)?,
        transactions: database.keyspace(keys::TRANSACTIONS, KeyspaceCreateOptions::default)?,
        receipts: database.keyspace(keys::RECEIPTS, KeyspaceCreateOptions::default)?,
        tx_hashes: database.keyspace(keys::TX_HASHES, KeyspaceCreateOptions::default)?,
        log_rows: database.keyspace(keys::LOG_INDEX, KeyspaceCreateOptions::default)?,
        touch_rows: database.keyspace(keys::ADDRESS_INDEX, KeyspaceCreateOptions::default)?,
        slot_keys: database.keyspace(keys::SLOT_KEYS, KeyspaceCreateOptions::default)?,
        nodes: Arc::new(NodeStore::new(node_rows.clone(), 3 * part)?),
        codes: Arc::new(CodeStore::new(code_rows, part)?),
        node_rows,
        recent_bytes: 2 * part,
        flat: Arc::new(FlatState::new(part)?),
    };
    check_format(&database, &open.meta)?;
    Ok(Inner::new(database, open))
}

/// Rows of hashes, several kilobytes each, under ascending keys that are always present when asked for: compression finds
/// nothing in them, filters tell nothing, and a read should cost one block.
fn bulky() -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        .data_block_size_policy(BlockSizePolicy::all(4 << 10))
        .data_block_compression_policy(CompressionPolicy::all(CompressionType::None))
        .filter_policy(FilterPolicy::disabled())
        .index_block_pinning_policy(PinningPolicy::all(true))
        .expect_point_read_hits(true)
}

fn check_format(database: &Database, meta: &Keyspace) -> Result<(), StateError> {
    match meta.get(keys::META_FORMAT)? {
        None => {
            meta.insert(keys::META_FORMAT, keys::FORMAT.to_be_bytes())?;
            Ok(database.persist(PersistMode::SyncAll)?)
        }
        Some(row) => {
            let found = <[u8; 4]>::try_from(row.as_ref()).map(u32::from_be_bytes);
            let found = found.map_err(|_| StateError::corrupt("format row"))?;
            if found == keys::FORMAT {
                Ok(())
            } else {
                Err(StateError::Format {
                    found,
                    expected: keys::FORMAT,
                })
            }
        }
    }
}
