//! The stored form of trie nodes. Nodes with consecutive numbers share a packed row, so that a block's nodes become few
//! rows in ascending order.

use std::sync::Arc;

use alloy_trie::Nibbles;

use super::node::{Branch, Child, LeafValue, Node, NodeId};
use crate::bytes_reader::BytesReader;
use crate::error::StateError;
use crate::packed_row;

const LEAF: u8 = 0;
const EXTENSION: u8 = 1;
const BRANCH: u8 = 2;
const LINKED_LEAF: u8 = 3;

/// Key of the row that holds a node: rows of one block are adjacent and ascend with the block number.
pub(crate) fn row_key(id: NodeId) -> [u8; 8] {
    (id.0 / packed_row::ITEMS as u64).to_be_bytes()
}

/// The rows of one lane of new nodes.
pub(crate) fn encode_rows(
    epoch: u64,
    lane: usize,
    nodes: &[Arc<Node>],
) -> impl Iterator<Item = Result<([u8; 8], Vec<u8>), StateError>> {
    nodes
        .chunks(packed_row::ITEMS)
        .enumerate()
        .map(move |(index, chunk)| {
            let key = row_key(NodeId::new(epoch, lane, index * packed_row::ITEMS));
            let row = packed_row::pack(chunk, |node, out| encode_node(node, out))?;
            Ok((key, row))
        })
}

/// The node with number `id` out of its row.
pub(crate) fn decode_from_row(id: NodeId, row: &[u8]) -> Result<Node, StateError> {
    let bytes = packed_row::item(row, id.sequence() % packed_row::ITEMS)?;
    decode_node(bytes.ok_or_else(|| StateError::corrupt("trie row lacks a node"))?)
}

fn encode_node(node: &Node, out: &mut Vec<u8>) {
    match node {
        Node::Leaf { path, value } => {
            out.push(if value.link == NodeId::NONE {
                LEAF
            } else {
                LINKED_LEAF
            });
            encode_path(path, out);
            if value.link != NodeId::NONE {
                out.extend_from_slice(&value.link.0.to_be_bytes());
            }
            out.extend_from_slice(&value.bytes);
        }
        Node::Extension { path, child } => {
            out.push(EXTENSION);
            encode_path(path, out);
            encode_child(child, out);
        }
        Node::Branch(branch) => {
            out.push(BRANCH);
            out.extend_from_slice(&branch.mask.to_be_bytes());
            for child in &branch.children {
                encode_child(child, out);
            }
        }
    }
}

fn encode_path(path: &Nibbles, out: &mut Vec<u8>) {
    out.push(path.len() as u8);
    out.extend_from_slice(&path.pack());
}

fn encode_child(child: &Child, out: &mut Vec<u8>) {
    out.push(child.reference().len() as u8);
    out.extend_from_slice(&child.id.0.to_be_bytes());
    out.extend_from_slice(child.reference());
}

fn decode_node(bytes: &[u8]) -> Result<Node, StateError> {
    let mut reader = BytesReader::new(bytes);
    match reader.byte()? {
        tag @ (LEAF | LINKED_LEAF) => {
            let path = decode_path(&mut reader)?;
            let link = if tag == LINKED_LEAF {
                NodeId(reader.u64()?)
            } else {
                NodeId::NONE
            };
            Ok(Node::Leaf {
                path,
                value: LeafValue {
                    bytes: reader.rest().into(),
                    link,
                },
            })
        }
        EXTENSION => Ok(Node::Extension {
            path: decode_path(&mut reader)?,
            child: decode_child(&mut reader)?,
        }),
        BRANCH => {
            let mask = reader.u16()?;
            let children = (0..mask.count_ones())
                .map(|_| decode_child(&mut reader))
                .collect::<Result<_, _>>()?;
            Ok(Node::Branch(Branch { mask, children }))
        }
        _ => Err(StateError::corrupt("unknown trie node kind")),
    }
}

fn decode_path(reader: &mut BytesReader<'_>) -> Result<Nibbles, StateError> {
    let length = usize::from(reader.byte()?);
    if length > 64 {
        return Err(StateError::corrupt("trie path too long"));
    }
    let mut path = Nibbles::unpack(reader.take(length.div_ceil(2))?);
    path.truncate(length);
    Ok(path)
}

fn decode_child(reader: &mut BytesReader<'_>) -> Result<Child, StateError> {
    let length = usize::from(reader.byte()?);
    let id = NodeId(reader.u64()?);
    Child::from_reference(reader.take(length)?, id)
        .ok_or_else(|| StateError::corrupt("trie reference too long"))
}
