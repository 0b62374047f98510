//! Making blocks for tests.

use std::path::Path;

use alloy_consensus::Header;
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, U256, keccak256};
use cairn_state::{
    AccountChange, AccountInfo, CommitBlock, Snapshot, StagedState, StateChanges, StateError,
    Store, StoreOptions, StoredReceipt, StoredTx,
};

pub fn open(dir: &Path) -> Result<Store, StateError> {
    Store::open(
        dir,
        StoreOptions {
            cache_bytes: 4 << 20,
        },
    )
}

pub fn address(seed: u64) -> Address {
    Address::from_word(keccak256(seed.to_be_bytes()))
}

pub fn info(nonce: u64, balance: u64) -> AccountInfo {
    AccountInfo {
        nonce,
        balance: U256::from(balance),
        code_hash: KECCAK256_EMPTY,
    }
}

pub fn set(changes: &mut StateChanges, address: Address, info: AccountInfo, slots: &[(u64, u64)]) {
    let storage = slots
        .iter()
        .map(|(slot, value)| (U256::from(*slot), U256::from(*value)))
        .collect();
    let change = AccountChange {
        account: Some(info),
        wipe_storage: false,
        storage,
    };
    changes.accounts.insert(address, change);
}

/// The state blocks are staged on next.
pub fn tip(store: &Store) -> Snapshot {
    match store.head() {
        Some(head) => store.at(head.number).unwrap().unwrap(),
        None => store.empty(),
    }
}

pub fn tx(seed: u64) -> StoredTx {
    let raw = Bytes::from([&[2u8][..], &seed.to_be_bytes(), &[7; 100]].concat());
    StoredTx {
        hash: keccak256(&raw),
        raw,
        sender: address(seed),
    }
}

pub fn receipt(index: u64, logs: Vec<alloy_primitives::Log>) -> StoredReceipt {
    StoredReceipt {
        tx_type: (index % 3) as u8,
        success: index.is_multiple_of(2),
        cumulative_gas_used: 21_000 * (index + 1),
        gas_used: 21_000,
        effective_gas_price: u128::from(u64::MAX) * 3 + u128::from(index),
        contract_address: index.is_multiple_of(5).then(|| address(index)),
        logs,
    }
}

/// The block of a staged state on the store's head.
pub fn block(
    store: &Store,
    state: StagedState,
    body: Vec<(StoredTx, StoredReceipt)>,
) -> CommitBlock {
    let head = store.head();
    let header = Header {
        parent_hash: head.map_or(B256::ZERO, |head| head.hash),
        number: head.map_or(0, |head| head.number + 1),
        state_root: state.root(),
        base_fee_per_gas: Some(7),
        ..Header::default()
    };
    let (transactions, receipts): (Vec<StoredTx>, Vec<StoredReceipt>) = body.into_iter().unzip();
    let touched = transactions.iter().map(|tx| vec![tx.sender]).collect();
    let hash = header.hash_slow();
    CommitBlock {
        header,
        hash,
        transactions,
        receipts,
        touched,
        state,
        block_size: 1234,
    }
}

/// Commits a block of changes and transactions on the head.
pub fn extend(store: &Store, changes: &StateChanges, body: Vec<(StoredTx, StoredReceipt)>) {
    let state = store.stage(&tip(store), changes).unwrap();
    store.commit(&block(store, state, body)).unwrap();
}
