//! `eth_estimateGas`: geth's search for the lowest sufficient gas limit, with its 1.5 % error ratio, its shortcut for
//! plain transfers and its optimistic second try.

use crate::call::{CallRequest, Caller, Run};
use crate::chain::Chain;
use crate::error::ChainError;
use crate::texts::halt_text;
use alloy_consensus::Header;
use alloy_primitives::{Bytes, U256};
use revm::context::result::{ExecutionResult, HaltReason, InvalidTransaction};

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
    Refused(InvalidTransaction),
}

impl Chain {
    /// The lowest gas limit (within 1.5 %) with which the message succeeds on the state after its block.
    pub fn estimate_gas(&self, request: &CallRequest) -> Result<EstimateOutcome, ChainError> {
        let Some(header) = self.header_of(request.block)? else {
            return Ok(EstimateOutcome::UnknownBlock);
        };
        let upper = match self.upper_bound(request, &header)? {
            Ok(upper) => upper,
            Err(reason) => return Ok(EstimateOutcome::Refused(reason)),
        };
        let mut caller = Caller::new(self, request, &header)?;
        if self.is_plain_transfer(request, &header)?
            && let Try::Enough(_) = attempt(&mut caller, TRANSFER_GAS)?
        {
            return Ok(EstimateOutcome::Gas(TRANSFER_GAS));
        }
        match attempt(&mut caller, upper)? {
            Try::Enough(result) => search(&mut caller, &result, upper),
            Try::Refused(error) => Ok(EstimateOutcome::Refused(caller.refusal(&error, upper))),
            Try::Failed(result) => Ok(failure(result, upper)),
        }
    }

    fn is_plain_transfer(
        &self,
        request: &CallRequest,
        header: &Header,
    ) -> Result<bool, ChainError> {
        let Some(to) = request.to else {
            return Ok(false);
        };
        if !request.data.is_empty() {
            return Ok(false);
        }
        let account = self.state_at(header.number)?.account(&to)?;
        Ok(account.is_none_or(|account| account.code_hash == alloy_primitives::KECCAK256_EMPTY))
    }

    /// The highest gas limit worth trying: what the request, the sender's balance and the block's gas limit allow.
    fn upper_bound(
        &self,
        request: &CallRequest,
        header: &Header,
    ) -> Result<Result<u64, String>, ChainError> {
        let mut upper = request
            .gas
            .filter(|gas| *gas >= TRANSFER_GAS)
            .unwrap_or(header.gas_limit);
        let fee_cap = request
            .max_fee_per_gas
            .or(request.gas_price)
            .unwrap_or_default();
        if fee_cap != 0 {
            let account = self
                .state_at(header.number)?
                .account(&request.from.unwrap_or_default())?;
            let balance = account.map_or(U256::ZERO, |account| account.balance);
            if !request.value.is_zero() && request.value >= balance {
                return Ok(Err("insufficient funds for transfer".to_owned()));
            }
            let affordable = balance.saturating_sub(request.value) / U256::from(fee_cap);
            upper = upper.min(u64::try_from(affordable).unwrap_or(u64::MAX));
        }
        Ok(Ok(upper.min(header.gas_limit)))
    }
}

fn attempt(caller: &mut Caller, gas: u64) -> Result<Try, ChainError> {
    Ok(match caller.run(gas)? {
        Run::Done(result) if result.is_success() => Try::Enough(result),
        Run::Done(result) => Try::Failed(Some(result)),
        Run::Refused(
            InvalidTransaction::CallGasCostMoreThanGasLimit { .. }
            | InvalidTransaction::GasFloorMoreThanGasLimit { .. },
        ) => Try::Failed(None),
        Run::Refused(error) => Try::Refused(error),
    })
}

fn failure(result: Option<ExecutionResult>, allowance: u64) -> EstimateOutcome {
    match result {
        Some(ExecutionResult::Revert { output, .. }) => EstimateOutcome::Reverted(output),
        Some(ExecutionResult::Halt { reason, .. })
            if !matches!(reason, HaltReason::OutOfGas(_)) =>
        {
            EstimateOutcome::Halted(halt_text(&reason))
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
            Try::Refused(error) => {
                return Ok(EstimateOutcome::Refused(caller.refusal(&error, optimistic)));
            }
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
            Try::Refused(error) => {
                return Ok(EstimateOutcome::Refused(caller.refusal(&error, middle)));
            }
        }
    }
    Ok(EstimateOutcome::Gas(high))
}
