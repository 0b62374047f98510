//! The words of call frames that went wrong: geth's instead of the inspector's.

use alloy_rpc_types_trace::geth::CallFrame;
use revm::bytecode::opcode::OpCode;
use revm::interpreter::interpreter_types::Jumps as _;
use revm::interpreter::{InstructionResult, Interpreter, InterpreterAction};
use std::collections::VecDeque;

/// Faults whose text needs the instruction: stack underflows and undefined instructions, in the order frames ended.
#[derive(Debug, Default)]
pub struct Faults {
    /// Instruction and stack height before it.
    current: (u8, usize),
    texts: VecDeque<String>,
}

/// geth's text of a stack that is too short.
pub fn underflow_text(op: u8, stack_len: usize) -> String {
    let needed = OpCode::new(op).map_or(1, |known| usize::from(known.inputs()));
    format!("stack underflow ({stack_len} <=> {needed})")
}

impl Faults {
    /// Before an instruction.
    pub fn step(&mut self, interp: &Interpreter) {
        self.current = (interp.bytecode.opcode(), interp.stack.len());
    }

    /// After an instruction.
    pub fn step_end(&mut self, interp: &Interpreter) {
        let result = interp
            .bytecode
            .action
            .as_ref()
            .and_then(InterpreterAction::instruction_result);
        let (op, stack_len) = self.current;
        match result {
            Some(InstructionResult::StackUnderflow) => {
                self.texts.push_back(underflow_text(op, stack_len));
            }
            Some(InstructionResult::OpcodeNotFound | InstructionResult::NotActivated) => {
                self.texts
                    .push_back(format!("invalid opcode: opcode {op:#x} not defined"));
            }
            _ => {}
        }
    }

    /// Replaces the texts in a tree of frames, children first.
    pub fn apply(&mut self, frame: &mut CallFrame) {
        for call in &mut frame.calls {
            self.apply(call);
        }
        let Some(error) = &mut frame.error else {
            return;
        };
        match error.as_str() {
            "StackUnderflow" | "invalid opcode" | "NotActivated" | "OpcodeNotFound" => {
                if let Some(text) = self.texts.pop_front() {
                    *error = text;
                }
            }
            other => {
                if let Some(text) = geth_text(other) {
                    *error = text.to_owned();
                }
            }
        }
    }
}

fn geth_text(inspector: &str) -> Option<&'static str> {
    Some(match inspector {
        "Out of stack" => "stack limit reached 1024 (1023)",
        "OutOfOffset" => "return data out of bounds",
        "StateChangeDuringStaticCall" | "CallNotAllowedInsideStatic" => "write protection",
        "CreateCollision" => "contract address collision",
        "CreateContractSizeLimit" => "max code size exceeded",
        "CreateContractStartingWithEF" => "invalid code: must not begin with 0xef",
        "CreateInitCodeSizeLimit" => "max initcode size exceeded",
        "CallTooDeep" => "max call depth exceeded",
        "NonceOverflow" => "nonce uint64 overflow",
        "out of gas: out of memory" | "out of gas: reach memory limit" => "out of gas",
        "out of gas: invalid operand" => "gas uint64 overflow",
        _ => return None,
    })
}

/// Parity's words of a failed frame as geth's flat tracer spells them.
pub fn flat_text(parity: &str) -> Option<&'static str> {
    Some(match parity {
        "Reverted" => "execution reverted",
        "Out of gas" => "out of gas",
        "Bad instruction" => "invalid opcode",
        "Bad jump destination" => "invalid jump destination",
        "Out of stack" => "stack limit reached 1024 (1023)",
        "Built-in failed" => "precompiled failed",
        "Insufficient balance for transfer" => "insufficient balance for transfer",
        _ => return None,
    })
}
