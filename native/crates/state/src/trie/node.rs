//! Trie nodes in memory and their canonical RLP (Yellow Paper, appendix D). A parent holds each child's reference (hash,
//! or the node itself when its RLP is shorter than 32 bytes) and the number under which the child is stored; how nodes
//! are stored is not known here. Keys of one trie have equal length, so branches carry no value.

use alloy_primitives::{B256, keccak256};
use alloy_rlp::{EMPTY_STRING_CODE, Encodable, Header};
use alloy_trie::Nibbles;

/// Where a node is stored: block number + 1 in the upper 40 bits, lane and sequence in the lower 24. Zero is no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct NodeId(pub(crate) u64);

impl NodeId {
    /// No node.
    pub(crate) const NONE: Self = Self(0);
    const SEQUENCE_BITS: u32 = 23;
    /// Nodes that one lane of one block can number.
    pub(crate) const MAX_SEQUENCE: usize = 1 << Self::SEQUENCE_BITS;

    pub(crate) fn new(epoch: u64, lane: usize, sequence: usize) -> Self {
        Self(
            (epoch << (Self::SEQUENCE_BITS + 1))
                | ((lane as u64) << Self::SEQUENCE_BITS)
                | sequence as u64,
        )
    }

    /// Block number + 1 of the block that created the node.
    pub(crate) fn epoch(self) -> u64 {
        self.0 >> (Self::SEQUENCE_BITS + 1)
    }

    /// Which of the block's two builders made it.
    pub(crate) fn lane(self) -> usize {
        ((self.0 >> Self::SEQUENCE_BITS) & 1) as usize
    }

    /// Its number within the lane.
    pub(crate) fn sequence(self) -> usize {
        (self.0 & (Self::MAX_SEQUENCE as u64 - 1)) as usize
    }
}

/// Root of a trie: its hash and where the root node is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) hash: B256,
    pub(crate) id: NodeId,
}

impl Root {
    /// Of a trie without keys.
    pub(crate) const EMPTY: Self = Self {
        hash: alloy_trie::EMPTY_ROOT_HASH,
        id: NodeId::NONE,
    };
}

/// A parent's view of a child: what it contributes to the parent's RLP, and where it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Child {
    pub(crate) id: NodeId,
    length: u8,
    bytes: [u8; 32],
}

impl Child {
    /// A child by the RLP of its node: its hash, or the RLP itself below 32 bytes.
    pub(crate) fn of(rlp: &[u8], id: NodeId) -> Self {
        let embedded = if rlp.len() < 32 {
            Self::from_reference(rlp, id)
        } else {
            None
        };
        embedded.unwrap_or_else(|| Self {
            id,
            length: 32,
            bytes: keccak256(rlp).0,
        })
    }

    /// A child by its stored reference: 32 bytes are a hash, fewer an embedded node.
    pub(crate) fn from_reference(reference: &[u8], id: NodeId) -> Option<Self> {
        let mut bytes = [0; 32];
        bytes.get_mut(..reference.len())?.copy_from_slice(reference);
        Some(Self {
            id,
            length: reference.len() as u8,
            bytes,
        })
    }

    /// The hash (32 bytes) or the embedded node's RLP.
    pub(crate) fn reference(&self) -> &[u8] {
        self.bytes
            .get(..usize::from(self.length))
            .unwrap_or(&self.bytes)
    }

    /// Whether the node stands inside its parent's RLP.
    pub(crate) fn is_embedded(&self) -> bool {
        self.length < 32
    }

    fn rlp_length(&self) -> usize {
        if self.is_embedded() {
            usize::from(self.length)
        } else {
            33
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        if !self.is_embedded() {
            out.push(EMPTY_STRING_CODE + 32);
        }
        out.extend_from_slice(self.reference());
    }
}

/// The children of a branch: one per set bit of the mask, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    pub(crate) mask: u16,
    pub(crate) children: Box<[Child]>,
}

impl Branch {
    /// The child at a nibble.
    pub(crate) fn child(&self, nibble: u8) -> Option<&Child> {
        let bit = 1u16.checked_shl(u32::from(nibble))?;
        if self.mask & bit == 0 {
            return None;
        }
        self.children
            .get((self.mask & (bit - 1)).count_ones() as usize)
    }
}

/// What a leaf holds: bytes (themselves RLP) and, for accounts, where the storage trie's root node is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeafValue {
    pub(crate) bytes: Box<[u8]>,
    pub(crate) link: NodeId,
}

/// A trie node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Leaf { path: Nibbles, value: LeafValue },
    Extension { path: Nibbles, child: Child },
    Branch(Branch),
}

impl Node {
    /// Appends the node's RLP.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Leaf { path, value } => {
                let key = hex_prefix(path, true);
                let payload_length = key.as_slice().length() + value.bytes.as_ref().length();
                Header {
                    list: true,
                    payload_length,
                }
                .encode(out);
                key.as_slice().encode(out);
                value.bytes.as_ref().encode(out);
            }
            Self::Extension { path, child } => {
                let key = hex_prefix(path, false);
                Header {
                    list: true,
                    payload_length: key.as_slice().length() + child.rlp_length(),
                }
                .encode(out);
                key.as_slice().encode(out);
                child.encode(out);
            }
            Self::Branch(branch) => encode_branch(branch, out),
        }
    }

    /// The node's RLP.
    pub(crate) fn to_rlp(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(544);
        self.encode(&mut out);
        out
    }

    /// Approximate memory of the node, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let own = std::mem::size_of::<Self>() + 64;
        match self {
            Self::Leaf { value, .. } => own + value.bytes.len(),
            Self::Extension { .. } => own,
            Self::Branch(branch) => own + std::mem::size_of_val(branch.children.as_ref()),
        }
    }
}

fn encode_branch(branch: &Branch, out: &mut Vec<u8>) {
    let absent = 17 - branch.children.len();
    let payload_length = absent + branch.children.iter().map(Child::rlp_length).sum::<usize>();
    Header {
        list: true,
        payload_length,
    }
    .encode(out);
    for nibble in 0..16 {
        match branch.child(nibble) {
            Some(child) => child.encode(out),
            None => out.push(EMPTY_STRING_CODE),
        }
    }
    out.push(EMPTY_STRING_CODE);
}

/// Hex-prefix encoding of a path (Yellow Paper, appendix C).
fn hex_prefix(path: &Nibbles, leaf: bool) -> Vec<u8> {
    let odd = path.len() % 2 == 1;
    let flag = (u8::from(leaf) << 5) | (u8::from(odd) << 4);
    let mut out = Vec::with_capacity(path.len() / 2 + 1);
    let mut nibbles = path.iter();
    out.push(if odd {
        flag | nibbles.next().unwrap_or(0)
    } else {
        flag
    });
    while let (Some(high), Some(low)) = (nibbles.next(), nibbles.next()) {
        out.push((high << 4) | low);
    }
    out
}
