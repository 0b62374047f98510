//! What each tracer does when the EVM steps, calls, creates, logs and destroys.

use super::kind::Kind;
use alloy_primitives::{Address, Log, U256};
use revm::Inspector;
use revm::context::{ContextTr, JournalTr as _};
use revm::inspector::JournalExt;
use revm::interpreter::{
    CallInputs, CallOutcome, CreateInputs, CreateOutcome, InstructionResult, Interpreter,
    InterpreterAction,
};

const SCRIPT_LIMITS: &str =
    "tracer exceeds the limits of scripts    in server-side tracer function 'step'";

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
    /// Before an instruction.
    pub(super) fn before<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        interp: &mut Interpreter,
        context: &mut CTX,
    ) {
        match self {
            Self::Struct(logger) => logger.step(interp, context.journal().depth()),
            Self::Lines(logger) => logger.step(interp, context.journal().depth()),
            Self::Counts(counts) => counts.step(interp, context.journal().depth()),
            Self::Preimages(preimages) => preimages.step(interp),
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

    /// After an instruction; the error ends the trace.
    pub(super) fn after<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        interp: &mut Interpreter,
        context: &mut CTX,
    ) -> Result<(), &'static str> {
        match self {
            Self::Struct(logger) => logger.step_end(interp),
            Self::Lines(logger) => logger.step_end(interp),
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

    /// A log was emitted.
    pub(super) fn logged<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        context: &mut CTX,
        log: &Log,
    ) {
        if let Self::Mux(parts) = self {
            for (_, part) in parts {
                part.logged(context, log);
            }
            return;
        }
        each!(self, inspector => inspector.log(context, log.clone()));
    }

    /// A call begins.
    pub(super) fn called<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        context: &mut CTX,
        inputs: &mut CallInputs,
    ) {
        match self {
            Self::Struct(logger) => logger.enter(),
            Self::Lines(logger) => logger.enter(),
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

    /// A call ended.
    pub(super) fn call_ended<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        context: &mut CTX,
        inputs: &CallInputs,
        outcome: &mut CallOutcome,
    ) {
        match self {
            Self::Struct(logger) => logger.exit(),
            Self::Lines(logger) => logger.exit(&outcome.result),
            Self::Mux(parts) => {
                for (_, part) in parts {
                    part.call_ended(context, inputs, outcome);
                }
            }
            _ => each!(self, inspector => inspector.call_end(context, inputs, outcome)),
        }
    }

    /// A creation begins.
    pub(super) fn created<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        context: &mut CTX,
        inputs: &mut CreateInputs,
    ) {
        match self {
            Self::Struct(logger) => logger.enter(),
            Self::Lines(logger) => logger.enter(),
            Self::Mux(parts) => {
                for (_, part) in parts {
                    part.created(context, inputs);
                }
            }
            _ => each!(self, inspector => { inspector.create(context, inputs); }),
        }
    }

    /// A creation ended.
    pub(super) fn create_ended<CTX: ContextTr<Journal: JournalExt>>(
        &mut self,
        context: &mut CTX,
        inputs: &CreateInputs,
        outcome: &mut CreateOutcome,
    ) {
        match self {
            Self::Struct(logger) => logger.exit(),
            Self::Lines(logger) => logger.exit(&outcome.result),
            Self::Mux(parts) => {
                for (_, part) in parts {
                    part.create_ended(context, inputs, outcome);
                }
            }
            _ => each!(self, inspector => inspector.create_end(context, inputs, outcome)),
        }
    }

    /// A contract destroyed itself.
    pub(super) fn destroyed<CTX: ContextTr<Journal: JournalExt>>(
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
        if let Self::Lines(logger) = self {
            return logger.destroyed();
        }
        each!(self, inspector => Inspector::<CTX>::selfdestruct(&mut **inspector, contract, target, value));
    }
}
