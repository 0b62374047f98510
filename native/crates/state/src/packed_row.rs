//! Several consecutive items in one row: their count, where each ends, then the items. Fewer, larger rows cost the
//! storage engine less, and one item is still read without decoding the others.

use crate::bytes_reader::BytesReader;
use crate::error::StateError;

/// Items per row; item `index` stands in row `index / ITEMS` at `index % ITEMS`.
pub(crate) const ITEMS: usize = 16;

/// A row of at most [`ITEMS`] items, each appended by `encode`.
pub(crate) fn pack<T>(
    items: &[T],
    mut encode: impl FnMut(&T, &mut Vec<u8>),
) -> Result<Vec<u8>, StateError> {
    let mut bodies = Vec::with_capacity(4096);
    let mut row = Vec::with_capacity(4096 + 1 + 4 * ITEMS);
    row.push(items.len() as u8);
    for item in items {
        encode(item, &mut bodies);
        let end = u32::try_from(bodies.len()).map_err(|_| StateError::TooLarge("row"))?;
        row.extend_from_slice(&end.to_be_bytes());
    }
    row.extend_from_slice(&bodies);
    Ok(row)
}

/// How many items a row has.
pub(crate) fn count(row: &[u8]) -> usize {
    row.first().copied().map_or(0, usize::from)
}

/// One item of a row; `None` when the row is shorter.
pub(crate) fn item(row: &[u8], slot: usize) -> Result<Option<&[u8]>, StateError> {
    let count = count(row);
    if slot >= count {
        return Ok(None);
    }
    let end_at =
        |index: usize| BytesReader::new(row.get(1 + 4 * index..).unwrap_or_default()).u32();
    let start = if slot == 0 {
        0
    } else {
        end_at(slot - 1)? as usize
    };
    let end = end_at(slot)? as usize;
    let bodies = row.get(1 + 4 * count..).unwrap_or_default();
    bodies
        .get(start..end)
        .map(Some)
        .ok_or_else(|| StateError::corrupt("packed row out of order"))
}
