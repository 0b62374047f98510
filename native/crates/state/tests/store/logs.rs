//! Log queries by the index against a scan of everything.

use std::time::Instant;

use alloy_primitives::{B256, Bytes, Log};
use cairn_state::{LogMatch, LogMatches, LogQuery, StateChanges, Store, StoredReceipt, StoredTx};
use proptest::prelude::*;

use crate::chain::{address, extend, open, receipt, tx};

type Body = Vec<(StoredTx, StoredReceipt)>;

fn log() -> impl Strategy<Value = Log> {
    (0u64..4, prop::collection::vec(0u8..4, 0..5)).prop_map(|(contract, topics)| {
        let topics = topics.into_iter().map(B256::with_last_byte).collect();
        Log::new_unchecked(address(contract), topics, Bytes::from_static(b"data"))
    })
}

fn chains() -> impl Strategy<Value = Vec<Vec<Vec<Log>>>> {
    let block = prop_oneof![
        3 => prop::collection::vec(prop::collection::vec(log(), 0..4), 0..5),
        2 => Just(Vec::new()),
    ];
    prop::collection::vec(block, 1..40)
}

fn queries() -> impl Strategy<Value = Vec<LogQuery>> {
    let topics = prop::collection::vec(prop::collection::vec(0u8..5, 0..3), 0..6);
    let query = (
        0u64..45,
        0u64..45,
        prop::collection::vec(0u64..5, 0..3),
        topics,
        0usize..60,
    )
        .prop_map(|(from, to, addresses, topics, max)| LogQuery {
            from,
            to,
            addresses: addresses.into_iter().map(address).collect(),
            topics: topics
                .into_iter()
                .map(|position| position.into_iter().map(B256::with_last_byte).collect())
                .collect(),
            max,
        });
    prop::collection::vec(query, 1..40)
}

fn build(store: &Store, chain: &[Vec<Vec<Log>>]) -> Vec<Body> {
    let mut bodies = Vec::new();
    let mut seed = 0;
    for block in chain {
        let mut body = Vec::new();
        for logs in block {
            seed += 1;
            body.push((tx(seed), receipt(seed, logs.clone())));
        }
        extend(store, &StateChanges::default(), body.clone());
        bodies.push(body);
    }
    bodies
}

/// Independent of the index and of its matching rule.
fn wanted(query: &LogQuery, log: &Log) -> bool {
    if !query.addresses.is_empty() && !query.addresses.contains(&log.address) {
        return false;
    }
    for (place, accepted) in query.topics.iter().enumerate() {
        match log.topics().get(place) {
            None => return false,
            Some(topic) if !accepted.is_empty() && !accepted.contains(topic) => return false,
            Some(_) => {}
        }
    }
    true
}

fn scan(bodies: &[Body], query: &LogQuery) -> LogMatches {
    let mut found = LogMatches::default();
    for (block, body) in (0u64..)
        .zip(bodies)
        .filter(|(block, _)| (query.from..=query.to).contains(block))
    {
        let mut log_index = 0;
        for (tx_index, (transaction, receipt)) in (0u32..).zip(body) {
            for log in &receipt.logs {
                if wanted(query, log) {
                    let tx_hash = transaction.hash;
                    found.matches.push(LogMatch {
                        block,
                        tx_index,
                        log_index,
                        log: log.clone(),
                        tx_hash,
                    });
                }
                log_index += 1;
            }
        }
    }
    found.truncated = found.matches.len() > query.max;
    found.matches.truncate(query.max);
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_index_finds_what_a_scan_finds(chain in chains(), queries in queries()) {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path()).unwrap();
        let bodies = build(&store, &chain);
        for query in &queries {
            prop_assert_eq!(store.logs(query).unwrap(), scan(&bodies, query));
        }
    }
}

#[test]
fn a_rare_condition_is_found_among_many_blocks_of_a_common_one() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let topic = B256::with_last_byte(1);
    let common = |contract| Log::new_unchecked(address(contract), vec![topic], Bytes::new());
    let chain: Vec<_> = (0..300)
        .map(|block| vec![vec![common(u64::from(block % 97 == 50))]])
        .collect();
    let bodies = build(&store, &chain);
    let rare = LogQuery {
        to: u64::MAX,
        addresses: vec![address(1)],
        topics: vec![vec![topic]],
        max: 9,
        ..LogQuery::default()
    };
    let found = store.logs(&rare).unwrap();
    assert_eq!(
        found
            .matches
            .iter()
            .map(|log| log.block)
            .collect::<Vec<_>>(),
        vec![50, 147, 244]
    );
    assert_eq!(found, scan(&bodies, &rare));
}

#[test]
fn a_query_past_its_deadline_is_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    build(&store, &[vec![vec![Log::default()]]]);
    let query = LogQuery {
        to: 0,
        max: 9,
        ..LogQuery::default()
    };
    assert_eq!(
        store.logs_until(&query, Instant::now()).unwrap_err().code(),
        "deadline"
    );
}
