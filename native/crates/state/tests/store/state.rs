//! State roots, values and proofs of random histories against alloy, at every height, before and after reopening.

use std::collections::BTreeMap;

use alloy_primitives::{B256, Bytes, KECCAK256_EMPTY, U256, keccak256};
use alloy_trie::{EMPTY_ROOT_HASH, root};
use cairn_state::{AccountInfo, Snapshot, StateChanges};
use proptest::prelude::*;

use crate::chain::{address, extend, info, open, set, tip};
use crate::oracle::{World, apply, check, histories, to_changes, trie_account};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_height_matches_the_oracle_before_and_after_reopening(histories in histories()) {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path()).unwrap();
        let mut world = World::new();
        let mut worlds = Vec::new();
        for edits in &histories {
            let staged = store.stage(&tip(&store), &to_changes(edits)).unwrap();
            apply(&mut world, edits);
            check(&staged.snapshot(), &world);
            extend(&store, &to_changes(edits), Vec::new());
            worlds.push(world.clone());
        }
        let check_all = |store: &cairn_state::Store| {
            for (number, world) in (0u64..).zip(&worlds) {
                check(&store.at(number).unwrap().unwrap(), world);
            }
            assert!(store.at(worlds.len() as u64).unwrap().is_none());
        };
        check_all(&store);
        drop(store);
        check_all(&open(dir.path()).unwrap());
    }
}

#[test]
fn many_slots_of_one_contract_and_many_accounts_match_the_oracle() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let contract = address(1_000_000);
    for round in 0..3u64 {
        let mut changes = StateChanges::default();
        let slots: Vec<(u64, u64)> = (0..3000)
            .map(|slot| (slot * (round + 1), (slot + round) % 5))
            .collect();
        for seed in 0..1500 {
            set(&mut changes, address(seed), info(round, seed), &[]);
        }
        set(&mut changes, contract, info(1, 1), &slots);
        extend(&store, &changes, Vec::new());
    }
    let slots: BTreeMap<U256, U256> = (0u64..9000)
        .map(|slot| {
            (
                U256::from(slot),
                tip(&store).storage(&contract, &U256::from(slot)).unwrap(),
            )
        })
        .filter(|(_, value)| !value.is_zero())
        .collect();
    let mut world: Vec<_> = (0..1500)
        .map(|seed| {
            (
                address(seed),
                trie_account(&info(2, seed), &BTreeMap::new()),
            )
        })
        .collect();
    world.push((contract, trie_account(&info(1, 1), &slots)));
    assert_eq!(slots.get(&U256::from(3)), Some(&U256::from(3)));
    assert_eq!(tip(&store).root(), root::state_root_unhashed(world));
}

#[test]
fn stagings_on_stagings_and_beside_each_other_do_not_disturb_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let stage = |parent: &Snapshot, seed: u64| {
        let mut changes = StateChanges::default();
        set(
            &mut changes,
            address(seed),
            info(seed, seed),
            &[(seed, seed)],
        );
        store.stage(parent, &changes).unwrap()
    };
    let one = stage(&store.empty(), 1);
    let other = stage(&store.empty(), 2);
    let above = stage(&one.snapshot(), 3);
    let (one_view, other_view) = (one.snapshot(), other.snapshot());
    store
        .commit(&crate::chain::block(&store, one, Vec::new()))
        .unwrap();
    assert_eq!(one_view.account(&address(1)).unwrap().unwrap().nonce, 1);
    assert_eq!(other_view.account(&address(2)).unwrap().unwrap().nonce, 2);
    assert_eq!(other_view.account(&address(1)).unwrap(), None);
    store
        .commit(&crate::chain::block(&store, above, Vec::new()))
        .unwrap();
    assert_eq!(
        tip(&store).storage(&address(3), &U256::from(3)).unwrap(),
        U256::from(3)
    );
    assert_eq!(
        tip(&store).storage(&address(1), &U256::from(1)).unwrap(),
        U256::from(1)
    );
    assert_eq!(
        other_view.storage(&address(2), &U256::from(2)).unwrap(),
        U256::from(2)
    );
}

#[test]
fn code_is_readable_when_staged_and_when_committed() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let code = Bytes::from_static(&[0x60, 0x00]);
    let hash = keccak256(&code);
    let mut changes = StateChanges::default();
    changes.code.insert(hash, code.clone());
    set(
        &mut changes,
        address(1),
        AccountInfo {
            nonce: 1,
            balance: U256::ZERO,
            code_hash: hash,
        },
        &[],
    );
    let staged = store.stage(&store.empty(), &changes).unwrap();
    assert_eq!(staged.snapshot().code(&hash).unwrap(), Some(code.clone()));
    assert_eq!(store.empty().code(&hash).unwrap(), None);
    extend(&store, &changes, Vec::new());
    drop((staged, store));
    let store = open(dir.path()).unwrap();
    assert_eq!(tip(&store).code(&hash).unwrap(), Some(code));
    assert_eq!(
        tip(&store).code(&KECCAK256_EMPTY).unwrap(),
        Some(Bytes::new())
    );
    assert_eq!(tip(&store).code(&B256::ZERO).unwrap(), None);
}

#[test]
fn snapshots_are_readable_from_several_threads_while_blocks_are_committed() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let mut changes = StateChanges::default();
    for seed in 0..300 {
        set(
            &mut changes,
            address(seed),
            info(0, seed),
            &[(seed, seed + 1)],
        );
    }
    extend(&store, &changes, Vec::new());
    let first = tip(&store);
    let read = || {
        for seed in 0..300 {
            let account = first.account(&address(seed)).unwrap().unwrap();
            let slot = first.storage(&address(seed), &U256::from(seed)).unwrap();
            assert_eq!(account.balance, U256::from(seed));
            assert_eq!(slot, U256::from(seed + 1));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(read);
        }
        for round in 1..6 {
            let mut changes = StateChanges::default();
            set(&mut changes, address(round), info(round, 0), &[(round, 0)]);
            extend(&store, &changes, Vec::new());
        }
    });
    assert_eq!(
        tip(&store).storage(&address(1), &U256::from(1)).unwrap(),
        U256::ZERO
    );
    assert_eq!(store.empty().root(), EMPTY_ROOT_HASH);
}
