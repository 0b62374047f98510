//! Walking the log index: the rows of one term, and of one condition of a query (any of several terms).

use fjall::{Iter, Keyspace, Slice};

use crate::error::StateError;
use crate::keys::{LogTerm, fingerprint, log_key};
use crate::log_index::{Position, decode_positions};
use crate::types::LogQuery;

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
pub(crate) struct Condition<'a> {
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

    /// The first block at `target` or later with a row of any of the terms.
    pub(crate) fn seek(&mut self, target: u64) -> Result<Option<u64>, StateError> {
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

    /// The positions in the block sought last.
    pub(crate) fn positions(&self, number: u64) -> Result<Vec<Position>, StateError> {
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

/// The conditions of a query; one without any asks for every log.
pub(crate) fn conditions<'a>(
    rows: &'a Keyspace,
    query: &LogQuery,
) -> Result<Vec<Condition<'a>>, StateError> {
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
