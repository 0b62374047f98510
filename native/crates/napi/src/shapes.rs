//! What goes out: JSON text and tagged bytes for the facade.

use alloy_primitives::{Address, hex};
use cairn_evm::{
    Admission, CallOutcome, ChainSpec, EstimateOutcome, Executed, Head, Included, JsonWriter,
    LogsOutcome, Refusal, Sealed, Skipped, executed_logs_json,
};

/// Tags of the first byte of a call's or an estimate's bytes.
mod tag {
    pub(super) const DONE: u8 = 0;
    pub(super) const REVERTED: u8 = 1;
    pub(super) const HALTED: u8 = 2;
    pub(super) const REFUSED: u8 = 3;
    pub(super) const UNKNOWN_BLOCK: u8 = 4;
    pub(super) const ALLOWANCE: u8 = 5;
}

/// The head.
pub(crate) fn head(head: &Head, spec: &ChainSpec) -> String {
    let mut json = JsonWriter::with_capacity(512);
    json.open_object();
    json.quantity_field("number", head.header.number);
    json.bytes_field("hash", head.hash.as_slice());
    json.bytes_field("stateRoot", head.header.state_root.as_slice());
    json.quantity_field("timestamp", head.header.timestamp);
    json.quantity_field("gasLimit", head.header.gas_limit);
    json.quantity_field(
        "baseFeePerGasWei",
        head.header.base_fee_per_gas.unwrap_or_default(),
    );
    json.quantity_field("nextBaseFeePerGasWei", spec.next_base_fee(&head.header));
    json.bytes_field("consensusHash", &head.header.extra_data);
    json.close_object();
    json.finish()
}

/// Admission outcomes.
pub(crate) fn admissions(outcomes: &[Result<Admission, Refusal>]) -> String {
    let mut json = JsonWriter::with_capacity(outcomes.len() * 512);
    json.open_array();
    for outcome in outcomes {
        json.open_object();
        match outcome {
            Ok(admission) => write_admission(&mut json, admission),
            Err(refusal) => {
                json.key("code");
                json.text(refusal.code.as_str());
                if let Some((have, want)) = refusal.numbers {
                    json.key("have");
                    json.quantity128(have);
                    json.key("want");
                    json.quantity128(want);
                }
            }
        }
        json.close_object();
    }
    json.close_array();
    json.finish()
}

fn write_admission(json: &mut JsonWriter, admission: &Admission) {
    let ready = &admission.ready;
    json.bytes_field("hash", ready.tx.hash.as_slice());
    json.key("type");
    json.raw(&ready.tx_type().to_string());
    json.bytes_field("sender", ready.sender.as_slice());
    json.optional_bytes_field("to", ready.to().as_ref().map(|to| to.as_slice()));
    json.quantity_field("nonce", ready.nonce());
    json.quantity_field("gas", ready.gas_limit());
    json.key("maxFeePerGasWei");
    json.quantity128(ready.max_fee_per_gas());
    json.key("maxPriorityFeePerGasWei");
    json.quantity128(ready.max_priority_fee_per_gas());
    json.key("valueWei");
    json.quantity256(&ready.value());
    json.key("size");
    json.raw(&ready.tx.raw.len().to_string());
    json.quantity_field("senderNonce", admission.sender_nonce);
    json.key("senderBalanceWei");
    json.quantity256(&admission.sender_balance);
    if !admission.authorities.is_empty() {
        json.bytes_field("authorities", &admission.authorities.concat());
    }
}

/// Addresses as one hex text without prefix.
pub(crate) fn joined(addresses: &[Address]) -> String {
    hex::encode(addresses.concat())
}

/// An executed block.
pub(crate) fn executed(executed: &Executed, sealed: &Sealed) -> String {
    let logs = executed_logs_json(executed, &sealed.header, &sealed.hash);
    let mut json = JsonWriter::with_capacity(128 + executed.outcomes.len() * 640);
    json.open_object();
    json.bytes_field("hash", sealed.hash.as_slice());
    json.key("txs");
    json.open_array();
    for outcome in &executed.outcomes {
        json.open_object();
        match outcome {
            Ok(index) => {
                if let (Some(item), Some(logs)) = (executed.included.get(*index), logs.get(*index))
                {
                    write_included(&mut json, *index, item, logs);
                }
            }
            Err(skipped) => write_skipped(&mut json, skipped),
        }
        json.close_object();
    }
    json.close_array();
    json.close_object();
    json.finish()
}

fn write_included(json: &mut JsonWriter, index: usize, item: &Included, logs: &str) {
    let ready = &item.ready;
    json.bytes_field("hash", ready.tx.hash.as_slice());
    json.key("index");
    json.raw(&index.to_string());
    json.bytes_field("sender", ready.sender.as_slice());
    json.optional_bytes_field("to", ready.to().as_ref().map(|to| to.as_slice()));
    json.optional_bytes_field(
        "contractAddress",
        item.receipt
            .contract_address
            .as_ref()
            .map(|made| made.as_slice()),
    );
    json.quantity_field("nonce", ready.nonce());
    json.key("valueWei");
    json.quantity256(&ready.value());
    json.quantity_field("gasLimit", ready.gas_limit());
    json.quantity_field("gasUsed", item.receipt.gas_used);
    json.key("type");
    json.raw(&ready.tx_type().to_string());
    json.key("success");
    json.raw(if item.receipt.success {
        "true"
    } else {
        "false"
    });
    json.key("logsJson");
    json.text(logs);
}

fn write_skipped(json: &mut JsonWriter, skipped: &Skipped) {
    json.key("code");
    json.raw(&skipped.code.to_string());
    json.key("reason");
    json.text(&skipped.reason);
}

fn tagged(tag: u8, number: u64, tail: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(9 + tail.len());
    out.push(tag);
    out.extend_from_slice(&number.to_be_bytes());
    out.extend_from_slice(tail);
    out
}

/// A call's outcome: tag ‖ u64 gas used ‖ data or text.
pub(crate) fn call(outcome: &CallOutcome) -> Vec<u8> {
    match outcome {
        CallOutcome::Returned { data, gas_used } => tagged(tag::DONE, *gas_used, data),
        CallOutcome::Reverted { data, gas_used } => tagged(tag::REVERTED, *gas_used, data),
        CallOutcome::Halted { reason, gas_used } => {
            tagged(tag::HALTED, *gas_used, reason.as_bytes())
        }
        CallOutcome::Refused { reason } => tagged(tag::REFUSED, 0, reason.as_bytes()),
        CallOutcome::UnknownBlock => tagged(tag::UNKNOWN_BLOCK, 0, &[]),
    }
}

/// An estimate's outcome: tag ‖ u64 gas or allowance ‖ data or text.
pub(crate) fn estimate(outcome: &EstimateOutcome) -> Vec<u8> {
    match outcome {
        EstimateOutcome::Gas(gas) => tagged(tag::DONE, *gas, &[]),
        EstimateOutcome::Reverted(data) => tagged(tag::REVERTED, 0, data),
        EstimateOutcome::Halted(reason) => tagged(tag::HALTED, 0, reason.as_bytes()),
        EstimateOutcome::Refused(reason) => tagged(tag::REFUSED, 0, reason.as_bytes()),
        EstimateOutcome::Allowance(allowance) => tagged(tag::ALLOWANCE, *allowance, &[]),
        EstimateOutcome::UnknownBlock => tagged(tag::UNKNOWN_BLOCK, 0, &[]),
    }
}

/// Found logs as JSON text, else the outcome's code (which no JSON array begins with).
pub(crate) fn logs(outcome: LogsOutcome) -> String {
    match outcome {
        LogsOutcome::Found(json) => json,
        LogsOutcome::TooManyResults => "too-many-results".to_owned(),
        LogsOutcome::Timeout => "timeout".to_owned(),
    }
}

/// Items packed as little-endian u32 length ‖ bytes.
pub(crate) fn pack(items: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let mut out = Vec::new();
    for item in items {
        let bytes = item.as_ref();
        out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(bytes);
    }
    out
}
