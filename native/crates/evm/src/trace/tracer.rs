//! The inspector of one traced transaction, under a deadline and a budget of bytes. Owns stopping: a stopped run has no
//! trace and its changes are not kept.

use super::kind::Kind;
use super::options::TraceOptions;
use super::stage::Pile;
use crate::overlay::ReadError;
use alloy_primitives::{Address, B256, Log, U256};
use revm::context::result::ResultAndState;
use revm::context::{BlockEnv, ContextTr, JournalTr as _, TxEnv};
use revm::inspector::JournalExt;
use revm::interpreter::{
    CallInputs, CallOutcome, CreateInputs, CreateOutcome, InstructionResult, Interpreter,
    InterpreterAction,
};
use revm::{DatabaseRef, Inspector};
use std::time::Instant;

/// The answer when a trace outgrows its budget.
pub const TOO_LARGE: &str = "trace too large: use a limit, disable parts or choose another tracer";
const SCRIPT_LIMITS: &str =
    "tracer exceeds the limits of scripts    in server-side tracer function 'step'";
const TIMEOUT: &str = "execution timeout";

/// A transaction's trace is given up when it holds more than this.
const MOST_BYTES: usize = 128 << 20;
/// What a frame costs beside its data.
const FRAME_BYTES: usize = 512;
/// The clock is read once in this many steps.
const STEPS_PER_LOOK: u32 = 256;

/// What is traced, as far as it has a name.
#[derive(Debug, Clone, Copy, Default)]
pub struct Subject {
    /// Its block.
    pub block_hash: Option<B256>,
    /// Its hash.
    pub tx_hash: Option<B256>,
    /// Its place in the block.
    pub index: Option<usize>,
}

/// One tracer, for one run.
pub struct Tracer {
    kind: Kind,
    deadline: Instant,
    steps: u32,
    bytes: usize,
    stopped: Option<&'static str>,
}

impl Tracer {
    /// Looks at nothing.
    pub fn idle() -> Self {
        Self {
            kind: Kind::Noop,
            deadline: Instant::now(),
            steps: 0,
            bytes: 0,
            stopped: None,
        }
    }

    /// The tracer the options name; its time starts now.
    pub fn new(options: &TraceOptions) -> Result<Self, String> {
        Ok(Self {
            kind: Kind::of(options)?,
            deadline: Instant::now() + options.timeout(),
            ..Self::idle()
        })
    }

    /// Whether the run was cut short.
    pub fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    fn count(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > MOST_BYTES {
            self.stopped.get_or_insert(TOO_LARGE);
        }
    }

    /// Whether to go on; reads the clock now and then.
    fn look(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(STEPS_PER_LOOK) && Instant::now() > self.deadline {
            self.stopped.get_or_insert(TIMEOUT);
        }
        if let Kind::Struct(logger) = &self.kind
            && logger.len() > MOST_BYTES
        {
            self.stopped.get_or_insert(TOO_LARGE);
        }
        self.stopped.is_none()
    }

    /// The trace as JSON text, or why there is none.
    pub fn finish<D: DatabaseRef<Error = ReadError>>(
        self,
        subject: Subject,
        tx: &TxEnv,
        block: &BlockEnv,
        done: &ResultAndState,
        state: &Pile<D>,
    ) -> Result<String, String> {
        match self.stopped {
            Some(reason) => Err(reason.to_owned()),
            None => self.kind.finish(subject, tx, block, done, state),
        }
    }
}

fn ended_by_hook(interp: &Interpreter) -> bool {
    interp
        .bytecode
        .action
        .as_ref()
        .and_then(InterpreterAction::instruction_result)
        .is_some_and(|result| result == InstructionResult::Revert)
}

/// Calls one hook of every inspector of a tracer; struct logs and faults have their own.
macro_rules! each {
    ($kind:expr, $inspector:ident => $hook:expr) => {
        match $kind {
            Kind::Calls($inspector, ..) => $hook,
            Kind::Flat($inspector, ..) => $hook,
            Kind::Parity($inspector, _) => $hook,
            Kind::Script($inspector) => $hook,
            _ => {}
        }
    };
}

impl Kind {
    fn before<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        interp: &mut Interpreter,
        context: &mut CTX,
    ) {
        match self {
            Self::Struct(logger) => logger.step(interp, context.journal().depth()),
            Self::Calls(_, _, faults) | Self::Flat(_, _, faults) => faults.step(interp),
            Self::Parity(inspector, _) => inspector.step(interp, context),
            Self::Script(inspector) => inspector.step(interp, context),
            Self::Mux(parts) => {
                for (_, part) in parts {
                    part.before(interp, context);
                }
            }
            _ => {}
        }
    }

    fn after<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        interp: &mut Interpreter,
        context: &mut CTX,
    ) -> Result<(), &'static str> {
        match self {
            Self::Struct(logger) => logger.step_end(interp),
            Self::Calls(_, _, faults) | Self::Flat(_, _, faults) => faults.step_end(interp),
            Self::Parity(inspector, _) => inspector.step_end(interp, context),
            Self::Script(inspector) => {
                let open = interp.bytecode.action.is_none();
                inspector.step_end(interp, context);
                // The inspector ends a frame whose hook failed beyond catching.
                if open && ended_by_hook(interp) {
                    return Err(SCRIPT_LIMITS);
                }
            }
            Self::Mux(parts) => {
                for (_, part) in parts {
                    part.after(interp, context)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn logged<CTX: ContextTr<Journal: JournalExt>>(&mut self, context: &mut CTX, log: &Log) {
        if let Self::Mux(parts) = self {
            for (_, part) in parts {
                part.logged(context, log);
            }
            return;
        }
        each!(self, inspector => inspector.log(context, log.clone()));
    }

    fn called<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        context: &mut CTX,
        inputs: &mut CallInputs,
    ) {
        match self {
            Self::Struct(logger) => logger.enter(),
            Self::FourByte(inspector) => {
                inspector.call(context, inputs);
            }
            Self::Mux(parts) => {
                for (_, part) in parts {
                    part.called(context, inputs);
                }
            }
            _ => each!(self, inspector => { inspector.call(context, inputs); }),
        }
    }

    fn call_ended<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        context: &mut CTX,
        inputs: &CallInputs,
        outcome: &mut CallOutcome,
    ) {
        match self {
            Self::Struct(logger) => logger.exit(),
            Self::Mux(parts) => {
                for (_, part) in parts {
                    part.call_ended(context, inputs, outcome);
                }
            }
            _ => each!(self, inspector => inspector.call_end(context, inputs, outcome)),
        }
    }

    fn created<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        context: &mut CTX,
        inputs: &mut CreateInputs,
    ) {
        match self {
            Self::Struct(logger) => logger.enter(),
            Self::Mux(parts) => {
                for (_, part) in parts {
                    part.created(context, inputs);
                }
            }
            _ => each!(self, inspector => { inspector.create(context, inputs); }),
        }
    }

    fn create_ended<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        context: &mut CTX,
        inputs: &CreateInputs,
        outcome: &mut CreateOutcome,
    ) {
        match self {
            Self::Struct(logger) => logger.exit(),
            Self::Mux(parts) => {
                for (_, part) in parts {
                    part.create_ended(context, inputs, outcome);
                }
            }
            _ => each!(self, inspector => inspector.create_end(context, inputs, outcome)),
        }
    }

    fn destroyed<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        contract: Address,
        target: Address,
        value: U256,
    ) {
        if let Self::Mux(parts) = self {
            for (_, part) in parts {
                part.destroyed::<CTX>(contract, target, value);
            }
            return;
        }
        each!(self, inspector => Inspector::<CTX>::selfdestruct(&mut **inspector, contract, target, value));
    }
}

impl<CTX: ContextTr<Journal: JournalExt>> Inspector<CTX> for Tracer {
    fn step(&mut self, interp: &mut Interpreter, context: &mut CTX) {
        if self.look() {
            self.kind.before(interp, context);
        } else {
            interp.halt(InstructionResult::Revert);
        }
    }

    fn step_end(&mut self, interp: &mut Interpreter, context: &mut CTX) {
        if let Err(reason) = self.kind.after(interp, context) {
            self.stopped.get_or_insert(reason);
        }
    }

    fn log(&mut self, context: &mut CTX, log: Log) {
        self.count(FRAME_BYTES + log.data.data.len());
        self.kind.logged(context, &log);
    }

    fn call(&mut self, context: &mut CTX, inputs: &mut CallInputs) -> Option<CallOutcome> {
        self.count(FRAME_BYTES + inputs.input.len());
        self.kind.called(context, inputs);
        None
    }

    fn call_end(&mut self, context: &mut CTX, inputs: &CallInputs, outcome: &mut CallOutcome) {
        self.count(outcome.result.output.len());
        self.kind.call_ended(context, inputs, outcome);
    }

    fn create(&mut self, context: &mut CTX, inputs: &mut CreateInputs) -> Option<CreateOutcome> {
        self.count(FRAME_BYTES + inputs.init_code().len());
        self.kind.created(context, inputs);
        None
    }

    fn create_end(
        &mut self,
        context: &mut CTX,
        inputs: &CreateInputs,
        outcome: &mut CreateOutcome,
    ) {
        self.count(outcome.result.output.len());
        self.kind.create_ended(context, inputs, outcome);
    }

    fn selfdestruct(&mut self, contract: Address, target: Address, value: U256) {
        self.kind.destroyed::<CTX>(contract, target, value);
    }
}
