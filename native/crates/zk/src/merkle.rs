//! The batch tree: RFC 6962 over SHA-256 (leaf `00 ‖ preimage`, node `01 ‖ left ‖ right`).

use crate::hash::sha256;

/// H(0x00 ‖ preimage).
pub(crate) fn leaf(preimage: &[u8]) -> [u8; 32] {
    sha256(&[&[0], preimage])
}

/// The leaf of a slot that is excluded; it keeps its index.
pub(crate) fn excluded_leaf() -> [u8; 32] {
    leaf(b"excluded")
}

/// Root over leaves that are hashes already; of none, the hash of nothing (RFC 6962).
///
/// Joining neighbours level by level and carrying an odd last one up gives the tree of the RFC's split at the largest
/// power of two.
pub(crate) fn root(leaves: Vec<[u8; 32]>) -> [u8; 32] {
    let mut level = leaves;
    while level.len() > 1 {
        let (pairs, rest) = level.as_chunks::<2>();
        level = pairs
            .iter()
            .map(|[left, right]| sha256(&[&[1], left, right]))
            .chain(rest.iter().copied())
            .collect();
    }
    level.first().copied().unwrap_or_else(|| sha256(&[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6962 section 2.1, word for word.
    fn by_definition(leaves: &[[u8; 32]]) -> [u8; 32] {
        match leaves {
            [] => sha256(&[]),
            [leaf] => *leaf,
            _ => {
                let split = leaves.len().next_power_of_two() / 2;
                let (left, right) = leaves.split_at(split);
                sha256(&[&[1], &by_definition(left), &by_definition(right)])
            }
        }
    }

    #[test]
    fn the_root_is_that_of_the_rfc() {
        for size in 0..70_u8 {
            let leaves: Vec<_> = (0..size).map(|i| leaf(&[i])).collect();
            assert_eq!(
                root(leaves.clone()),
                by_definition(&leaves),
                "{size} leaves"
            );
        }
    }
}
