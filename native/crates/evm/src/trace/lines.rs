//! geth's standard trace: one line of JSON per instruction and per end of a frame, written to a file as it happens.

use super::call_frames::status_text;
use super::options::TraceOptions;
use super::refunds::Refunds;
use super::struct_log::{error_text, handed_to_creation, op_name};
use crate::json::push_hex;
use revm::bytecode::opcode;
use revm::interpreter::interpreter_types::{Jumps as _, ReturnData as _};
use revm::interpreter::{InstructionResult, Interpreter, InterpreterAction, InterpreterResult};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};

struct Pending {
    op: u8,
    pc: usize,
    gas: u64,
    depth: usize,
    refund: u64,
    stack_len: usize,
    /// Memory, stack and return data as the line shows them.
    middle: String,
}

/// The writer of one transaction's lines.
pub(super) struct LineLogger {
    options: TraceOptions,
    out: BufWriter<File>,
    bytes: usize,
    refunds: Refunds,
    pending: Option<Pending>,
    /// What the last instruction that failed failed with.
    last_fault: Option<String>,
    failed: Option<io::Error>,
}

impl LineLogger {
    /// Appends to a file that exists.
    pub(super) fn new(options: &TraceOptions, file: &str) -> Result<Self, String> {
        let file = OpenOptions::new().append(true).open(file);
        Ok(Self {
            options: options.clone(),
            out: BufWriter::with_capacity(1 << 16, file.map_err(unwritable)?),
            bytes: 0,
            refunds: Refunds::default(),
            pending: None,
            last_fault: None,
            failed: None,
        })
    }

    /// Bytes written.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }

    /// A frame begins.
    pub(super) fn enter(&mut self) {
        self.refunds.enter();
    }

    /// A frame ends: a line of its own.
    pub(super) fn exit(&mut self, result: &InterpreterResult) {
        self.refunds.exit();
        let mut line = String::from("{\"output\":\"");
        push_hex(&mut line, &result.output);
        // A frame that halts loses all it has.
        let used = if result.is_halt() {
            result.gas.limit()
        } else {
            result.gas.total_gas_spent()
        };
        let _ = write!(line, "\",\"gasUsed\":\"{used:#x}\"");
        let fault = match result.result {
            InstructionResult::StackUnderflow
            | InstructionResult::OpcodeNotFound
            | InstructionResult::NotActivated => self.last_fault.take(),
            other => status_text(other),
        };
        if let Some(fault) = fault {
            let _ = write!(line, ",\"error\":\"{fault}\"");
        }
        line.push('}');
        self.write(&line);
    }

    /// A contract destroys itself: geth ends a frame of its own for it.
    pub(super) fn destroyed(&mut self) {
        self.write("{\"output\":\"\",\"gasUsed\":\"0x0\"}");
    }

    /// Before an instruction.
    pub(super) fn step(&mut self, interp: &Interpreter, depth: usize) {
        self.refunds.see(interp);
        let stack = interp.stack.data();
        self.pending = Some(Pending {
            op: interp.bytecode.opcode(),
            pc: interp.bytecode.pc(),
            gas: interp.gas.remaining(),
            depth,
            refund: self.refunds.total(),
            stack_len: stack.len(),
            middle: self.middle(interp, self.options.enable_return_data),
        });
    }

    fn middle(&self, interp: &Interpreter, with_return_data: bool) -> String {
        let memory = interp.memory.context_memory();
        let mut text = String::new();
        if self.options.enable_memory && !memory.is_empty() {
            text.push_str(",\"memory\":\"0x");
            push_hex(&mut text, &memory);
            text.push('"');
        }
        let _ = write!(text, ",\"memSize\":{},\"stack\":", memory.len());
        if self.options.disable_stack {
            text.push_str("null");
        } else {
            text.push('[');
            for (index, word) in interp.stack.data().iter().enumerate() {
                let comma = if index == 0 { "" } else { "," };
                let _ = write!(text, "{comma}\"{word:#x}\"");
            }
            text.push(']');
        }
        if with_return_data && !interp.return_data.buffer().is_empty() {
            text.push_str(",\"returnData\":\"0x");
            push_hex(&mut text, interp.return_data.buffer());
            text.push('"');
        }
        text
    }

    /// After an instruction.
    pub(super) fn step_end(&mut self, interp: &Interpreter) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        self.refunds.see(interp);
        let refund = match pending.op {
            // The rules of SSTORE count its refund before it is shown.
            opcode::SSTORE => self.refunds.total(),
            _ => pending.refund,
        };
        let cost = pending
            .gas
            .saturating_sub(interp.gas.remaining())
            .saturating_sub(handed_to_creation(interp));
        let ended = interp
            .bytecode
            .action
            .as_ref()
            .and_then(InterpreterAction::instruction_result);
        let unstarted = ended.and_then(|result| error_text(result, pending.op, pending.stack_len));
        self.write(&line_of(&pending, cost, refund, unstarted.as_deref()));
        if unstarted.is_some() {
            self.last_fault = unstarted;
            return;
        }
        // What fails while it runs is shown twice: as it starts, and as it fails, with what it left of the stack.
        let Some(fault) = ended.and_then(|result| running_fault(result, pending.op)) else {
            return;
        };
        let failed = Pending {
            middle: self.middle(interp, false),
            ..pending
        };
        self.write(&line_of(&failed, cost, refund, Some(&fault)));
        self.last_fault = Some(fault);
    }

    fn write(&mut self, line: &str) {
        self.bytes = self.bytes.saturating_add(line.len() + 1);
        let written = self
            .out
            .write_all(line.as_bytes())
            .and_then(|()| self.out.write_all(b"\n"));
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }

    /// Whether everything is in the file.
    pub(super) fn finish(mut self) -> Result<String, String> {
        match self.failed.take().map_or_else(|| self.out.flush(), Err) {
            Ok(()) => Ok("true".to_owned()),
            Err(error) => Err(unwritable(error)),
        }
    }
}

fn unwritable(error: io::Error) -> String {
    let reason = match error.kind() {
        io::ErrorKind::StorageFull => "no space left",
        _ => "not permitted",
    };
    format!("could not write file: {reason}")
}

fn line_of(pending: &Pending, cost: u64, refund: u64, error: Option<&str>) -> String {
    let Pending {
        op,
        pc,
        gas,
        depth,
        middle,
        ..
    } = pending;
    let name = op_name(*op);
    let mut text = String::with_capacity(middle.len() + 160);
    let _ = write!(
        text,
        "{{\"pc\":{pc},\"op\":{op},\"gas\":\"{gas:#x}\",\"gasCost\":\"{cost:#x}\"{middle},\"depth\":{depth},\"refund\":{refund},\"opName\":\"{name}\""
    );
    if let Some(error) = error {
        let _ = write!(text, ",\"error\":\"{error}\"");
    }
    text.push('}');
    text
}

/// geth's words for instructions that started and failed.
fn running_fault(result: InstructionResult, op: u8) -> Option<String> {
    match result {
        InstructionResult::OpcodeNotFound | InstructionResult::NotActivated => {
            Some(format!("invalid opcode: opcode {op:#x} not defined"))
        }
        other => status_text(other),
    }
}
