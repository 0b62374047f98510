//! The checks of a decoded transaction that need no state.

use super::{Envelope, Refusal, RefusalCode};
use crate::spec::{ChainSpec, MAX_INITCODE_BYTES};
use alloy_consensus::Transaction as _;

/// Checks what the chain's parameters and the block gas limit decide. Order as in geth's pool.
pub(crate) fn check(tx: &Envelope, spec: &ChainSpec, block_gas_limit: u64) -> Result<(), Refusal> {
    check_chain_id(tx, spec)?;
    check_limits(tx, block_gas_limit)?;
    check_fields(tx)?;
    check_minimum_gas(tx)
}

fn check_chain_id(tx: &Envelope, spec: &ChainSpec) -> Result<(), Refusal> {
    match tx.chain_id() {
        Some(id) if id != spec.chain_id => {
            Err(Refusal::with(RefusalCode::WrongChainId, id, spec.chain_id))
        }
        None if !spec.allow_unprotected => Err(Refusal::new(RefusalCode::Unprotected)),
        _ => Ok(()),
    }
}

fn check_limits(tx: &Envelope, block_gas_limit: u64) -> Result<(), Refusal> {
    let (input, gas) = (tx.input().len(), tx.gas_limit());
    if tx.kind().is_create() && input > MAX_INITCODE_BYTES {
        let code = RefusalCode::InitcodeTooLarge;
        return Err(Refusal::with(
            code,
            input as u128,
            MAX_INITCODE_BYTES as u128,
        ));
    }
    if gas > block_gas_limit {
        let code = RefusalCode::GasAboveBlockLimit;
        return Err(Refusal::with(code, gas, block_gas_limit));
    }
    Ok(())
}

fn check_fields(tx: &Envelope) -> Result<(), Refusal> {
    let cap = tx.max_fee_per_gas();
    if let Some(tip) = tx.max_priority_fee_per_gas().filter(|tip| *tip > cap) {
        return Err(Refusal::with(RefusalCode::TipAboveFeeCap, tip, cap));
    }
    if tx.authorization_list().is_some_and(<[_]>::is_empty) {
        return Err(Refusal::new(RefusalCode::EmptyAuthorizationList));
    }
    Ok(())
}

fn check_minimum_gas(tx: &Envelope) -> Result<(), Refusal> {
    let (intrinsic, floor) = minimum_gas(tx);
    for (code, needed) in [
        (RefusalCode::IntrinsicGas, intrinsic),
        (RefusalCode::FloorGas, floor),
    ] {
        if tx.gas_limit() < needed {
            return Err(Refusal::with(code, tx.gas_limit(), needed));
        }
    }
    Ok(())
}

/// The gas a transaction must at least carry: its intrinsic gas (EIP-2, 2028, 2930, 3860, 7702) and the calldata floor
/// (EIP-7623).
pub(super) fn minimum_gas(tx: &Envelope) -> (u64, u64) {
    let zeros = tx.input().iter().filter(|byte| **byte == 0).count() as u64;
    let non_zeros = tx.input().len() as u64 - zeros;
    let tokens = zeros + 4 * non_zeros;
    let mut intrinsic = 21_000 + 4 * tokens;
    if tx.kind().is_create() {
        intrinsic += 32_000 + 2 * (tx.input().len() as u64).div_ceil(32);
    }
    if let Some(list) = tx.access_list() {
        let keys: usize = list.iter().map(|item| item.storage_keys.len()).sum();
        intrinsic += 2_400 * list.len() as u64 + 1_900 * keys as u64;
    }
    intrinsic += 25_000 * tx.authorization_list().map_or(0, <[_]>::len) as u64;
    (intrinsic, 21_000 + 10 * tokens)
}
