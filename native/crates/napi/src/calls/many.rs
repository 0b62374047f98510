//! Many messages in one request: simulated blocks, and bundles.

use super::overrides::{BlockText, StateText, block_overrides, state_overrides};
use super::{CallText, PlaceText, limits, message, parse};
use crate::failure::Failure;
use crate::requests::block_ref;
use cairn_evm::{Bundle, CallManyRequest, SimulateBlock, SimulateRequest};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SimulateText {
    blocks: Vec<SimulateBlockText>,
    trace_transfers: bool,
    validation: bool,
    full_transactions: bool,
    #[serde(flatten)]
    place: PlaceText,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SimulateBlockText {
    #[serde(default)]
    state_overrides: StateText,
    #[serde(default)]
    block_overrides: BlockText,
    calls: Vec<CallText>,
}

/// A simulation.
pub(crate) fn simulate_request(text: &str) -> Result<SimulateRequest, Failure> {
    let simulation: SimulateText = parse(text)?;
    let place = &simulation.place;
    let block = |block: SimulateBlockText| -> Result<SimulateBlock, Failure> {
        let calls = block.calls.into_iter().map(|call| message(call, place));
        Ok(SimulateBlock {
            overrides: state_overrides(block.state_overrides)?,
            block_overrides: block_overrides(block.block_overrides)?,
            calls: calls.collect::<Result<_, _>>()?,
        })
    };
    let blocks = simulation.blocks.into_iter().map(block);
    Ok(SimulateRequest {
        blocks: blocks.collect::<Result<_, _>>()?,
        trace_transfers: simulation.trace_transfers,
        validation: simulation.validation,
        full_transactions: simulation.full_transactions,
        block: block_ref(&place.block)?,
        limits: limits(place)?,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallManyText {
    bundles: Vec<BundleText>,
    transactions: Option<usize>,
    #[serde(flatten)]
    place: PlaceText,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BundleText {
    #[serde(default)]
    block_overrides: BlockText,
    calls: Vec<CallText>,
}

/// Bundles of messages.
pub(crate) fn call_many_request(text: &str) -> Result<CallManyRequest, Failure> {
    let CallManyText {
        bundles,
        transactions,
        place,
    } = parse(text)?;
    let bundle = |bundle: BundleText| -> Result<Bundle, Failure> {
        let calls = bundle.calls.into_iter().map(|call| message(call, &place));
        Ok(Bundle {
            block_overrides: block_overrides(bundle.block_overrides)?,
            calls: calls.collect::<Result<_, _>>()?,
        })
    };
    Ok(CallManyRequest {
        bundles: bundles
            .into_iter()
            .map(bundle)
            .collect::<Result<_, Failure>>()?,
        block: block_ref(&place.block)?,
        transactions,
        limits: limits(&place)?,
        overrides: state_overrides(place.state_overrides)?,
    })
}
