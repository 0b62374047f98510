//! Times blocks of 10,000 account updates over a large state: `commit_bench [ACCOUNTS] [BLOCKS]` (default 1,000,000 and
//! 20). Prints milliseconds, minimum/median/maximum: reading the accounts, staging (trie and root), committing (rows,
//! sync), with and without transactions, and the disk used.

use std::path::Path;
use std::time::{Duration, Instant};

use alloy_consensus::Header;
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, Log, U256, keccak256};
use cairn_state::{
    AccountChange, AccountInfo, CommitBlock, LogQuery, StateChanges, Store, StoreOptions,
    StoredReceipt, StoredTx,
};

const PER_BLOCK: u64 = 10_000;

fn address(seed: u64) -> Address {
    Address::from_word(keccak256(seed.to_be_bytes()))
}

fn change(nonce: u64, balance: u64) -> AccountChange {
    let info = AccountInfo {
        nonce,
        balance: U256::from(balance),
        code_hash: KECCAK256_EMPTY,
    };
    AccountChange {
        account: Some(info),
        ..AccountChange::default()
    }
}

/// A spread-out pick of `count` seeds below `limit` for a round.
fn picks(round: u64, count: u64, limit: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |index| (index * 7_919 + round * 104_729) % limit)
}

fn body(round: u64) -> (Vec<StoredTx>, Vec<StoredReceipt>) {
    let transfer = keccak256("Transfer(address,address,uint256)");
    (0..PER_BLOCK)
        .map(|index| {
            let mut raw = vec![2u8; 118];
            raw.splice(
                1..17,
                (u128::from(round) << 64 | u128::from(index)).to_be_bytes(),
            );
            let raw = Bytes::from(raw);
            let topics = vec![
                transfer,
                address(index).into_word(),
                address(index + round).into_word(),
            ];
            let log = Log::new_unchecked(address(7), topics, Bytes::from(vec![1; 32]));
            let receipt = StoredReceipt {
                tx_type: 2,
                success: true,
                cumulative_gas_used: 21_000 * (index + 1),
                gas_used: 21_000,
                effective_gas_price: 1_000_000_007,
                contract_address: None,
                logs: if round.is_multiple_of(2) {
                    vec![log]
                } else {
                    Vec::new()
                },
            };
            (
                StoredTx {
                    hash: keccak256(&raw),
                    raw,
                    sender: address(index),
                },
                receipt,
            )
        })
        .unzip()
}

fn commit(
    store: &Store,
    changes: &StateChanges,
    body: (Vec<StoredTx>, Vec<StoredReceipt>),
) -> (Duration, Duration) {
    let parent = store.head().map_or_else(
        || store.empty(),
        |head| store.at(head.number).unwrap().unwrap(),
    );
    let start = Instant::now();
    let state = store.stage(&parent, changes).unwrap();
    let staged = start.elapsed();
    let header = Header {
        parent_hash: store.head().map_or(B256::ZERO, |head| head.hash),
        number: store.head().map_or(0, |head| head.number + 1),
        state_root: state.root(),
        ..Header::default()
    };
    let hash = header.hash_slow();
    let (transactions, receipts) = body;
    let touched = transactions.iter().map(|tx| vec![tx.sender]).collect();
    let start = Instant::now();
    store
        .commit(&CommitBlock {
            header,
            hash,
            transactions,
            receipts,
            touched,
            state,
            block_size: 0,
        })
        .unwrap();
    (staged, start.elapsed())
}

fn report(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let ms = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
    let (low, middle, high) = (
        ms(times.first()),
        ms(times.get(times.len() / 2)),
        ms(times.last()),
    );
    println!("{name:<44} {low:8.2} {middle:8.2} {high:8.2} ms");
}

fn disk(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            if entry.path().is_dir() {
                disk(&entry.path())
            } else {
                entry.metadata().unwrap().len()
            }
        })
        .sum()
}

fn run(store: &Store, accounts: u64, blocks: u64, name: &str, full: impl Fn(u64) -> Option<u64>) {
    let (mut reads, mut again, mut stages, mut commits) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 1..=blocks {
        let view = store.at(store.head().unwrap().number).unwrap().unwrap();
        let mut changes = StateChanges::default();
        let start = Instant::now();
        for seed in picks(round, PER_BLOCK, accounts) {
            let old = view.account(&address(seed)).unwrap().unwrap();
            changes
                .accounts
                .insert(address(seed), change(old.nonce + 1, round));
        }
        reads.push(start.elapsed());
        let start = Instant::now();
        for address in changes.accounts.keys() {
            view.account(address).unwrap().unwrap();
        }
        again.push(start.elapsed());
        let body = full(round).map(body).unwrap_or_default();
        let (staged, committed) = commit(store, &changes, body);
        stages.push(staged);
        commits.push(committed);
    }
    println!("{name}");
    report("  read 10,000 accounts (and collect changes)", reads);
    report("  read them again", again);
    report("  stage (trie, root)", stages);
    report("  commit (rows, sync)", commits);
}

fn fill(store: &Store, accounts: u64) {
    let start = Instant::now();
    let mut seed = 0;
    while seed < accounts {
        let next = accounts.min(seed + 250_000);
        let mut changes = StateChanges::default();
        changes
            .accounts
            .extend((seed..next).map(|seed| (address(seed), change(0, seed))));
        commit(store, &changes, Default::default());
        seed = next;
    }
    println!(
        "filled {accounts} accounts in {:.1} s",
        start.elapsed().as_secs_f64()
    );
}

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|text| text.parse::<u64>().unwrap());
    let accounts = arguments.next().unwrap_or(1_000_000);
    let blocks = arguments.next().unwrap_or(20);
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), StoreOptions::default()).unwrap();
    fill(&store, accounts);
    let before = disk(dir.path());
    println!("{:<44} {:>8} {:>8} {:>8}", "", "min", "median", "max");
    run(&store, accounts, blocks, "accounts only", |_| None);
    run(
        &store,
        accounts,
        blocks,
        "with 10,000 transactions, no logs",
        |round| Some(round * 2 + 1),
    );
    run(
        &store,
        accounts,
        blocks,
        "with 10,000 transactions, 10,000 logs",
        |round| Some(1_000_000 + round * 2),
    );
    let mb = |bytes: u64| bytes as f64 / 1e6;
    println!(
        "disk: {:.0} MB after filling, {:.0} MB after {} blocks (journals included)",
        mb(before),
        mb(disk(dir.path())),
        3 * blocks
    );
    find_logs(&store);
    drop(store);
    reopen(dir.path());
}

fn find_logs(store: &Store) {
    let query = LogQuery {
        to: u64::MAX,
        addresses: vec![address(7)],
        max: 10_000,
        ..LogQuery::default()
    };
    let start = Instant::now();
    let found = store.logs(&query).unwrap();
    println!(
        "logs: {} in {:.1} ms",
        found.matches.len(),
        start.elapsed().as_secs_f64() * 1e3
    );
}

fn reopen(dir: &Path) {
    let start = Instant::now();
    let store = Store::open(dir, StoreOptions::default()).unwrap();
    println!(
        "reopen: {:.0} ms, head {:?}",
        start.elapsed().as_secs_f64() * 1e3,
        store.head().map(|head| head.number)
    );
}
