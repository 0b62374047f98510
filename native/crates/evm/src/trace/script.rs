//! JavaScript tracers: an object literal's functions, called as the EVM runs. Only ever run in a process of its own.

use super::stage::Pile;
use super::tracer::Subject;
use crate::overlay::ReadError;
use revm::DatabaseRef;
use revm::context::result::ResultAndState;
use revm::context::{BlockEnv, TxEnv};
use revm_inspectors::tracing::TransactionContext;
use revm_inspectors::tracing::js::{JsInspector, RuntimeLimits};
use serde_json::Value;

/// Frames of a script's own calls.
const DEEPEST: usize = 4_000;

/// Keeps the first error a hook throws and calls no hook afterwards; the run itself stays as it was. The result is
/// then that error instead of the script's. A revert is a step before it is a fault, as geth has it.
const GUARD: &str = r#"(() => {
  const tracer = (__CODE__
);
  if (tracer === null || typeof tracer !== "object") return tracer;
  let fault;
  const guard = (name) => {
    const hook = tracer[name];
    if (typeof hook !== "function") return;
    tracer[name] = function () {
      if (fault !== undefined) return;
      try { return hook.apply(this, arguments); }
      catch (error) { fault = String(error) + "    in server-side tracer function '" + name + "'"; }
    };
  };
  for (const name of ["step", "fault", "enter", "exit"]) guard(name);
  const { step, fault: faulted } = tracer;
  if (typeof step === "function" && typeof faulted === "function") {
    tracer.fault = function (log, db) {
      step.call(this, log, db);
      faulted.call(this, log, db);
    };
  }
  const result = tracer.result;
  if (typeof result === "function") {
    tracer.result = function () {
      if (fault === undefined) {
        try { const value = result.apply(this, arguments); return { ok: value === undefined ? null : value }; }
        catch (error) { fault = String(error) + "    in server-side tracer function 'result'"; }
      }
      return { error: fault };
    };
  }
  return tracer;
})()"#;

/// The inspector of a script.
pub(super) fn inspector(code: &str, config: &Value) -> Result<Box<JsInspector>, String> {
    let guarded = GUARD.replace("__CODE__", code);
    let config = if config.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        config.clone()
    };
    let mut inspector = JsInspector::new(guarded, config).map_err(|error| error.to_string())?;
    let mut limits = RuntimeLimits::default();
    limits.set_loop_iteration_limit(u64::MAX);
    limits.set_recursion_limit(DEEPEST);
    inspector.set_runtime_limits(limits);
    Ok(Box::new(inspector))
}

/// What the script answers.
pub(super) fn finish<D: DatabaseRef<Error = ReadError>>(
    mut inspector: JsInspector,
    subject: Subject,
    tx: &TxEnv,
    block: &BlockEnv,
    done: &ResultAndState,
    state: &Pile<D>,
) -> Result<String, String> {
    inspector.set_transaction_context(TransactionContext {
        block_hash: subject.block_hash,
        tx_index: subject.index,
        tx_hash: subject.tx_hash,
    });
    let answer = inspector
        .json_result(done.clone(), tx, block, state)
        .map_err(|error| error.to_string())?;
    match (answer.get("ok"), answer.get("error")) {
        (_, Some(Value::String(error))) => Err(error.clone()),
        (Some(value), _) => Ok(value.to_string()),
        _ => Ok("null".to_owned()),
    }
}
