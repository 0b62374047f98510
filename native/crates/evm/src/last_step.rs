//! Remembers the last instruction of a run. A halt by stack or opcode is told by geth with its operands, which the EVM
//! does not report: such a call runs once more under this watcher.

use crate::texts::halt_text;
use revm::Inspector;
use revm::bytecode::{OpCode, opcode};
use revm::context::result::HaltReason;
use revm::interpreter::Interpreter;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::interpreter_types::Jumps as _;

const STACK_LIMIT: usize = 1024;
/// Largest deployed code in bytes (EIP-170).
const MAX_CODE_SIZE: usize = 24_576;

/// The instruction begun last, and the stack's height before it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LastStep {
    opcode: u8,
    stack: usize,
    /// Bytes a `RETURN` hands over.
    returned: u64,
}

impl<CTX> Inspector<CTX, EthInterpreter> for LastStep {
    fn step(&mut self, interpreter: &mut Interpreter<EthInterpreter>, _: &mut CTX) {
        self.see(interpreter);
    }
}

impl LastStep {
    /// Remembers the instruction about to run.
    pub(crate) fn see(&mut self, interpreter: &Interpreter<EthInterpreter>) {
        self.opcode = interpreter.bytecode.opcode();
        self.stack = interpreter.stack.len();
        if self.opcode == opcode::RETURN {
            let length = interpreter.stack.peek(1).unwrap_or_default();
            self.returned = length.saturating_to();
        }
    }

    /// geth's text of the halt of a run that was watched.
    pub(crate) fn halt(&self, reason: &HaltReason) -> String {
        if Self::explains(reason) {
            self.text(reason)
        } else {
            halt_text(reason)
        }
    }

    /// Whether geth tells this halt with operands.
    pub(crate) fn explains(reason: &HaltReason) -> bool {
        matches!(
            reason,
            HaltReason::StackUnderflow
                | HaltReason::StackOverflow
                | HaltReason::OpcodeNotFound
                | HaltReason::CreateContractSizeLimit
                | HaltReason::NotActivated
        )
    }

    /// geth's text of a halt that [`Self::explains`] names.
    pub(crate) fn text(&self, reason: &HaltReason) -> String {
        let (pops, pushes) = OpCode::new(self.opcode).map_or((0, 0), |code| {
            (usize::from(code.inputs()), usize::from(code.outputs()))
        });
        match reason {
            // The EVM tells a DUP of too few words as an overflow.
            HaltReason::StackUnderflow | HaltReason::StackOverflow if self.stack < pops => {
                format!("stack underflow ({} <=> {pops})", self.stack)
            }
            HaltReason::StackUnderflow | HaltReason::StackOverflow => format!(
                "stack limit reached {} ({})",
                self.stack,
                (STACK_LIMIT + pops).saturating_sub(pushes)
            ),
            HaltReason::CreateContractSizeLimit => format!(
                "max code size exceeded: code size {} limit {MAX_CODE_SIZE}",
                self.returned
            ),
            _ => format!("invalid opcode: opcode {:#x} not defined", self.opcode),
        }
    }
}
