//! Committing blocks and reading them back; what is refused.

use alloy_primitives::{B256, Bytes, Log};
use cairn_state::{HeadRef, Snapshot, StateChanges, TxLocation};

use crate::chain::{address, block, extend, info, open, receipt, set, tip, tx};

fn log(seed: u64) -> Log {
    let topics = (0..seed % 5)
        .map(|topic| B256::with_last_byte(topic as u8))
        .collect();
    Log::new_unchecked(
        address(seed),
        topics,
        Bytes::from(vec![seed as u8; (seed * 37 % 300) as usize]),
    )
}

#[test]
fn blocks_read_back_whole_and_in_part() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    extend(&store, &StateChanges::default(), Vec::new());
    let body: Vec<_> = (0..30)
        .map(|index| (tx(index), receipt(index, (0..index % 4).map(log).collect())))
        .collect();
    extend(&store, &StateChanges::default(), body.clone());
    drop(store);
    let store = open(dir.path()).unwrap();
    let header = store.header(1).unwrap().unwrap();
    assert_eq!(
        store.head(),
        Some(HeadRef {
            number: 1,
            hash: header.hash
        })
    );
    assert_eq!(header.header.hash_slow(), header.hash);
    assert_eq!(alloy_primitives::keccak256(&header.rlp), header.hash);
    assert_eq!(header.size, 1234);
    assert_eq!(store.number_of(&header.hash).unwrap(), Some(1));
    let (transactions, receipts): (Vec<_>, Vec<_>) = body.into_iter().unzip();
    assert_eq!(store.transactions(1).unwrap().unwrap(), transactions);
    assert_eq!(store.receipts(1).unwrap().unwrap(), receipts);
    let mut logs = 0;
    for ((index, transaction), receipt) in (0u32..).zip(transactions).zip(receipts) {
        let location = TxLocation { block: 1, index };
        assert_eq!(store.locate(&transaction.hash).unwrap(), Some(location));
        let located = store.receipt(location).unwrap().unwrap();
        assert_eq!(
            (located.tx_hash, located.first_log_index),
            (transaction.hash, logs)
        );
        logs += receipt.logs.len() as u32;
        assert_eq!(located.receipt, receipt);
        assert_eq!(store.transaction(location).unwrap(), Some(transaction));
    }
    assert_eq!(store.transactions(0).unwrap(), Some(Vec::new()));
}

#[test]
fn what_does_not_exist_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    assert_eq!(store.head(), None);
    assert!(store.at(0).unwrap().is_none());
    extend(
        &store,
        &StateChanges::default(),
        vec![(tx(0), receipt(0, Vec::new()))],
    );
    assert!(store.header(1).unwrap().is_none());
    assert!(store.transactions(1).unwrap().is_none());
    assert!(store.receipts(u64::MAX).unwrap().is_none());
    assert!(store.number_of(&B256::ZERO).unwrap().is_none());
    assert!(store.locate(&B256::ZERO).unwrap().is_none());
    assert!(
        store
            .transaction(TxLocation { block: 0, index: 1 })
            .unwrap()
            .is_none()
    );
    assert!(
        store
            .receipt(TxLocation { block: 9, index: 0 })
            .unwrap()
            .is_none()
    );
}

#[test]
fn blocks_off_the_head_are_refused_and_leave_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let mut changes = StateChanges::default();
    set(&mut changes, address(1), info(1, 1), &[]);
    let on = |parent: &Snapshot, body| {
        let staged = store.stage(parent, &changes).unwrap();
        block(&store, staged, body)
    };
    let first = on(&store.empty(), Vec::new());
    let rival = on(&store.empty(), vec![(tx(9), receipt(9, Vec::new()))]);
    store.commit(&first).unwrap();
    assert_eq!(store.commit(&rival).unwrap_err().code(), "not-on-head");
    let mut wrong_parent = on(&tip(&store), Vec::new());
    wrong_parent.header.parent_hash = B256::ZERO;
    wrong_parent.hash = wrong_parent.header.hash_slow();
    assert_eq!(
        store.commit(&wrong_parent).unwrap_err().code(),
        "not-on-head"
    );
    let mut skipped = on(&tip(&store), Vec::new());
    skipped.header.number += 1;
    skipped.hash = skipped.header.hash_slow();
    assert_eq!(store.commit(&skipped).unwrap_err().code(), "not-on-head");
    let stale = on(&store.empty(), Vec::new());
    assert_eq!(store.commit(&stale).unwrap_err().code(), "not-on-head");
    assert_eq!(store.head().map(|head| head.number), Some(0));
    assert!(store.locate(&tx(9).hash).unwrap().is_none());
}

#[test]
fn blocks_that_contradict_themselves_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let mut changes = StateChanges::default();
    set(&mut changes, address(1), info(1, 1), &[]);
    let staged = || store.stage(&store.empty(), &changes).unwrap();
    let mut wrong_root = block(&store, staged(), Vec::new());
    wrong_root.header.state_root = B256::ZERO;
    wrong_root.hash = wrong_root.header.hash_slow();
    assert_eq!(
        store.commit(&wrong_root).unwrap_err().code(),
        "inconsistent"
    );
    let mut wrong_hash = block(&store, staged(), Vec::new());
    wrong_hash.hash = B256::ZERO;
    assert_eq!(
        store.commit(&wrong_hash).unwrap_err().code(),
        "inconsistent"
    );
    let mut without_receipts = block(&store, staged(), vec![(tx(1), receipt(1, Vec::new()))]);
    without_receipts.receipts.clear();
    assert_eq!(
        store.commit(&without_receipts).unwrap_err().code(),
        "inconsistent"
    );
    assert_eq!(store.head(), None);
}
