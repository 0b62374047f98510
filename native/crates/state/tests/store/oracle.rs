//! alloy's tries as oracle: the plain-map picture of a state, random histories of it, and how a snapshot is held
//! against it.

use std::collections::BTreeMap;

use alloy_primitives::{B256, U256, keccak256};
use alloy_trie::proof::verify_proof;
use alloy_trie::{Nibbles, TrieAccount, root};
use cairn_state::{AccountChange, AccountInfo, Snapshot, StateChanges};
use proptest::prelude::*;

use crate::chain::{address, info};

/// The plain-map picture of the state: accounts by seed.
pub type World = BTreeMap<u64, (AccountInfo, BTreeMap<U256, U256>)>;

#[derive(Clone, Debug)]
pub enum Edit {
    Set {
        nonce: u64,
        balance: u64,
        wipe: bool,
        storage: BTreeMap<u64, u64>,
    },
    Delete,
}

fn edit() -> impl Strategy<Value = Edit> {
    let storage = prop::collection::btree_map(0u64..24, 0u64..4, 0..12);
    prop_oneof![
        4 => (0u64..5, 0u64..1000, prop::bool::weighted(0.1), storage)
            .prop_map(|(nonce, balance, wipe, storage)| Edit::Set { nonce, balance, wipe, storage }),
        1 => Just(Edit::Delete),
    ]
}

pub fn histories() -> impl Strategy<Value = Vec<BTreeMap<u64, Edit>>> {
    prop::collection::vec(prop::collection::btree_map(0u64..40, edit(), 0..20), 1..8)
}

pub fn to_changes(edits: &BTreeMap<u64, Edit>) -> StateChanges {
    let mut changes = StateChanges::default();
    for (seed, edit) in edits {
        let change = match edit {
            Edit::Delete => AccountChange::default(),
            Edit::Set {
                nonce,
                balance,
                wipe,
                storage,
            } => AccountChange {
                account: Some(info(*nonce, *balance)),
                wipe_storage: *wipe,
                storage: storage
                    .iter()
                    .map(|(slot, value)| (U256::from(*slot), U256::from(*value)))
                    .collect(),
            },
        };
        changes.accounts.insert(address(*seed), change);
    }
    changes
}

pub fn apply(world: &mut World, edits: &BTreeMap<u64, Edit>) {
    for (seed, edit) in edits {
        let Edit::Set {
            nonce,
            balance,
            wipe,
            storage,
        } = edit
        else {
            world.remove(seed);
            continue;
        };
        let (account, slots) = world
            .entry(*seed)
            .or_insert_with(|| (info(0, 0), BTreeMap::new()));
        *account = info(*nonce, *balance);
        if *wipe {
            slots.clear();
        }
        slots.extend(
            storage
                .iter()
                .map(|(slot, value)| (U256::from(*slot), U256::from(*value))),
        );
        slots.retain(|_, value| !value.is_zero());
    }
}

fn storage_root(slots: &BTreeMap<U256, U256>) -> B256 {
    root::storage_root_unhashed(
        slots
            .iter()
            .map(|(slot, value)| (B256::from(*slot), *value)),
    )
}

pub fn trie_account(account: &AccountInfo, slots: &BTreeMap<U256, U256>) -> TrieAccount {
    TrieAccount {
        nonce: account.nonce,
        balance: account.balance,
        storage_root: storage_root(slots),
        code_hash: account.code_hash,
    }
}

fn state_root(world: &World) -> B256 {
    root::state_root_unhashed(
        world
            .iter()
            .map(|(seed, (account, slots))| (address(*seed), trie_account(account, slots))),
    )
}

pub fn check(snapshot: &Snapshot, world: &World) {
    assert_eq!(snapshot.root(), state_root(world));
    for seed in 0..42 {
        let address = address(seed);
        let expected = world
            .get(&seed)
            .map(|(account, slots)| trie_account(account, slots));
        let found = snapshot.account(&address).unwrap();
        assert_eq!(
            found.map(|account| account.storage_root),
            expected.map(|account| account.storage_root)
        );
        assert_eq!(
            found.map(|account| account.nonce),
            expected.map(|account| account.nonce)
        );
        assert_eq!(
            found.map(|account| account.balance),
            expected.map(|account| account.balance)
        );
        let proof = snapshot.account_proof(&address).unwrap();
        let value = expected.map(alloy_rlp::encode);
        verify_proof(
            snapshot.root(),
            Nibbles::unpack(keccak256(address)),
            value,
            &proof,
        )
        .unwrap();
        let slots = world
            .get(&seed)
            .map(|(_, slots)| slots.clone())
            .unwrap_or_default();
        check_slots(snapshot, seed, &slots);
    }
}

fn check_slots(snapshot: &Snapshot, seed: u64, slots: &BTreeMap<U256, U256>) {
    for slot in (0u64..25).map(U256::from) {
        let expected = slots.get(&slot).copied();
        assert_eq!(
            snapshot.storage(&address(seed), &slot).unwrap(),
            expected.unwrap_or_default()
        );
        let proof = snapshot.storage_proof(&address(seed), &slot).unwrap();
        let key = Nibbles::unpack(keccak256(slot.to_be_bytes::<32>()));
        verify_proof(
            storage_root(slots),
            key,
            expected.map(alloy_rlp::encode),
            &proof,
        )
        .unwrap();
    }
}
