//! The trie against alloy's hash builder and proof verifier, over random histories of short and long keys. Short keys
//! make embedded nodes and deep sharing, long lists of changes use both lanes.

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy_primitives::{Bytes, keccak256};
use alloy_trie::proof::verify_proof;
use alloy_trie::{HashBuilder, Nibbles};
use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use proptest::prelude::*;
use tempfile::TempDir;

use super::lanes::Lanes;
use super::node::{LeafValue, NodeId, Root};
use super::proof::prove;
use super::record::encode_rows;
use super::shape::Builder;
use super::source::{Layer, Layers, NodeStore, Source};
use super::update::{Change, LeafChange};
use super::walk::follow;
use crate::error::StateError;

type Contents = BTreeMap<Vec<u8>, Vec<u8>>;
type Edits = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

struct Set(Option<Vec<u8>>);

impl LeafChange for Set {
    fn apply(
        &self,
        _: Option<&LeafValue>,
        _: &mut Builder<'_>,
    ) -> Result<Option<LeafValue>, StateError> {
        let link = NodeId::NONE;
        Ok(self.0.clone().map(|bytes| LeafValue {
            bytes: bytes.into(),
            link,
        }))
    }
}

struct Db {
    _dir: TempDir,
    _database: Database,
    rows: Keyspace,
    store: Arc<NodeStore>,
    epoch: u64,
    recent: Layers,
}

impl Db {
    fn new(cache_bytes: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::builder(dir.path()).open().unwrap();
        let rows = database
            .keyspace("nodes", KeyspaceCreateOptions::default)
            .unwrap();
        let store = Arc::new(NodeStore::new(rows.clone(), cache_bytes).unwrap());
        Self {
            _dir: dir,
            _database: database,
            rows,
            store,
            epoch: 0,
            recent: Layers::default(),
        }
    }

    fn source(&self) -> Source {
        Source::new(Arc::clone(&self.store), self.recent.clone(), self.epoch)
    }

    fn update(&mut self, root: Root, edits: &Edits) -> Root {
        self.epoch += 1;
        let changes: Vec<_> = edits
            .iter()
            .map(|(key, value)| Change {
                key: Nibbles::unpack(key),
                change: Set(value.clone()),
            })
            .collect();
        let source = self.source();
        let mut lanes = Lanes::new(&source, self.epoch);
        let root = lanes.update(root, &changes).unwrap();
        let lanes = lanes.into_nodes();
        for (lane, nodes) in lanes.iter().enumerate() {
            for row in encode_rows(self.epoch, lane, nodes) {
                let (key, row) = row.unwrap();
                self.rows.insert(key, row).unwrap();
            }
        }
        let layer = Arc::new(Layer::new(self.epoch, lanes, BTreeMap::new()));
        // Every third block forgets the layers, so that some reads go to the rows.
        self.recent = if self.epoch.is_multiple_of(3) {
            Layers::default()
        } else {
            self.recent.with(layer, 1 << 14, self.epoch)
        };
        root
    }

    fn get(&self, root: Root, key: &[u8]) -> Option<Vec<u8>> {
        let leaf = follow(&self.source(), root, &Nibbles::unpack(key), |_| ()).unwrap();
        leaf.map(|leaf| leaf.bytes.to_vec())
    }

    fn proof(&self, root: Root, key: &[u8]) -> Vec<Bytes> {
        prove(&self.source(), root, &Nibbles::unpack(key)).unwrap()
    }
}

fn edit(contents: &mut Contents, edits: &Edits) {
    for (key, value) in edits {
        match value {
            Some(value) => contents.insert(key.clone(), value.clone()),
            None => contents.remove(key),
        };
    }
}

fn oracle_root(contents: &Contents) -> alloy_primitives::B256 {
    let mut builder = HashBuilder::default();
    for (key, value) in contents {
        builder.add_leaf(Nibbles::unpack(key), value);
    }
    builder.root()
}

/// Keys of two bytes whose nibbles come from a few values only.
fn short_key() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop::sample::select(vec![0x00, 0x01, 0x10, 0x11, 0x1f, 0xf1, 0xff]);
    prop::collection::vec(byte, 2)
}

fn hashed_key() -> impl Strategy<Value = Vec<u8>> {
    (0u16..600).prop_map(|seed| keccak256(seed.to_be_bytes()).to_vec())
}

fn edits(
    key: impl Strategy<Value = Vec<u8>>,
    length: usize,
    count: std::ops::Range<usize>,
) -> impl Strategy<Value = Edits> {
    let value = prop::option::weighted(0.65, prop::collection::vec(1u8..=255, 1..length));
    prop::collection::btree_map(key, value, count)
}

/// Runs a history of edits; after it, every root must still read as it was.
fn check_history(histories: &[Edits], cache_bytes: usize) {
    let mut db = Db::new(cache_bytes);
    let mut contents = Contents::new();
    let mut root = Root::EMPTY;
    let mut past = Vec::new();
    for edits in histories {
        root = db.update(root, edits);
        edit(&mut contents, edits);
        assert_eq!(root.hash, oracle_root(&contents));
        past.push((root, contents.clone(), edits.clone()));
    }
    for (root, contents, edits) in past {
        for key in contents.keys().chain(edits.keys()) {
            let expected = contents.get(key).cloned();
            assert_eq!(db.get(root, key), expected);
            let proof = db.proof(root, key);
            if proof.first().is_some_and(|node| node.len() < 32) {
                // The oracle cannot check a trie whose root node is shorter than a hash; hashed keys never make one.
                continue;
            }
            verify_proof(root.hash, Nibbles::unpack(key), expected, proof.iter()).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn short_keys_match_the_oracle(histories in prop::collection::vec(edits(short_key(), 6, 0..12), 1..12)) {
        check_history(&histories, 1 << 20);
    }

    #[test]
    fn short_keys_with_long_values_match_the_oracle(
        histories in prop::collection::vec(edits(short_key(), 60, 0..12), 1..8),
    ) {
        check_history(&histories, 0);
    }

    #[test]
    fn hashed_keys_match_the_oracle(histories in prop::collection::vec(edits(hashed_key(), 40, 0..60), 1..6)) {
        check_history(&histories, 1 << 14);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn both_lanes_match_the_oracle(histories in prop::collection::vec(edits(hashed_key(), 40, 200..500), 2..5)) {
        check_history(&histories, 1 << 20);
    }
}

#[test]
fn deleting_everything_in_both_lanes_empties_the_trie() {
    let mut db = Db::new(1 << 20);
    let keys: Vec<Vec<u8>> = (0u32..1000)
        .map(|seed| keccak256(seed.to_be_bytes()).to_vec())
        .collect();
    let all: Edits = keys
        .iter()
        .map(|key| (key.clone(), Some(vec![1])))
        .collect();
    let none: Edits = keys.iter().map(|key| (key.clone(), None)).collect();
    let full = db.update(Root::EMPTY, &all);
    assert_eq!(db.update(full, &none), Root::EMPTY);
}

#[test]
fn changes_without_effect_keep_the_root_and_make_no_nodes() {
    let mut db = Db::new(1 << 20);
    let edits: Edits = (0u32..500)
        .map(|seed| (keccak256(seed.to_be_bytes()).to_vec(), Some(vec![7])))
        .collect();
    let root = db.update(Root::EMPTY, &edits);
    let absent: Edits = (500u32..900)
        .map(|seed| (keccak256(seed.to_be_bytes()).to_vec(), None))
        .collect();
    assert_eq!(db.update(root, &edits), root);
    assert_eq!(db.update(root, &absent), root);
    assert_eq!(db.update(Root::EMPTY, &absent), Root::EMPTY);
}

#[test]
fn views_prefer_their_own_layer_over_another_staging_of_the_same_height() {
    let db = Db::new(1 << 20);
    let stage = |value: u8| {
        let source = db.source();
        let key = Nibbles::unpack([0x12]);
        let mut lanes = Lanes::new(&source, 1);
        let change = Change {
            key,
            change: Set(Some(vec![value])),
        };
        let root = lanes.update(Root::EMPTY, &[change]).unwrap();
        let lanes = lanes.into_nodes();
        let layer = Arc::new(Layer::new(1, lanes, BTreeMap::new()));
        (root, source.with_layer(Arc::clone(&layer)), layer)
    };
    let (one, one_view, _) = stage(1);
    let (other, other_view, committed) = stage(2);
    let durable = Source::new(
        Arc::clone(&db.store),
        Layers::default().with(committed, 0, 1),
        1,
    );
    let key = Nibbles::unpack([0x12]);
    let read = |view: &Source, root| {
        follow(view, root, &key, |_| ())
            .unwrap()
            .unwrap()
            .bytes
            .to_vec()
    };
    assert_eq!(one.id, other.id);
    assert_eq!(read(&one_view, one), vec![1]);
    assert_eq!(read(&other_view, other), vec![2]);
    assert_eq!(read(&durable, other), vec![2]);
}
