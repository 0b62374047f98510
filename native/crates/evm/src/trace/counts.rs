//! Small tracers: how often instructions run, alone and in sequence, and what was hashed.

use super::struct_log::op_name;
use alloy_primitives::{B256, Bytes, U256, keccak256};
use revm::bytecode::opcode;
use revm::interpreter::Interpreter;
use revm::interpreter::interpreter_types::Jumps as _;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

/// Counts instructions, or sequences of them within one depth.
#[derive(Debug)]
pub(super) struct Counts {
    /// Instructions per sequence; 0 counts all as one.
    length: usize,
    total: u64,
    depth: usize,
    last: VecDeque<u8>,
    found: BTreeMap<Vec<Option<u8>>, u64>,
}

impl Counts {
    /// How many instructions run.
    pub(super) fn all() -> Self {
        Self::sequences(0)
    }

    /// How often each sequence of so many instructions runs.
    pub(super) fn sequences(length: usize) -> Self {
        Self {
            length,
            total: 0,
            depth: 0,
            last: VecDeque::new(),
            found: BTreeMap::new(),
        }
    }

    /// Before an instruction.
    pub(super) fn step(&mut self, interp: &Interpreter, depth: usize) {
        let op = interp.bytecode.opcode();
        self.total += 1;
        match self.length {
            0 => {}
            1 => *self.found.entry(vec![Some(op)]).or_default() += 1,
            length => {
                let same = depth == self.depth;
                self.depth = depth;
                if !same {
                    self.last.clear();
                    // The bigram after a change of depth begins with its first instruction, the trigram after it.
                    if length > 2 {
                        return;
                    }
                } else {
                    self.count(op, length);
                }
                self.last.push_back(op);
                if self.last.len() >= length {
                    self.last.pop_front();
                }
            }
        }
    }

    fn count(&mut self, op: u8, length: usize) {
        let absent = (length - 1).saturating_sub(self.last.len());
        let before = self.last.iter().copied().map(Some);
        let key = std::iter::repeat_n(None, absent).chain(before);
        let key = key.chain([Some(op)]).collect();
        *self.found.entry(key).or_default() += 1;
    }

    /// The counts by names joined with dashes.
    pub(super) fn finish(self) -> Value {
        if self.length == 0 {
            return json!(self.total);
        }
        let name = |op: &Option<u8>| op.map(op_name).unwrap_or_default();
        let named = |key: Vec<Option<u8>>| key.iter().map(name).collect::<Vec<_>>().join("-");
        let entries = self.found.into_iter();
        entries
            .map(|(key, count)| (named(key), json!(count)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

/// Longest hashed data that is kept; memory beyond its end counts as zeros.
const MOST_PREIMAGE: usize = 1 << 20;

/// What KECCAK256 hashed, by hash.
#[derive(Debug, Default)]
pub(super) struct Preimages {
    found: BTreeMap<B256, Bytes>,
    bytes: usize,
}

impl Preimages {
    /// Bytes held.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }

    /// Before an instruction.
    pub(super) fn step(&mut self, interp: &Interpreter) {
        if interp.bytecode.opcode() != opcode::KECCAK256 {
            return;
        }
        let [.., length, offset] = interp.stack.data().as_slice() else {
            return;
        };
        let Some(data) = padded(&interp.memory.context_memory(), offset, length) else {
            return;
        };
        let size = data.len() + 64;
        if self.found.insert(keccak256(&data), data.into()).is_none() {
            self.bytes = self.bytes.saturating_add(size);
        }
    }

    /// The data by hash.
    pub(super) fn finish(self) -> BTreeMap<B256, Bytes> {
        self.found
    }
}

fn padded(memory: &[u8], offset: &U256, length: &U256) -> Option<Vec<u8>> {
    let offset = usize::try_from(*offset).ok()?;
    let length = usize::try_from(*length).ok()?;
    let end = offset.checked_add(length)?;
    if end.saturating_sub(memory.len()) > MOST_PREIMAGE {
        return None;
    }
    let present = memory
        .get(offset..end.min(memory.len()))
        .unwrap_or_default();
    let mut data = present.to_vec();
    data.resize(length, 0);
    Some(data)
}
