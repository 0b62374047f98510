//! The block object of a simulation: a block with its calls' results.

use super::block::write_block_fields;
use super::receipt::{LogPlace, write_log};
use super::writer::JsonWriter;
use crate::error::ChainError;
use crate::texts::revert_text;
use alloy_consensus::Header;
use alloy_primitives::{B256, Bytes, Log};
use cairn_state::{StoredHeader, StoredTx};
use revm::context::result::ExecutionResult;

/// One call's result.
pub(crate) struct SimulatedCall {
    result: ExecutionResult,
    halt: String,
    logs: Vec<Log>,
    was_capped: bool,
}

impl SimulatedCall {
    /// `halt`: geth's words for a halt; `was_capped`: it got less gas than it asked for.
    pub(crate) fn new(
        result: ExecutionResult,
        halt: String,
        logs: Vec<Log>,
        was_capped: bool,
    ) -> Self {
        Self {
            result,
            halt,
            logs,
            was_capped,
        }
    }
}

/// A simulated block.
pub(crate) struct SimulatedBlock {
    /// Its header.
    pub header: Header,
    /// Its hash.
    pub hash: B256,
    /// Length of its RLP in bytes.
    pub size: u64,
    /// The calls as transactions.
    pub transactions: Vec<StoredTx>,
    /// Their results.
    pub calls: Vec<SimulatedCall>,
    /// Whether whole transactions are shown.
    pub full: bool,
}

/// Writes a simulated block.
pub(crate) fn write_simulated(
    json: &mut JsonWriter,
    block: &SimulatedBlock,
) -> Result<(), ChainError> {
    let stored = StoredHeader {
        header: block.header.clone(),
        hash: block.hash,
        rlp: Bytes::new(),
        size: block.size,
    };
    json.open_object();
    write_block_fields(json, &stored, &block.transactions, block.full)?;
    json.key("calls");
    json.open_array();
    let mut log_index = 0;
    for (index, call) in block.calls.iter().enumerate() {
        let tx_hash = block.transactions.get(index).map(|tx| tx.hash);
        let place = LogPlace {
            header: &block.header,
            block_hash: &block.hash,
            tx_hash: &tx_hash.unwrap_or_default(),
            tx_index: index as u64,
            log_index,
        };
        write_call(json, call, place);
        log_index += call.logs.len() as u64;
    }
    json.close_array();
    json.close_object();
    Ok(())
}

fn write_call(json: &mut JsonWriter, call: &SimulatedCall, mut place: LogPlace<'_>) {
    json.open_object();
    let output = call.result.output().cloned().unwrap_or_default();
    // What a revert returned stands in its error alone, as in geth.
    json.bytes_field(
        "returnData",
        if call.result.is_success() {
            &output
        } else {
            &[]
        },
    );
    json.key("logs");
    json.open_array();
    for log in &call.logs {
        write_log(json, log, place);
        place.log_index += 1;
    }
    json.close_array();
    json.quantity_field("gasUsed", call.result.tx_gas_used());
    let gas = call.result.gas();
    json.quantity_field("maxUsedGas", gas.total_gas_spent().max(gas.floor_gas()));
    json.quantity_field("status", u64::from(call.result.is_success()));
    match &call.result {
        ExecutionResult::Success { .. } => {}
        ExecutionResult::Revert { .. } => {
            write_error(json, 3, &revert_text(&output), Some(&output))
        }
        ExecutionResult::Halt { .. } => {
            let capped = " (gas limit was capped by the RPC server's global gas cap)";
            let suffix = if call.was_capped { capped } else { "" };
            write_error(json, -32015, &format!("{}{suffix}", call.halt), None);
        }
    }
    json.close_object();
}

fn write_error(json: &mut JsonWriter, code: i64, message: &str, data: Option<&[u8]>) {
    json.key("error");
    json.open_object();
    json.key("message");
    json.text(message);
    json.key("code");
    json.raw(&code.to_string());
    if let Some(data) = data {
        json.bytes_field("data", data);
    }
    json.close_object();
}
