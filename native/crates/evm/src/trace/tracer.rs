//! The inspector of one traced transaction: struct logs or one of the named tracers, under a deadline and a budget of
//! bytes. Owns stopping; a stopped run has no trace and its changes are not kept.

use super::options::TraceOptions;
use super::stage::Pile;
use super::struct_log::StructLogger;
use alloy_primitives::{B256, Log, U256, Address};
use alloy_rpc_types_trace::geth::{
    GethDebugBuiltInTracerType as Named, GethDebugTracerConfig, GethDebugTracerType,
    GethDebugTracingOptions,
};
use revm::Inspector;
use revm::context::result::ResultAndState;
use revm::context::{BlockEnv, ContextTr, JournalTr as _, TxEnv};
use revm::inspector::JournalExt;
use revm::interpreter::{
    CallInputs, CallOutcome, CreateInputs, CreateOutcome, InstructionResult, Interpreter,
};
use revm_inspectors::tracing::{DebugInspector, TransactionContext};
use std::time::Instant;

/// The answer when a trace outgrows its budget.
pub const TOO_LARGE: &str = "trace too large: use a limit, disable parts or choose another tracer";
const TIMEOUT: &str = "execution timeout";

/// A transaction's trace is given up when it holds more than this.
const MOST_BYTES: usize = 128 << 20;
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

enum Kind {
    Idle,
    Struct(Box<StructLogger>),
    Named(Box<DebugInspector>),
}

/// One tracer, for one run.
pub struct Tracer {
    kind: Kind,
    deadline: Instant,
    steps: u32,
    bytes: usize,
    stopped: Option<&'static str>,
}

fn named(name: &str) -> Option<Named> {
    Some(match name {
        "callTracer" => Named::CallTracer,
        "prestateTracer" => Named::PreStateTracer,
        "4byteTracer" => Named::FourByteTracer,
        "muxTracer" => Named::MuxTracer,
        "flatCallTracer" => Named::FlatCallTracer,
        "noopTracer" => Named::NoopTracer,
        "erc7562Tracer" => Named::Erc7562Tracer,
        _ => return None,
    })
}

fn kind(options: &TraceOptions) -> Result<Kind, String> {
    let Some(name) = options.tracer.as_deref().filter(|name| !name.is_empty()) else {
        return Ok(Kind::Struct(Box::new(StructLogger::new(options))));
    };
    let Some(tracer) = named(name) else {
        return Err("unknown tracer".to_owned());
    };
    let options = GethDebugTracingOptions {
        tracer: Some(GethDebugTracerType::BuiltInTracer(tracer)),
        tracer_config: GethDebugTracerConfig(options.tracer_config.clone()),
        ..GethDebugTracingOptions::default()
    };
    let inspector = DebugInspector::new(options).map_err(|error| error.to_string())?;
    Ok(Kind::Named(Box::new(inspector)))
}

impl Tracer {
    /// Looks at nothing.
    pub fn idle() -> Self {
        Self {
            kind: Kind::Idle,
            deadline: Instant::now(),
            steps: 0,
            bytes: 0,
            stopped: None,
        }
    }

    /// The tracer the options name; its time starts now.
    pub fn new(options: &TraceOptions) -> Result<Self, String> {
        Ok(Self {
            kind: kind(options)?,
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
    pub fn finish(
        &mut self,
        subject: Subject,
        tx: &TxEnv,
        block: &BlockEnv,
        done: &ResultAndState,
        state: &mut Pile,
    ) -> Result<String, String> {
        if let Some(reason) = self.stopped {
            return Err(reason.to_owned());
        }
        match std::mem::replace(&mut self.kind, Kind::Idle) {
            Kind::Idle => Ok("null".to_owned()),
            Kind::Struct(logger) => Ok(logger.finish(&done.result)),
            Kind::Named(mut inspector) => {
                let context = TransactionContext {
                    block_hash: subject.block_hash,
                    tx_index: subject.index,
                    tx_hash: subject.tx_hash,
                };
                let trace = inspector
                    .get_result(Some(context), tx, block, done, state)
                    .map_err(|error| error.to_string())?;
                serde_json::to_string(&trace).map_err(|error| error.to_string())
            }
        }
    }
}

impl<CTX: ContextTr<Journal: JournalExt>> Inspector<CTX> for Tracer {
    fn initialize_interp(&mut self, interp: &mut Interpreter, context: &mut CTX) {
        if let Kind::Named(inspector) = &mut self.kind {
            inspector.initialize_interp(interp, context);
        }
    }

    fn step(&mut self, interp: &mut Interpreter, context: &mut CTX) {
        if !self.look() {
            interp.halt(InstructionResult::Revert);
            return;
        }
        match &mut self.kind {
            Kind::Idle => {}
            Kind::Struct(logger) => logger.step(interp, context.journal().depth()),
            Kind::Named(inspector) => inspector.step(interp, context),
        }
    }

    fn step_end(&mut self, interp: &mut Interpreter, context: &mut CTX) {
        match &mut self.kind {
            Kind::Idle => {}
            Kind::Struct(logger) => logger.step_end(interp),
            Kind::Named(inspector) => inspector.step_end(interp, context),
        }
    }

    fn log(&mut self, context: &mut CTX, log: Log) {
        if let Kind::Named(inspector) = &mut self.kind {
            inspector.log(context, log);
        }
    }

    fn log_full(&mut self, interp: &mut Interpreter, context: &mut CTX, log: Log) {
        self.count(log.data.data.len());
        if let Kind::Named(inspector) = &mut self.kind {
            inspector.log_full(interp, context, log);
        }
    }

    fn call(&mut self, context: &mut CTX, inputs: &mut CallInputs) -> Option<CallOutcome> {
        self.count(inputs.input.len() + 256);
        match &mut self.kind {
            Kind::Idle => None,
            Kind::Struct(logger) => {
                logger.enter();
                None
            }
            Kind::Named(inspector) => inspector.call(context, inputs),
        }
    }

    fn call_end(&mut self, context: &mut CTX, inputs: &CallInputs, outcome: &mut CallOutcome) {
        self.count(outcome.result.output.len());
        match &mut self.kind {
            Kind::Idle => {}
            Kind::Struct(logger) => logger.exit(),
            Kind::Named(inspector) => inspector.call_end(context, inputs, outcome),
        }
    }

    fn create(&mut self, context: &mut CTX, inputs: &mut CreateInputs) -> Option<CreateOutcome> {
        self.count(inputs.init_code().len() + 256);
        match &mut self.kind {
            Kind::Idle => None,
            Kind::Struct(logger) => {
                logger.enter();
                None
            }
            Kind::Named(inspector) => inspector.create(context, inputs),
        }
    }

    fn create_end(
        &mut self,
        context: &mut CTX,
        inputs: &CreateInputs,
        outcome: &mut CreateOutcome,
    ) {
        self.count(outcome.result.output.len());
        match &mut self.kind {
            Kind::Idle => {}
            Kind::Struct(logger) => logger.exit(),
            Kind::Named(inspector) => inspector.create_end(context, inputs, outcome),
        }
    }

    fn selfdestruct(&mut self, contract: Address, target: Address, value: U256) {
        if let Kind::Named(inspector) = &mut self.kind {
            <DebugInspector as Inspector<CTX>>::selfdestruct(inspector, contract, target, value);
        }
    }
}
