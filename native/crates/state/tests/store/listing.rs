//! Listing states in the order of their keys, what changed, and which transactions touched an account.

use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, U256, keccak256};
use cairn_state::{AccountChange, StateChanges, TxLocation};

use crate::chain::{address, block, extend, info, open, receipt, tip, tx};

fn with_slots(slots: impl Iterator<Item = u64>) -> AccountChange {
    AccountChange {
        account: Some(info(1, 1)),
        wipe_storage: false,
        storage: slots
            .map(|slot| (U256::from(slot), U256::from(slot + 1)))
            .collect(),
    }
}

fn changes(seeds: impl Iterator<Item = u64>, slots: u64) -> StateChanges {
    StateChanges {
        accounts: seeds
            .map(|seed| (address(seed), with_slots(0..slots)))
            .collect(),
        ..StateChanges::default()
    }
}

#[test]
fn accounts_come_in_the_order_of_their_keys_from_anywhere() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    extend(&store, &changes(0..200, 0), Vec::new());
    extend(&store, &changes(7..8, 150), Vec::new());
    let keys: BTreeMap<B256, Address> = (0..200)
        .map(|seed| (keccak256(address(seed)), address(seed)))
        .collect();
    let all: Vec<B256> = keys.keys().copied().collect();
    for from in [
        B256::ZERO,
        all[0],
        all[57],
        all[199],
        B256::repeat_byte(0xff),
    ] {
        let mut listed = Vec::new();
        tip(&store)
            .list_accounts(&from, |account| {
                listed.push(account.key);
                Ok(true)
            })
            .unwrap();
        let expected: Vec<B256> = all.iter().copied().filter(|key| *key >= from).collect();
        assert_eq!(listed, expected);
    }
    for (key, address) in &keys {
        assert_eq!(store.address_of(key).unwrap(), Some(*address));
    }
    assert_eq!(store.address_of(&B256::repeat_byte(9)).unwrap(), None);
    assert!(tip(&store).listed(&address(999)).unwrap().is_none());
}

#[test]
fn slots_come_in_the_order_of_their_keys_from_anywhere() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    extend(&store, &changes(0..200, 0), Vec::new());
    extend(&store, &changes(7..8, 150), Vec::new());
    let rich = tip(&store).listed(&address(7)).unwrap().unwrap();
    let slots: BTreeMap<B256, U256> = (0..150u64)
        .map(U256::from)
        .map(|slot| (keccak256(slot.to_be_bytes::<32>()), slot))
        .collect();
    let from = *slots.keys().nth(70).unwrap();
    let mut listed = Vec::new();
    tip(&store)
        .list_slots(&rich, &from, |key, value| {
            listed.push((key, value));
            Ok(listed.len() < 20)
        })
        .unwrap();
    let one = U256::from(1);
    let expected = slots.iter().skip(70).take(20);
    let expected: Vec<_> = expected.map(|(key, slot)| (*key, *slot + one)).collect();
    assert_eq!(listed, expected);
    for (key, slot) in &slots {
        assert_eq!(store.slot_of(key).unwrap(), Some(*slot));
    }
    assert_eq!(store.slot_of(&B256::repeat_byte(9)).unwrap(), None);
}

#[test]
fn what_changed_since_a_block_is_listed_and_what_only_moved_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    extend(&store, &changes(0..500, 0), Vec::new());
    extend(&store, &changes(500..540, 0), Vec::new());
    extend(&store, &changes(3..4, 5), Vec::new());
    extend(&store, &changes(540..541, 0), Vec::new());
    let mut expected: Vec<B256> = [3, 540].map(|seed| keccak256(address(seed))).to_vec();
    expected.sort_unstable();
    let (old, new) = (store.at(1).unwrap().unwrap(), tip(&store));
    let mut changed = Vec::new();
    new.list_changed(&old, |key| {
        changed.push(key);
        Ok(true)
    })
    .unwrap();
    assert_eq!(changed, expected);
    let mut none = true;
    new.list_changed(&new, |_| {
        none = false;
        Ok(true)
    })
    .unwrap();
    assert!(none);
}

#[test]
fn transactions_are_found_by_the_accounts_they_touched() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    extend(&store, &StateChanges::default(), Vec::new());
    let (alice, bob) = (address(1), address(2));
    for number in 1..=20u64 {
        let body = (0..10).map(|index| (tx(number * 10 + index), receipt(index, Vec::new())));
        let state = store.stage(&tip(&store), &StateChanges::default()).unwrap();
        let mut made = block(&store, state, body.collect());
        for (index, touched) in made.touched.iter_mut().enumerate() {
            *touched = match index {
                3 | 5 if number % 2 == 0 => vec![alice, bob, alice],
                9 if number == 7 => vec![bob],
                _ => Vec::new(),
            };
        }
        store.commit(&made).unwrap();
    }
    let places = |found: cairn_state::Touching| -> Vec<(u64, u32)> {
        let place = |at: &TxLocation| (at.block, at.index);
        found.locations.iter().map(place).collect()
    };
    let back = store.touching(&alice, 0..=u64::MAX, true, 3).unwrap();
    assert!(back.more);
    assert_eq!(places(back), [(20, 5), (20, 3), (18, 5), (18, 3)]);
    let forth = store.touching(&bob, 5..=9, false, 10).unwrap();
    assert!(!forth.more);
    assert_eq!(places(forth), [(6, 3), (6, 5), (7, 9), (8, 3), (8, 5)]);
    assert!(places(store.touching(&address(3), 0..=99, true, 1).unwrap()).is_empty());
    assert!(places(store.touching(&alice, 21..=99, true, 1).unwrap()).is_empty());
}
