//! The inverted log index: for each term (contract, or topic at a position) and block the positions of the logs that
//! carry it. Owns the rows' making and form; searching is `log_search`'s.

use alloy_primitives::map::HashMap;

use crate::bytes_reader::{BytesReader, put_varint};
use crate::error::StateError;
use crate::keys::{LogTerm, Row, fingerprint, log_key};
use crate::types::StoredReceipt;

/// A log's place in its block: transaction index and index among the transaction's logs.
pub(crate) type Position = (u32, u32);

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

/// Appends a row's positions, in order.
pub(crate) fn decode_positions(row: &[u8], out: &mut Vec<Position>) -> Result<(), StateError> {
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
