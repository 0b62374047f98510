//! The words of call frames that went wrong: geth's instead of the inspector's.

use alloy_rpc_types_trace::geth::CallFrame;
use revm::bytecode::opcode::OpCode;
use revm::interpreter::interpreter_types::Jumps as _;
use revm::interpreter::{InstructionResult, Interpreter, InterpreterAction};
use revm_inspectors::tracing::types::CallTraceNode;
use std::collections::VecDeque;

/// Faults whose text needs the instruction: stack underflows and undefined instructions, in the order frames ended.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// Instruction and stack height before it.
    current: (u8, usize),
    texts: VecDeque<String>,
}

/// geth's text of a stack that is too short.
pub(super) fn underflow_text(op: u8, stack_len: usize) -> String {
    let needed = OpCode::new(op).map_or(1, |known| usize::from(known.inputs()));
    format!("stack underflow ({stack_len} <=> {needed})")
}

impl Faults {
    /// Before an instruction.
    pub(super) fn step(&mut self, interp: &Interpreter) {
        self.current = (interp.bytecode.opcode(), interp.stack.len());
    }

    /// After an instruction.
    pub(super) fn step_end(&mut self, interp: &Interpreter) {
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
    pub(super) fn apply(&mut self, frame: &mut CallFrame) {
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

/// geth drops all logs of a message that failed as a whole.
pub(super) fn drop_logs_of_failure(frame: &mut CallFrame) {
    fn drop_logs(frame: &mut CallFrame) {
        frame.logs.clear();
        frame.calls.iter_mut().for_each(drop_logs);
    }
    if frame.error.is_some() {
        drop_logs(frame);
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

/// What ended a frame, for geth's flat tracer; `None`: it did not fail.
pub(super) fn status_text(status: InstructionResult) -> Option<String> {
    if status.is_ok() {
        return None;
    }
    let text = match status {
        InstructionResult::Revert => "execution reverted",
        InstructionResult::OutOfGas
        | InstructionResult::MemoryOOG
        | InstructionResult::MemoryLimitOOG
        | InstructionResult::PrecompileOOG => "out of gas",
        InstructionResult::ReentrancySentryOOG => {
            "out of gas: not enough gas for reentrancy sentry"
        }
        InstructionResult::InvalidOperandOOG => "gas uint64 overflow",
        InstructionResult::InvalidFEOpcode => "invalid opcode: INVALID",
        InstructionResult::InvalidJump => "invalid jump destination",
        InstructionResult::StackOverflow => "stack limit reached 1024 (1023)",
        InstructionResult::OutOfFunds => "insufficient balance for transfer",
        InstructionResult::PrecompileError => "precompiled failed",
        other => {
            let name = format!("{other:?}");
            return Some(geth_text(&name).map_or(name, str::to_owned));
        }
    };
    Some(text.to_owned())
}

impl Faults {
    /// The texts of all failed frames, in the order of the frames.
    pub(super) fn texts(&mut self, nodes: &[CallTraceNode]) -> VecDeque<String> {
        let mut texts = vec![None; nodes.len()];
        // A frame's own fault comes after those of the frames within it.
        let mut open = vec![(0, false)];
        while let Some((index, seen)) = open.pop() {
            let Some(node) = nodes.get(index) else {
                continue;
            };
            if !seen {
                open.push((index, true));
                open.extend(node.children.iter().rev().map(|child| (*child, false)));
                continue;
            }
            let own = matches!(
                node.trace.status,
                Some(
                    InstructionResult::StackUnderflow
                        | InstructionResult::OpcodeNotFound
                        | InstructionResult::NotActivated
                )
            );
            let text = if own { self.texts.pop_front() } else { None };
            if let Some(place) = texts.get_mut(index) {
                *place = text.or_else(|| node.trace.status.and_then(status_text));
            }
        }
        texts.into_iter().flatten().collect()
    }
}
