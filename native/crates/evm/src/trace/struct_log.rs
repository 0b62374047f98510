//! geth's struct logger: one JSON object per executed instruction, written as it happens.

use super::call_frames::underflow_text;
use super::options::TraceOptions;
use super::refunds::Refunds;
use crate::json::push_hex;
use alloy_primitives::map::HashMap;
use alloy_primitives::{Address, U256};
use revm::bytecode::opcode::{self, OpCode};
use revm::context::result::{ExecutionResult, HaltReason};
use revm::interpreter::interpreter_types::{Jumps as _, ReturnData as _};
use revm::interpreter::{FrameInput, InstructionResult, Interpreter, InterpreterAction};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

struct Pending {
    op: u8,
    gas: u64,
    depth: usize,
    refund: u64,
    stack_len: usize,
    /// Key and value of an SSTORE, key of an SLOAD.
    slot: Option<(U256, U256)>,
}

/// The logs of one run.
pub(super) struct StructLogger {
    options: TraceOptions,
    text: String,
    /// How many logs there are.
    count: usize,
    storage: HashMap<Address, BTreeMap<U256, U256>>,
    refunds: Refunds,
    pending: Option<Pending>,
}

impl StructLogger {
    /// Starts empty.
    pub(super) fn new(options: &TraceOptions) -> Self {
        Self {
            options: options.clone(),
            text: String::with_capacity(4096),
            count: 0,
            storage: HashMap::default(),
            refunds: Refunds::default(),
            pending: None,
        }
    }

    /// Bytes held.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// A frame begins.
    pub(super) fn enter(&mut self) {
        self.refunds.enter();
    }

    /// A frame ends.
    pub(super) fn exit(&mut self) {
        self.refunds.exit();
    }

    /// Before an instruction.
    pub(super) fn step(&mut self, interp: &Interpreter, depth: usize) {
        self.refunds.see(interp);
        let commas = self.count.saturating_sub(1);
        if self.options.limit != 0 && self.text.len() - commas > self.options.limit {
            return;
        }
        self.count += 1;
        let op = interp.bytecode.opcode();
        let stack = interp.stack.data();
        self.pending = Some(Pending {
            op,
            gas: interp.gas.remaining(),
            depth,
            refund: self.refunds.total(),
            stack_len: stack.len(),
            slot: slot_of(op, stack),
        });
        if !self.text.is_empty() {
            self.text.push(',');
        }
        let _ = write!(self.text, "{{\"pc\":{},\"op\":\"", interp.bytecode.pc());
        self.text.push_str(&op_name(op));
        let _ = write!(self.text, "\",\"gas\":{}", interp.gas.remaining());
        if !self.options.disable_stack {
            self.write_stack(stack);
        }
        if self.options.enable_memory {
            self.write_memory(&interp.memory.context_memory());
        }
        if self.options.enable_return_data && !interp.return_data.buffer().is_empty() {
            self.text.push_str(",\"returnData\":\"0x");
            push_hex(&mut self.text, interp.return_data.buffer());
            self.text.push('"');
        }
    }

    fn write_stack(&mut self, stack: &[U256]) {
        self.text.push_str(",\"stack\":[");
        for (index, word) in stack.iter().enumerate() {
            self.text
                .push_str(if index == 0 { "\"0x" } else { ",\"0x" });
            push_compact(&mut self.text, word);
            self.text.push('"');
        }
        self.text.push(']');
    }

    fn write_memory(&mut self, memory: &[u8]) {
        if memory.is_empty() {
            return;
        }
        self.text.push_str(",\"memory\":[");
        for (index, word) in memory.chunks(32).enumerate() {
            self.text
                .push_str(if index == 0 { "\"0x" } else { ",\"0x" });
            push_hex(&mut self.text, word);
            self.text.push('"');
        }
        self.text.push(']');
    }

    /// After an instruction.
    pub(super) fn step_end(&mut self, interp: &Interpreter) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        let before = pending.refund;
        self.refunds.see(interp);
        // The rules of SSTORE count its refund before it is shown.
        let refund = if pending.op == opcode::SSTORE {
            self.refunds.total()
        } else {
            before
        };
        let ended = interp
            .bytecode
            .action
            .as_ref()
            .and_then(InterpreterAction::instruction_result);
        let cost = pending
            .gas
            .saturating_sub(interp.gas.remaining())
            .saturating_sub(handed_to_creation(interp));
        let _ = write!(self.text, ",\"gasCost\":{cost},\"depth\":{}", pending.depth);
        if let Some(error) =
            ended.and_then(|result| error_text(result, pending.op, pending.stack_len))
        {
            let _ = write!(self.text, ",\"error\":\"{error}\"");
        }
        if refund != 0 {
            let _ = write!(self.text, ",\"refund\":{refund}");
        }
        if let Some(slot) = pending.slot
            && !self.options.disable_storage
        {
            self.write_storage(interp, pending.op, slot);
        }
        self.text.push('}');
    }

    fn write_storage(&mut self, interp: &Interpreter, op: u8, (key, written): (U256, U256)) {
        let value = if op == opcode::SLOAD {
            interp.stack.data().last().copied().unwrap_or_default()
        } else {
            written
        };
        let slots = self.storage.entry(interp.input.target_address).or_default();
        slots.insert(key, value);
        self.text.push_str(",\"storage\":{");
        for (index, (key, value)) in slots.iter().enumerate() {
            self.text
                .push_str(if index == 0 { "\"0x" } else { ",\"0x" });
            push_hex(&mut self.text, &key.to_be_bytes::<32>());
            self.text.push_str("\":\"0x");
            push_hex(&mut self.text, &value.to_be_bytes::<32>());
            self.text.push('"');
        }
        self.text.push('}');
    }

    /// The whole result.
    pub(super) fn finish(self, result: &ExecutionResult<HaltReason>) -> String {
        let mut out = String::with_capacity(self.text.len() + 256);
        let output = result.output().map(|output| output.as_ref());
        let _ = write!(
            out,
            "{{\"gas\":{},\"failed\":{},\"returnValue\":\"0x",
            result.tx_gas_used(),
            !result.is_success()
        );
        push_hex(&mut out, output.unwrap_or_default());
        out.push_str("\",\"structLogs\":[");
        out.push_str(&self.text);
        out.push_str("]}");
        out
    }
}

/// geth's name of an instruction.
pub(super) fn op_name(op: u8) -> Cow<'static, str> {
    match OpCode::new(op) {
        Some(known) => Cow::Borrowed(known.as_str()),
        None => Cow::Owned(format!("opcode {op:#x} not defined")),
    }
}

/// Gas that went to the init code of a creation is no cost of the instruction.
pub(super) fn handed_to_creation(interp: &Interpreter) -> u64 {
    match &interp.bytecode.action {
        Some(InterpreterAction::NewFrame(FrameInput::Create(inputs))) => inputs.gas_limit(),
        _ => 0,
    }
}

/// geth's words for instructions that could not be executed at all.
pub(super) fn error_text(result: InstructionResult, op: u8, stack_len: usize) -> Option<String> {
    Some(match result {
        InstructionResult::OutOfGas
        | InstructionResult::MemoryOOG
        | InstructionResult::MemoryLimitOOG => "out of gas".to_owned(),
        InstructionResult::ReentrancySentryOOG => {
            "out of gas: not enough gas for reentrancy sentry".to_owned()
        }
        InstructionResult::InvalidOperandOOG => "gas uint64 overflow".to_owned(),
        InstructionResult::StackUnderflow => underflow_text(op, stack_len),
        InstructionResult::StackOverflow => "stack limit reached 1024 (1023)".to_owned(),
        InstructionResult::StateChangeDuringStaticCall
        | InstructionResult::CallNotAllowedInsideStatic => "write protection".to_owned(),
        _ => return None,
    })
}

fn push_compact(text: &mut String, word: &U256) {
    let _ = write!(text, "{word:x}");
}

/// The slot an instruction is about to read or write, and what it writes.
fn slot_of(op: u8, stack: &[U256]) -> Option<(U256, U256)> {
    let top = |place: usize| stack.get(stack.len().checked_sub(place)?).copied();
    match op {
        opcode::SLOAD => Some((top(1)?, U256::ZERO)),
        opcode::SSTORE => top(1).zip(top(2)),
        _ => None,
    }
}
