//! The unsigned transaction that stands for a simulated call, and geth's code for one that cannot start.

use crate::call::CallRequest;
use alloy_consensus::{SignableTransaction, Signed, TxEip1559, TxEip7702, TxLegacy};
use alloy_eips::eip2718::Encodable2718;
use alloy_primitives::{Signature, U256, keccak256};
use cairn_state::StoredTx;
use revm::context::TxEnv;
use revm::context::result::InvalidTransaction;

/// A call as a block's transaction: type 2, 0 with a gas price, 4 with authorizations; its signature is zero.
pub(super) fn simulated_transaction(call: &CallRequest, tx: &TxEnv, chain_id: u64) -> StoredTx {
    let raw = raw(call, tx, chain_id);
    StoredTx {
        hash: keccak256(&raw),
        raw: raw.into(),
        sender: tx.caller,
    }
}

fn raw(call: &CallRequest, tx: &TxEnv, chain_id: u64) -> Vec<u8> {
    match (&call.authorizations, call.to, call.gas_price) {
        (Some(list), Some(to), _) => encoded(TxEip7702 {
            chain_id,
            nonce: tx.nonce,
            gas_limit: tx.gas_limit,
            max_fee_per_gas: tx.gas_price,
            max_priority_fee_per_gas: tx.gas_priority_fee.unwrap_or_default(),
            to,
            value: tx.value,
            access_list: tx.access_list.clone(),
            authorization_list: list.clone(),
            input: tx.data.clone(),
        }),
        (_, _, Some(gas_price)) => encoded(TxLegacy {
            chain_id: None,
            nonce: tx.nonce,
            gas_price,
            gas_limit: tx.gas_limit,
            to: tx.kind,
            value: tx.value,
            input: tx.data.clone(),
        }),
        _ => encoded(TxEip1559 {
            chain_id,
            nonce: tx.nonce,
            gas_limit: tx.gas_limit,
            max_fee_per_gas: tx.gas_price,
            max_priority_fee_per_gas: tx.gas_priority_fee.unwrap_or_default(),
            to: tx.kind,
            value: tx.value,
            access_list: tx.access_list.clone(),
            input: tx.data.clone(),
        }),
    }
}

fn encoded<T>(tx: T) -> Vec<u8>
where
    T: SignableTransaction<Signature>,
    Signed<T>: Encodable2718,
{
    let unsigned = Signature::new(U256::ZERO, U256::ZERO, false);
    tx.into_signed(unsigned).encoded_2718()
}

/// JSON-RPC code of a call that cannot start.
pub(super) fn failure_code(error: &InvalidTransaction) -> i64 {
    match error {
        InvalidTransaction::NonceTooLow { .. } => -38010,
        InvalidTransaction::NonceTooHigh { .. } => -38011,
        InvalidTransaction::GasPriceLessThanBasefee => -38012,
        InvalidTransaction::CallGasCostMoreThanGasLimit { .. } => -38013,
        InvalidTransaction::LackOfFundForMaxFee { .. }
        | InvalidTransaction::OverflowPaymentInTransaction => -38014,
        InvalidTransaction::RejectCallerWithCode => -38024,
        InvalidTransaction::CreateInitCodeSizeLimit => -38025,
        InvalidTransaction::PriorityFeeGreaterThanMaxFee => -32602,
        _ => -32603,
    }
}
