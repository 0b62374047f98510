//! Runs small enough for the thread that serves requests, where crossing to another one would cost more than the run.
//! Every instruction is paid for by the work it may do; a run that cannot pay is given up and done again elsewhere.

use crate::call::CallRequest;
use crate::deadline::DEADLINE_PASSED;
use crate::last_step::LastStep;
use alloy_primitives::U256;
use revm::Inspector;
use revm::bytecode::opcode;
use revm::context_interface::ContextTr;
use revm::context_interface::context::ContextError;
use revm::interpreter::Interpreter;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::interpreter_types::{Jumps as _, MemoryTr as _};

/// What a small run may spend: about as many plain instructions, some 50 µs.
const ALLOWANCE: u32 = 6_000;
/// An instruction that may read the disk or hash.
const READ: u32 = 60;
/// Bytes that an instruction copies or hashes for one unit.
const BYTES_PER_UNIT: u32 = 64;
/// A memory above this is not small.
const MAX_MEMORY: usize = 256 * 1024;
const MAX_DATA: usize = 8 * 1024;
const MAX_ACCESS_LIST: usize = 8;

/// Whether a message may be tried as a small run at all: nothing outside its code costs much.
pub(crate) fn may_be_small(request: &CallRequest) -> bool {
    request.to.is_some()
        && request.authorizations.is_none()
        && request.data.len() <= MAX_DATA
        && request.access_list.0.len() <= MAX_ACCESS_LIST
        && request.overrides.is_empty()
}

/// Watches a run: always its last instruction, and what it spends where it must be small.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    /// The instruction begun last.
    pub last: LastStep,
    left: Option<u32>,
}

impl Steps {
    /// Of a small run.
    pub(crate) fn small() -> Self {
        Self {
            left: Some(ALLOWANCE),
            ..Self::default()
        }
    }

    /// Whether runs must be small.
    pub(crate) fn is_small(&self) -> bool {
        self.left.is_some()
    }
}

/// What a message came to under [`Steps`].
#[derive(Debug)]
pub(crate) struct Stepped<T> {
    /// Means nothing when given up.
    pub outcome: T,
    /// A run that had to be small was not.
    pub given_up: bool,
}

impl<T> Stepped<T> {
    /// Of a message that never ran.
    pub(crate) fn without_run(outcome: T) -> Self {
        let given_up = false;
        Self { outcome, given_up }
    }

    /// The outcome of runs that were small enough.
    pub(crate) fn unless_given_up(self) -> Option<T> {
        (!self.given_up).then_some(self.outcome)
    }
}

impl<CTX: ContextTr> Inspector<CTX, EthInterpreter> for Steps {
    fn step(&mut self, interpreter: &mut Interpreter<EthInterpreter>, context: &mut CTX) {
        self.last.see(interpreter);
        let Some(left) = self.left else { return };
        let price = price(interpreter);
        self.left = Some(left.saturating_sub(price));
        if left < price || interpreter.memory.size() > MAX_MEMORY {
            *context.error() = Err(ContextError::Custom(DEADLINE_PASSED.to_owned()));
            interpreter.halt_fatal();
        }
    }
}

/// Units of the instruction about to run.
fn price(interpreter: &Interpreter<EthInterpreter>) -> u32 {
    let sized = |depth: usize| READ.saturating_add(size(interpreter, depth) / BYTES_PER_UNIT);
    match interpreter.bytecode.opcode() {
        opcode::SLOAD | opcode::SSTORE | opcode::BALANCE | opcode::BLOCKHASH | opcode::EXP => READ,
        opcode::EXTCODESIZE | opcode::EXTCODEHASH | opcode::SELFBALANCE => READ,
        opcode::CALL | opcode::CALLCODE | opcode::DELEGATECALL | opcode::STATICCALL => 4 * READ,
        opcode::CREATE | opcode::CREATE2 | opcode::SELFDESTRUCT => u32::MAX,
        opcode::KECCAK256 | opcode::RETURN | opcode::REVERT => sized(1),
        opcode::LOG0..=opcode::LOG4 => sized(1),
        opcode::CALLDATACOPY | opcode::CODECOPY | opcode::RETURNDATACOPY | opcode::MCOPY => {
            sized(2)
        }
        opcode::EXTCODECOPY => sized(3),
        _ => 1,
    }
}

/// A size on the stack, `depth` words below its top; an absent one fails by itself.
fn size(interpreter: &Interpreter<EthInterpreter>, depth: usize) -> u32 {
    let words = interpreter.stack.data();
    let word = words
        .len()
        .checked_sub(depth + 1)
        .and_then(|at| words.get(at))
        .unwrap_or(&U256::ZERO);
    u32::try_from(*word).unwrap_or(u32::MAX)
}
