//! `eth_estimateGas`: geth's search for the lowest sufficient gas limit, with its 1.5 % error ratio, its shortcut for
//! plain transfers and its optimistic second try.

use crate::call::{CallRequest, Caller, Run};
use crate::chain::Chain;
use crate::error::ChainError;
use crate::overlay::ReadError;
use crate::scene::{Prepared, Scene};
use crate::small_run::{Stepped, Steps, may_be_small};
use alloy_primitives::{Address, Bytes, KECCAK256_EMPTY, U256};
use revm::Database as _;
use revm::context::result::{ExecutionResult, HaltReason, InvalidTransaction};
use revm::state::AccountInfo;

const TRANSFER_GAS: u64 = 21_000;
const CALL_STIPEND: u64 = 2_300;
/// The search ends when the bounds are this close, as a share of the upper one.
const ERROR_RATIO: f64 = 0.015;

/// What an estimate came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EstimateOutcome {
    /// A sufficient gas limit.
    Gas(u64),
    /// The message reverts whatever the gas.
    Reverted(Bytes),
    /// It stops for another reason, in geth's words.
    Halted(String),
    /// It cannot start, in geth's words.
    Refused(String),
    /// It needs more gas than the sender can pay or the cap allows.
    Allowance(u64),
    /// No such block.
    UnknownBlock,
}

/// One try at a gas limit.
enum Try {
    Enough(ExecutionResult),
    Failed(Option<ExecutionResult>),
    /// Whatever the gas, in geth's words.
    Refused(String),
}

impl Chain {
    /// The lowest gas limit (within 1.5 %) with which the message succeeds on the state after its block.
    pub fn estimate_gas(&self, request: &CallRequest) -> Result<EstimateOutcome, ChainError> {
        Ok(self.estimate_stepped(request, Steps::default())?.outcome)
    }

    /// [`Self::estimate_gas`] of a message whose runs take about 50 µs in all; `None` when they are not known to.
    pub fn estimate_small(
        &self,
        request: &CallRequest,
    ) -> Result<Option<EstimateOutcome>, ChainError> {
        if !may_be_small(request) {
            return Ok(None);
        }
        let stepped = self.estimate_stepped(request, Steps::small())?;
        Ok(stepped.unless_given_up())
    }

    fn estimate_stepped(
        &self,
        request: &CallRequest,
        steps: Steps,
    ) -> Result<Stepped<EstimateOutcome>, ChainError> {
        let done = |outcome| Ok(Stepped::without_run(outcome));
        let mut scene = match self.scene_of(request)? {
            Prepared::Ready(scene) => *scene,
            Prepared::Refused(reason) => return done(EstimateOutcome::Refused(reason)),
            Prepared::UnknownBlock => return done(EstimateOutcome::UnknownBlock),
        };
        let upper = match upper_bound(request, &mut scene)? {
            Ok(upper) => upper,
            Err(reason) => return done(EstimateOutcome::Refused(reason)),
        };
        let is_transfer = is_plain_transfer(request, &mut scene)?;
        let mut caller = Caller::new(scene, self.spec.chain_id, request, steps);
        let outcome = estimate(&mut caller, is_transfer, upper)?;
        Ok(caller.finish(outcome))
    }
}

fn estimate(
    caller: &mut Caller,
    is_transfer: bool,
    upper: u64,
) -> Result<EstimateOutcome, ChainError> {
    if is_transfer && let Try::Enough(_) = attempt(caller, TRANSFER_GAS)? {
        return Ok(EstimateOutcome::Gas(TRANSFER_GAS));
    }
    match attempt(caller, upper)? {
        Try::Enough(result) => search(caller, &result, upper),
        Try::Refused(reason) => Ok(EstimateOutcome::Refused(reason)),
        Try::Failed(result) => Ok(failure(caller, result, upper)),
    }
}

fn account(scene: &mut Scene, address: Address) -> Result<AccountInfo, ChainError> {
    let found = scene.state.basic(address);
    Ok(found
        .map_err(|ReadError(error)| ChainError::State(error))?
        .unwrap_or_default())
}

fn is_plain_transfer(request: &CallRequest, scene: &mut Scene) -> Result<bool, ChainError> {
    match request.to {
        Some(to) if request.data.is_empty() => Ok(account(scene, to)?.code_hash == KECCAK256_EMPTY),
        _ => Ok(false),
    }
}

/// The highest gas limit worth trying: what the request, the sender's balance and the cap allow.
fn upper_bound(
    request: &CallRequest,
    scene: &mut Scene,
) -> Result<Result<u64, String>, ChainError> {
    let cap = scene.gas_cap;
    let mut upper = request
        .gas
        .map(|gas| gas.min(cap))
        .filter(|gas| *gas >= TRANSFER_GAS)
        .unwrap_or(scene.header.gas_limit);
    let fee_cap = request
        .max_fee_per_gas
        .or(request.gas_price)
        .unwrap_or_default();
    if fee_cap != 0 {
        let balance = account(scene, request.from.unwrap_or_default())?.balance;
        if request.value >= balance {
            return Ok(Err("insufficient funds for transfer".to_owned()));
        }
        let affordable = (balance - request.value) / U256::from(fee_cap);
        upper = upper.min(u64::try_from(affordable).unwrap_or(u64::MAX));
    }
    Ok(Ok(upper.min(cap)))
}

fn attempt(caller: &mut Caller, gas: u64) -> Result<Try, ChainError> {
    Ok(match caller.run(gas)? {
        Run::Done(result) if result.is_success() => Try::Enough(result),
        Run::Done(result) => Try::Failed(Some(result)),
        Run::Refused(InvalidTransaction::CallGasCostMoreThanGasLimit { .. }) => Try::Failed(None),
        Run::Refused(error) => {
            Try::Refused(format!("failed with {gas} gas: {}", caller.refusal(&error)))
        }
        Run::TimedOut(reason) => Try::Refused(reason),
    })
}

fn failure(
    caller: &mut Caller,
    result: Option<ExecutionResult>,
    allowance: u64,
) -> EstimateOutcome {
    match result {
        Some(ExecutionResult::Revert { output, .. }) => EstimateOutcome::Reverted(output),
        Some(ExecutionResult::Halt { reason, .. })
            if !matches!(reason, HaltReason::OutOfGas(_)) =>
        {
            EstimateOutcome::Halted(caller.halt(&reason, allowance))
        }
        _ => EstimateOutcome::Allowance(allowance),
    }
}

fn search(
    caller: &mut Caller,
    first: &ExecutionResult,
    upper: u64,
) -> Result<EstimateOutcome, ChainError> {
    let mut high = upper;
    let mut low = first.tx_gas_used().saturating_sub(1);
    let peak = first.gas().total_gas_spent().max(first.gas().floor_gas());
    let optimistic = peak.saturating_add(CALL_STIPEND).saturating_mul(64) / 63;
    if optimistic < high {
        match attempt(caller, optimistic)? {
            Try::Enough(_) => high = optimistic,
            Try::Failed(_) => low = optimistic,
            Try::Refused(reason) => return Ok(EstimateOutcome::Refused(reason)),
        }
    }
    while low + 1 < high {
        if ((high - low) as f64) / (high as f64) < ERROR_RATIO {
            break;
        }
        let middle = (low + (high - low) / 2).min(low.saturating_mul(2));
        match attempt(caller, middle)? {
            Try::Enough(_) => high = middle,
            Try::Failed(_) => low = middle,
            Try::Refused(reason) => return Ok(EstimateOutcome::Refused(reason)),
        }
    }
    Ok(EstimateOutcome::Gas(high))
}
