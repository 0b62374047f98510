//! Killing the writing process between and within commits: the reopened store stands at a committed block, wholly.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use alloy_primitives::{Bytes, Log, U256};
use cairn_state::{LogQuery, StateChanges, Store};

use crate::chain::{address, extend, info, open, receipt, set, tip, tx};

const DIRECTORY: &str = "CAIRN_STATE_CRASH_DIRECTORY";
const ACCOUNTS: u64 = 200;

/// What block `number` does is a function of its number, so any reader can tell whether it is whole.
fn commit_next(store: &Store) -> u64 {
    let number = store.head().map_or(0, |head| head.number + 1);
    let mut changes = StateChanges::default();
    for seed in 0..ACCOUNTS {
        set(
            &mut changes,
            address(seed + number % 7),
            info(number, seed),
            &[(seed, number + 1)],
        );
    }
    let logs = vec![Log::new_unchecked(address(1), Vec::new(), Bytes::new())];
    let body = (0..20)
        .map(|index| (tx(number * 20 + index), receipt(index, logs.clone())))
        .collect();
    extend(store, &changes, body);
    number
}

fn check_chain(store: &Store) -> u64 {
    let head = store.head().unwrap();
    let mut parent = alloy_primitives::B256::ZERO;
    for number in 0..=head.number {
        let header = store.header(number).unwrap().unwrap();
        assert_eq!(header.header.parent_hash, parent);
        assert_eq!(store.number_of(&header.hash).unwrap(), Some(number));
        parent = header.hash;
        let state = store.at(number).unwrap().unwrap();
        assert_eq!(state.root(), header.header.state_root);
        let last = address(ACCOUNTS - 1 + number % 7);
        assert_eq!(state.account(&last).unwrap().unwrap().nonce, number);
        assert_eq!(
            state.storage(&last, &U256::from(ACCOUNTS - 1)).unwrap(),
            U256::from(number + 1)
        );
        assert_eq!(store.transactions(number).unwrap().unwrap().len(), 20);
        assert_eq!(store.receipts(number).unwrap().unwrap().len(), 20);
        let location = store.locate(&tx(number * 20 + 19).hash).unwrap().unwrap();
        assert_eq!((location.block, location.index), (number, 19));
        let query = LogQuery {
            from: number,
            to: number,
            max: 50,
            ..LogQuery::default()
        };
        assert_eq!(store.logs(&query).unwrap().matches.len(), 20);
    }
    assert_eq!(parent, head.hash);
    assert!(
        store
            .locate(&tx((head.number + 1) * 20).hash)
            .unwrap()
            .is_none()
    );
    head.number
}

/// Runs in the child process only: commits until it is killed, telling each committed number.
#[test]
fn child_commits_until_killed() {
    let Ok(directory) = std::env::var(DIRECTORY) else {
        return;
    };
    let store = open(Path::new(&directory)).unwrap();
    loop {
        println!("committed {}", commit_next(&store));
    }
}

/// Starts a child that commits, lets it commit some blocks, kills it, and answers the last number it told.
fn run_and_kill(directory: &Path, blocks: usize) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "crash::child_commits_until_killed",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(DIRECTORY, directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut told = lines
        .map_while(Result::ok)
        .filter_map(|line| line.strip_prefix("committed ")?.parse().ok());
    let mut last = told.by_ref().nth(blocks).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    last = told.last().unwrap_or(last);
    last
}

#[test]
fn a_killed_writer_loses_no_committed_block_and_leaves_no_partial_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut head = 0;
    for round in 0..6 {
        let told = run_and_kill(dir.path(), 3 + round * 4);
        let store = open(dir.path()).unwrap();
        let found = check_chain(&store);
        assert!(
            found == told || found == told + 1,
            "told {told}, found {found}"
        );
        assert!(found > head);
        head = commit_next(&store);
        assert_eq!(
            tip(&store).root(),
            store.header(head).unwrap().unwrap().header.state_root
        );
    }
}
