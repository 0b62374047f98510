//! The inverted log index: for each term (contract, or topic at a position) and block the positions of the logs that
//! carry it. A query walks the terms' rows in step, block by block, and checks what it finds against the receipts.

use std::time::Instant;

use alloy_primitives::Log;
use alloy_primitives::map::HashMap;
use fjall::{Iter, Keyspace, Slice};

use crate::bytes_reader::{BytesReader, put_varint};
use crate::error::StateError;
use crate::keys::{LogTerm, Row, fingerprint, log_key};
use crate::receipt_reader::ReceiptReader;
use crate::types::{LocatedReceipt, LogMatch, LogMatches, LogQuery, StoredReceipt};

/// A log's place in its block: transaction index and index among the transaction's logs.
type Position = (u32, u32);

/// The rows a block adds.
pub(crate) fn rows(number: u64, receipts: &[StoredReceipt]) -> Result<Vec<Row>, StateError> {
    let mut terms: HashMap<LogTerm<'_>, Vec<Position>> = HashMap::default();
    for (tx, receipt) in receipts.iter().enumerate() {
        let tx = u32::try_from(tx).map_err(|_| StateError::TooLarge("transactions"))?;
        for (index, log) in receipt.logs.iter().enumerate() {
            let index = u32::try_from(index).map_err(|_| StateError::TooLarge("logs"))?;
            terms
                .entry(LogTerm::Address(&log.address.0.0))
                .or_default()
                .push((tx, index));
            for (place, topic) in (0u8..).zip(log.data.topics()) {
                terms
                    .entry(LogTerm::Topic(place, &topic.0))
                    .or_default()
                    .push((tx, index));
            }
        }
    }
    if !terms.is_empty() {
        terms.insert(LogTerm::Any, Vec::new());
    }
    let rows = merged(terms).into_iter();
    let mut rows: Vec<_> = rows
        .map(|(key, positions)| (log_key(key, number).to_vec(), encode_positions(&positions)))
        .collect();
    rows.sort_unstable();
    Ok(rows)
}

/// Terms that share a fingerprint share a row.
fn merged(terms: HashMap<LogTerm<'_>, Vec<Position>>) -> HashMap<[u8; 8], Vec<Position>> {
    let mut rows: HashMap<[u8; 8], Vec<Position>> =
        HashMap::with_capacity_and_hasher(terms.len(), Default::default());
    for (term, positions) in terms {
        let row = rows.entry(fingerprint(term)).or_default();
        if row.is_empty() {
            *row = positions;
        } else {
            row.extend(positions);
            row.sort_unstable();
            row.dedup();
        }
    }
    rows
}

fn encode_positions(positions: &[Position]) -> Vec<u8> {
    let mut out = Vec::with_capacity(positions.len() * 2);
    let mut last = 0;
    for (tx, index) in positions {
        put_varint(&mut out, tx - last);
        put_varint(&mut out, *index);
        last = *tx;
    }
    out
}

fn decode_positions(row: &[u8], out: &mut Vec<Position>) -> Result<(), StateError> {
    let mut reader = BytesReader::new(row);
    let mut tx = 0u32;
    while !reader.is_empty() {
        let step: u32 = reader.varint_as()?;
        tx = tx
            .checked_add(step)
            .ok_or_else(|| StateError::corrupt("log position out of range"))?;
        out.push((tx, reader.varint_as()?));
    }
    Ok(())
}

/// The rows of one term from a block on.
struct Cursor<'a> {
    rows: &'a Keyspace,
    fingerprint: [u8; 8],
    last: u64,
    iter: Iter,
    current: Option<(u64, Slice)>,
}

impl<'a> Cursor<'a> {
    /// Steps taken before a new range is opened instead.
    const STEPS: usize = 24;

    fn open(
        rows: &'a Keyspace,
        fingerprint: [u8; 8],
        first: u64,
        last: u64,
    ) -> Result<Self, StateError> {
        let iter = rows.range(log_key(fingerprint, first)..=log_key(fingerprint, last));
        let mut cursor = Self {
            rows,
            fingerprint,
            last,
            iter,
            current: None,
        };
        cursor.advance()?;
        Ok(cursor)
    }

    fn advance(&mut self) -> Result<(), StateError> {
        self.current = match self.iter.next() {
            None => None,
            Some(row) => {
                let (key, positions) = row.into_inner()?;
                let number = key.last_chunk::<8>().copied().map(u64::from_be_bytes);
                Some((
                    number.ok_or_else(|| StateError::corrupt("log index key too short"))?,
                    positions,
                ))
            }
        };
        Ok(())
    }

    /// Moves to the first row at `target` or later and answers its block.
    fn seek(&mut self, target: u64) -> Result<Option<u64>, StateError> {
        for _ in 0..Self::STEPS {
            match &self.current {
                Some((block, _)) if *block < target => self.advance()?,
                current => return Ok(current.as_ref().map(|(block, _)| *block)),
            }
        }
        *self = Self::open(self.rows, self.fingerprint, target, self.last)?;
        Ok(self.current.as_ref().map(|(block, _)| *block))
    }

    fn positions(&self, number: u64, out: &mut Vec<Position>) -> Result<(), StateError> {
        match &self.current {
            Some((block, row)) if *block == number => decode_positions(row, out),
            _ => Ok(()),
        }
    }
}

/// One condition of a query: any of its terms.
struct Condition<'a> {
    cursors: Vec<Cursor<'a>>,
}

impl<'a> Condition<'a> {
    fn open(
        rows: &'a Keyspace,
        mut terms: Vec<[u8; 8]>,
        query: &LogQuery,
    ) -> Result<Self, StateError> {
        terms.sort_unstable();
        terms.dedup();
        let cursors = terms
            .into_iter()
            .map(|term| Cursor::open(rows, term, query.from, query.to));
        Ok(Self {
            cursors: cursors.collect::<Result<_, _>>()?,
        })
    }

    fn seek(&mut self, target: u64) -> Result<Option<u64>, StateError> {
        let mut nearest = None;
        for cursor in &mut self.cursors {
            let block = cursor.seek(target)?;
            nearest = match (nearest, block) {
                (Some(one), Some(other)) => Some(std::cmp::min(one, other)),
                (one, other) => one.or(other),
            };
        }
        self.cursors.retain(|cursor| cursor.current.is_some());
        Ok(nearest)
    }

    fn positions(&self, number: u64) -> Result<Vec<Position>, StateError> {
        let mut positions = Vec::new();
        for cursor in &self.cursors {
            cursor.positions(number, &mut positions)?;
        }
        if self.cursors.len() > 1 {
            positions.sort_unstable();
            positions.dedup();
        }
        Ok(positions)
    }
}

fn conditions<'a>(rows: &'a Keyspace, query: &LogQuery) -> Result<Vec<Condition<'a>>, StateError> {
    let mut terms: Vec<Vec<[u8; 8]>> = Vec::new();
    terms.push(
        query
            .addresses
            .iter()
            .map(|address| fingerprint(LogTerm::Address(&address.0.0)))
            .collect(),
    );
    for (place, topics) in (0u8..).zip(&query.topics) {
        terms.push(
            topics
                .iter()
                .map(|topic| fingerprint(LogTerm::Topic(place, &topic.0)))
                .collect(),
        );
    }
    terms.retain(|terms| !terms.is_empty());
    if terms.is_empty() {
        terms.push(vec![fingerprint(LogTerm::Any)]);
    }
    terms
        .into_iter()
        .map(|terms| Condition::open(rows, terms, query))
        .collect()
}

/// Runs a query whose range is committed.
pub(crate) fn search(
    rows: &Keyspace,
    receipts: &mut ReceiptReader<'_>,
    query: &LogQuery,
    deadline: Option<Instant>,
) -> Result<LogMatches, StateError> {
    let mut found = LogMatches::default();
    if query.from > query.to || query.topics.len() > 4 {
        return Ok(found);
    }
    let mut conditions = conditions(rows, query)?;
    let unconditional = query.addresses.is_empty() && query.topics.iter().all(Vec::is_empty);
    let mut next = Some(query.from);
    while let Some(number) = next {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(StateError::Deadline);
        }
        let Some(number) = common_block(&mut conditions, number)? else {
            break;
        };
        let candidates = if unconditional {
            Candidates::All
        } else {
            Candidates::Some(common_positions(&conditions, number)?)
        };
        collect(receipts, query, number, candidates, &mut found)?;
        if found.truncated {
            break;
        }
        next = number.checked_add(1);
    }
    Ok(found)
}

enum Candidates {
    All,
    Some(Vec<Position>),
}

/// The first block from `number` on in which every condition has a row.
fn common_block(conditions: &mut [Condition<'_>], number: u64) -> Result<Option<u64>, StateError> {
    let mut target = number;
    loop {
        let before = target;
        for condition in conditions.iter_mut() {
            match condition.seek(target)? {
                None => return Ok(None),
                Some(block) => target = target.max(block),
            }
        }
        if target == before {
            return Ok(Some(target));
        }
    }
}

fn common_positions(
    conditions: &[Condition<'_>],
    number: u64,
) -> Result<Vec<Position>, StateError> {
    let mut common: Option<Vec<Position>> = None;
    for condition in conditions {
        let positions = condition.positions(number)?;
        common = Some(match common {
            None => positions,
            Some(mut common) => {
                common.retain(|position| positions.binary_search(position).is_ok());
                common
            }
        });
    }
    Ok(common.unwrap_or_default())
}

fn collect(
    receipts: &mut ReceiptReader<'_>,
    query: &LogQuery,
    number: u64,
    candidates: Candidates,
    found: &mut LogMatches,
) -> Result<(), StateError> {
    match candidates {
        Candidates::All => {
            for tx in 0..receipts.count(number)? {
                let receipt = receipts.receipt(number, tx)?;
                let all = 0..receipt.receipt.logs.len() as u32;
                add_matches(query, number, tx, &receipt, all, found);
                if found.truncated {
                    break;
                }
            }
        }
        Candidates::Some(positions) => {
            for group in positions.chunk_by(|(one, _), (other, _)| one == other) {
                let Some((tx, _)) = group.first() else {
                    continue;
                };
                let receipt = receipts.receipt(number, *tx)?;
                add_matches(
                    query,
                    number,
                    *tx,
                    &receipt,
                    group.iter().map(|(_, index)| *index),
                    found,
                );
                if found.truncated {
                    break;
                }
            }
        }
    }
    Ok(())
}

fn add_matches(
    query: &LogQuery,
    block: u64,
    tx_index: u32,
    receipt: &LocatedReceipt,
    indexes: impl Iterator<Item = u32>,
    found: &mut LogMatches,
) {
    for index in indexes {
        let Some(log) = receipt
            .receipt
            .logs
            .get(index as usize)
            .filter(|log| matches(query, log))
        else {
            continue;
        };
        if found.matches.len() >= query.max {
            found.truncated = true;
            return;
        }
        let log_index = receipt.first_log_index.saturating_add(index);
        found.matches.push(LogMatch {
            block,
            tx_index,
            log_index,
            log: log.clone(),
            tx_hash: receipt.tx_hash,
        });
    }
}

/// Whether a log meets a query's conditions (its range aside).
pub(crate) fn matches(query: &LogQuery, log: &Log) -> bool {
    let topics = log.data.topics();
    (query.addresses.is_empty() || query.addresses.contains(&log.address))
        && query.topics.len() <= topics.len()
        && query
            .topics
            .iter()
            .zip(topics)
            .all(|(accepted, topic)| accepted.is_empty() || accepted.contains(topic))
}
