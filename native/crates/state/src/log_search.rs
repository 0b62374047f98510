//! Log queries: the conditions' rows are walked in step, block by block, and what they have in common is checked against
//! the receipts.

use std::time::Instant;

use alloy_primitives::Log;
use fjall::Keyspace;

use crate::error::StateError;
use crate::log_cursor::{Condition, conditions};
use crate::log_index::Position;
use crate::receipt_reader::ReceiptReader;
use crate::types::{LocatedReceipt, LogMatch, LogMatches, LogQuery};

/// How far a search may go.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effort {
    /// To its end.
    Whole,
    /// Until then.
    Until(Instant),
    /// Over so many blocks and receipts, for indexed queries only.
    Rows(u32),
}

impl Effort {
    /// Takes one row's work; `deadline` when none is left.
    fn spend(&mut self) -> Result<(), StateError> {
        match self {
            Self::Whole => Ok(()),
            Self::Until(deadline) if Instant::now() < *deadline => Ok(()),
            Self::Rows(left) if *left > 0 => {
                *left -= 1;
                Ok(())
            }
            _ => Err(StateError::Deadline),
        }
    }
}

/// Runs a query whose range is committed.
pub(crate) fn search(
    rows: &Keyspace,
    receipts: &mut ReceiptReader<'_>,
    query: &LogQuery,
    mut effort: Effort,
) -> Result<LogMatches, StateError> {
    let mut found = LogMatches::default();
    if query.from > query.to || query.topics.len() > 4 {
        return Ok(found);
    }
    let mut conditions = conditions(rows, query)?;
    let unconditional = query.addresses.is_empty() && query.topics.iter().all(Vec::is_empty);
    if unconditional && matches!(effort, Effort::Rows(_)) {
        return Err(StateError::Deadline);
    }
    let mut next = Some(query.from);
    while let Some(number) = next {
        effort.spend()?;
        let Some(number) = common_block(&mut conditions, number)? else {
            break;
        };
        let candidates = if unconditional {
            Candidates::All
        } else {
            Candidates::Some(common_positions(&conditions, number)?)
        };
        collect(receipts, query, number, candidates, &mut effort, &mut found)?;
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
    effort: &mut Effort,
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
                effort.spend()?;
                let receipt = receipts.receipt(number, *tx)?;
                let some = group.iter().map(|(_, index)| *index);
                add_matches(query, number, *tx, &receipt, some, found);
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
fn matches(query: &LogQuery, log: &Log) -> bool {
    let topics = log.data.topics();
    (query.addresses.is_empty() || query.addresses.contains(&log.address))
        && query.topics.len() <= topics.len()
        && query
            .topics
            .iter()
            .zip(topics)
            .all(|(accepted, topic)| accepted.is_empty() || accepted.contains(topic))
}
