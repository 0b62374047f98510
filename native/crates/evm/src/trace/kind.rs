//! The tracers by name, and what each answers.

use super::call_frames::{Faults, drop_logs_of_failure};
use super::counts::{Counts, Preimages};
use super::lines::LineLogger;
use super::options::TraceOptions;
use super::prestate::PrestateConfig;
use super::script;
use super::stage::Pile;
use super::struct_log::StructLogger;
use super::tracer::Subject;
use crate::json::JsonWriter;
use crate::overlay::ReadError;
use alloy_primitives::map::HashSet;
use alloy_rpc_types_eth::TransactionInfo;
use alloy_rpc_types_trace::geth::{CallConfig, FlatCallConfig, FourByteFrame};
use alloy_rpc_types_trace::parity::TraceType;
use revm::DatabaseRef;
use revm::context::result::ResultAndState;
use revm::context::{BlockEnv, TxEnv};
use revm_inspectors::tracing::js::JsInspector;
use revm_inspectors::tracing::{FourByteInspector, TracingInspector, TracingInspectorConfig};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One tracer.
pub(super) enum Kind {
    /// geth's default.
    Struct(Box<StructLogger>),
    /// `callTracer`.
    Calls(Box<TracingInspector>, CallConfig, Faults),
    /// `flatCallTracer`.
    Flat(Box<TracingInspector>, FlatCallConfig, Faults),
    /// Parity's traces: `replayTracer`, this node's own name.
    Parity(Box<TracingInspector>, HashSet<TraceType>),
    /// A script; never in the node's own process.
    Script(Box<JsInspector>),
    /// geth's lines of a standard trace, into a file.
    Lines(Box<LineLogger>),
    /// `opcountTracer` and its kin.
    Counts(Counts),
    /// `keccak256PreimageTracer`.
    Preimages(Preimages),
    /// `4byteTracer`.
    FourByte(FourByteInspector),
    /// `prestateTracer`.
    Prestate(PrestateConfig),
    /// `noopTracer`.
    Noop,
    /// `muxTracer`.
    Mux(Vec<(String, Kind)>),
}

fn config<T: DeserializeOwned + Default>(value: &Value) -> Result<T, String> {
    if value.is_null() {
        return Ok(T::default());
    }
    serde_json::from_value(value.clone()).map_err(|error| error.to_string())
}

/// Whether the name is no name but a script.
pub(super) fn is_script(name: &str) -> bool {
    const NAMES: [&str; 13] = [
        "",
        "callTracer",
        "flatCallTracer",
        "4byteTracer",
        "prestateTracer",
        "noopTracer",
        "muxTracer",
        "replayTracer",
        "opcountTracer",
        "unigramTracer",
        "bigramTracer",
        "trigramTracer",
        "keccak256PreimageTracer",
    ];
    !NAMES.contains(&name)
}

impl Kind {
    /// The tracer the options name.
    pub(super) fn of(options: &TraceOptions) -> Result<Self, String> {
        if let Some(file) = &options.file {
            return Ok(Self::Lines(Box::new(LineLogger::new(options, file)?)));
        }
        match options.tracer.as_deref() {
            None | Some("") => Ok(Self::Struct(Box::new(StructLogger::new(options)))),
            Some(name) => Self::named(name, &options.tracer_config, true),
        }
    }

    fn named(name: &str, value: &Value, outermost: bool) -> Result<Self, String> {
        Ok(match name {
            "callTracer" => {
                let options: CallConfig = config(value)?;
                let record = TracingInspectorConfig::from_geth_call_config(&options);
                let inspector = Box::new(TracingInspector::new(record));
                Self::Calls(inspector, options, Faults::default())
            }
            "flatCallTracer" => {
                let options: FlatCallConfig = config(value)?;
                let record = TracingInspectorConfig::from_flat_call_config(&options);
                let inspector = Box::new(TracingInspector::new(record));
                Self::Flat(inspector, options, Faults::default())
            }
            "replayTracer" => {
                let types: HashSet<TraceType> = config(value)?;
                let record = TracingInspectorConfig::from_parity_config(&types);
                Self::Parity(Box::new(TracingInspector::new(record)), types)
            }
            "4byteTracer" => Self::FourByte(FourByteInspector::default()),
            "prestateTracer" => Self::Prestate(PrestateConfig::parse(value)?),
            "noopTracer" => Self::Noop,
            "opcountTracer" => Self::Counts(Counts::all()),
            "unigramTracer" => Self::Counts(Counts::sequences(1)),
            "bigramTracer" => Self::Counts(Counts::sequences(2)),
            "trigramTracer" => Self::Counts(Counts::sequences(3)),
            "keccak256PreimageTracer" => Self::Preimages(Preimages::default()),
            "muxTracer" if outermost => {
                let parts = value.as_object().ok_or("muxTracer needs tracerConfig")?;
                let part = |(name, value): (&String, &Value)| {
                    Ok((name.clone(), Self::named(name, value, false)?))
                };
                Self::Mux(parts.iter().map(part).collect::<Result<_, String>>()?)
            }
            code if outermost => Self::Script(script::inspector(code, value)?),
            _ => return Err("muxTracer takes named tracers".to_owned()),
        })
    }

    /// The result as JSON text.
    pub(super) fn finish<D: DatabaseRef<Error = ReadError>>(
        self,
        subject: Subject,
        tx: &TxEnv,
        block: &BlockEnv,
        done: &ResultAndState,
        state: &Pile<D>,
    ) -> Result<String, String> {
        match self {
            Self::Struct(logger) => Ok(logger.finish(&done.result)),
            Self::Lines(logger) => logger.finish(),
            Self::Counts(counts) => json(&counts.finish()),
            Self::Preimages(preimages) => json(&preimages.finish()),
            Self::Calls(inspector, options, faults) => calls(*inspector, options, faults, tx, done),
            Self::Flat(mut inspector, options, mut faults) => {
                inspector.set_transaction_gas_limit(tx.gas_limit);
                inspector.set_transaction_caller(tx.caller);
                inspector.set_transaction_gas_used(done.result.tx_gas_used());
                flat(*inspector, options, &mut faults, subject, block)
            }
            Self::Parity(mut inspector, types) => {
                inspector.set_transaction_caller(tx.caller);
                parity(*inspector, &types, done, state)
            }
            Self::Script(inspector) => script::finish(*inspector, subject, tx, block, done, state),
            Self::FourByte(inspector) => json(&FourByteFrame::from(inspector)),
            Self::Prestate(options) => options
                .write(&done.state, state)
                .map_err(|error| error.to_string()),
            Self::Noop => Ok("{}".to_owned()),
            Self::Mux(parts) => {
                let part = |part: Self| part.finish(subject, tx, block, done, state);
                mux(parts, part)
            }
        }
    }
}

fn mux(
    parts: Vec<(String, Kind)>,
    finish: impl Fn(Kind) -> Result<String, String>,
) -> Result<String, String> {
    let mut out = JsonWriter::default();
    out.open_object();
    for (name, part) in parts {
        out.key(&name);
        out.raw(&finish(part)?);
    }
    out.close_object();
    Ok(out.finish())
}

fn calls(
    mut inspector: TracingInspector,
    options: CallConfig,
    mut faults: Faults,
    tx: &TxEnv,
    done: &ResultAndState,
) -> Result<String, String> {
    inspector.set_transaction_gas_limit(tx.gas_limit);
    inspector.set_transaction_caller(tx.caller);
    let gas = done.result.tx_gas_used();
    let mut frame = inspector.geth_builder().geth_call_traces(options, gas);
    faults.apply(&mut frame);
    drop_logs_of_failure(&mut frame);
    json(&frame)
}

fn parity<D: DatabaseRef<Error = ReadError>>(
    inspector: TracingInspector,
    types: &HashSet<TraceType>,
    done: &ResultAndState,
    state: &Pile<D>,
) -> Result<String, String> {
    let results = inspector
        .into_parity_builder()
        .into_trace_results_with_state(done, types, state)
        .map_err(|error| error.to_string())?;
    json(&results)
}

fn flat(
    inspector: TracingInspector,
    options: FlatCallConfig,
    faults: &mut Faults,
    subject: Subject,
    block: &BlockEnv,
) -> Result<String, String> {
    let mut texts = faults.texts(inspector.traces().nodes());
    let info = TransactionInfo {
        hash: subject.tx_hash,
        index: subject.index.map(|index| index as u64),
        block_hash: subject.block_hash,
        block_number: Some(block.number.saturating_to()),
        ..TransactionInfo::default()
    };
    let converted = options.convert_parity_errors.unwrap_or_default();
    let mut traces = Vec::new();
    for mut trace in inspector
        .into_parity_builder()
        .into_localized_transaction_traces(info)
    {
        if trace.trace.error.is_some() && !converted {
            trace.trace.error = texts.pop_front().or(trace.trace.error);
        }
        if let Some(error) = &mut trace.trace.error
            && converted
            && error == "StackUnderflow"
        {
            *error = "Stack underflow".to_owned();
        }
        let bare = trace.trace.result.is_none();
        let mut value = serde_json::to_value(&trace).map_err(|error| error.to_string())?;
        if bare && let Some(members) = value.as_object_mut() {
            members.remove("result");
        }
        traces.push(value);
    }
    json(&traces)
}

fn json<T: serde::Serialize>(value: &T) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}
