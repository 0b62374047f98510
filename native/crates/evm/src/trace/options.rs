//! What a caller may ask of a trace: geth's `TraceConfig`.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// geth's default for one transaction.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);
/// No transaction is traced for longer.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(120);

/// Options of a trace.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TraceOptions {
    /// Struct logs carry memory.
    pub enable_memory: bool,
    /// Struct logs carry no stack.
    pub disable_stack: bool,
    /// Struct logs carry no storage.
    pub disable_storage: bool,
    /// Struct logs carry the return data of the last call.
    pub enable_return_data: bool,
    /// Struct logs end after this many bytes; 0: no such limit.
    pub limit: usize,
    /// Name or code of a tracer; struct logs when absent.
    pub tracer: Option<String>,
    /// The tracer's own options.
    pub tracer_config: serde_json::Value,
    /// Milliseconds per transaction.
    pub timeout_ms: Option<u64>,
    /// A file that takes a standard trace instead of an answer.
    pub file: Option<String>,
}

impl TraceOptions {
    /// How long one transaction may be traced.
    pub fn timeout(&self) -> Duration {
        self.timeout_ms
            .map_or(DEFAULT_TIMEOUT, Duration::from_millis)
            .min(LONGEST_TIMEOUT)
    }
}
