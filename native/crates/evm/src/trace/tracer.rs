//! The inspector of one traced transaction, under a deadline and a budget of bytes. Owns stopping: a stopped run has no
//! trace and its changes are not kept.

use super::kind::Kind;
use super::options::TraceOptions;
use super::stage::Pile;
use crate::overlay::ReadError;
use alloy_primitives::{Address, B256, Log, U256};
use revm::context::result::ResultAndState;
use revm::context::{BlockEnv, ContextTr, TxEnv};
use revm::inspector::JournalExt;
use revm::interpreter::{
    CallInputs, CallOutcome, CreateInputs, CreateOutcome, InstructionResult, Interpreter,
};
use revm::{DatabaseRef, Inspector};
use std::time::Instant;

/// The answer when a trace outgrows its budget.
pub(super) const TOO_LARGE: &str =
    "trace too large: use a limit, disable parts or choose another tracer";
const TIMEOUT: &str = "execution timeout";

/// A transaction's trace is given up when it holds more than this.
const MOST_BYTES: usize = 128 << 20;
/// The same of a trace that goes into a file.
const MOST_FILE_BYTES: usize = 1 << 30;
/// What a frame costs beside its data.
const FRAME_BYTES: usize = 512;
/// The clock is read once in this many steps.
const STEPS_PER_LOOK: u32 = 256;

/// What is traced, as far as it has a name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Subject {
    /// Its block.
    pub block_hash: Option<B256>,
    /// Its hash.
    pub tx_hash: Option<B256>,
    /// Its place in the block.
    pub index: Option<usize>,
}

/// One tracer, for one run.
pub(super) struct Tracer {
    kind: Kind,
    deadline: Instant,
    steps: u32,
    bytes: usize,
    stopped: Option<&'static str>,
}

impl Tracer {
    /// Looks at nothing.
    pub(super) fn idle() -> Self {
        Self {
            kind: Kind::Noop,
            deadline: Instant::now(),
            steps: 0,
            bytes: 0,
            stopped: None,
        }
    }

    /// The tracer the options name; its time starts now.
    pub(super) fn new(options: &TraceOptions) -> Result<Self, String> {
        Ok(Self {
            kind: Kind::of(options)?,
            deadline: Instant::now() + options.timeout(),
            ..Self::idle()
        })
    }

    /// Whether the run was cut short.
    pub(super) fn is_stopped(&self) -> bool {
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
        let too_large = match &self.kind {
            Kind::Struct(logger) => logger.len() > MOST_BYTES,
            Kind::Lines(logger) => logger.len() > MOST_FILE_BYTES,
            Kind::Preimages(preimages) => preimages.len() > MOST_BYTES,
            _ => false,
        };
        if too_large {
            self.stopped.get_or_insert(TOO_LARGE);
        }
        self.stopped.is_none()
    }

    /// The trace as JSON text, or why there is none.
    pub(super) fn finish<D: DatabaseRef<Error = ReadError>>(
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
