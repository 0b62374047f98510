//! geth's words for what the EVM reports: transactions that cannot start, and halts.

use crate::spec::MAX_INITCODE_BYTES;
use alloy_primitives::{Address, U256};
use revm::context::result::{HaltReason, InvalidTransaction, OutOfGasError};

/// The numbers of a message that its refusal may tell.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fees {
    /// Fee cap or gas price in wei.
    pub cap: u128,
    /// Priority fee in wei.
    pub tip: u128,
    /// Base fee of the block in wei.
    pub base: u64,
    /// Length of the calldata or init code in bytes.
    pub data: usize,
}

/// Why a message could not start, as geth's `core` words it.
pub(crate) fn refusal_text(error: &InvalidTransaction, sender: Address, fees: Fees) -> String {
    match error {
        InvalidTransaction::PriorityFeeGreaterThanMaxFee
        | InvalidTransaction::GasPriceLessThanBasefee
        | InvalidTransaction::LackOfFundForMaxFee { .. }
        | InvalidTransaction::OverflowPaymentInTransaction => fee_text(error, sender, fees),
        InvalidTransaction::CallGasCostMoreThanGasLimit {
            initial_gas: want,
            gas_limit: have,
        } => format!("intrinsic gas too low: have {have}, want {want}"),
        InvalidTransaction::GasFloorMoreThanGasLimit {
            gas_floor: want,
            gas_limit: have,
        } => format!("insufficient gas for floor data gas cost: have {have}, want {want}"),
        InvalidTransaction::NonceTooHigh { tx, state } => {
            format!("nonce too high: address {sender}, tx: {tx} state: {state}")
        }
        InvalidTransaction::NonceTooLow { tx, state } => {
            format!("nonce too low: address {sender}, tx: {tx} state: {state}")
        }
        InvalidTransaction::NonceOverflowInTransaction => {
            format!("nonce has max value: address {sender}, nonce: {}", u64::MAX)
        }
        InvalidTransaction::RejectCallerWithCode => format!("sender not an eoa: address {sender}"),
        InvalidTransaction::CreateInitCodeSizeLimit => format!(
            "max initcode size exceeded: code size {} limit {MAX_INITCODE_BYTES}",
            fees.data
        ),
        // What no EVM checks: a transaction of this type always has a receiver.
        InvalidTransaction::AuthorizationListInvalidFields => {
            format!("EIP-7702 transaction cannot be used to create contract (sender {sender})")
        }
        InvalidTransaction::CallerGasLimitMoreThanBlock => "gas limit reached".to_owned(),
        InvalidTransaction::EmptyAuthorizationList => {
            format!("EIP-7702 transaction with empty auth list (sender {sender})")
        }
        other => other.to_string(),
    }
}

fn fee_text(error: &InvalidTransaction, sender: Address, fees: Fees) -> String {
    let Fees { cap, tip, base, .. } = fees;
    match error {
        InvalidTransaction::PriorityFeeGreaterThanMaxFee => format!(
            "max priority fee per gas higher than max fee per gas: address {sender}, maxPriorityFeePerGas: {tip}, maxFeePerGas: {cap}"
        ),
        InvalidTransaction::GasPriceLessThanBasefee => format!(
            "max fee per gas less than block base fee: address {sender}, maxFeePerGas: {cap}, baseFee: {base}"
        ),
        InvalidTransaction::LackOfFundForMaxFee { fee, balance } => format!(
            "insufficient funds for gas * price + value: address {sender} have {balance} want {fee}"
        ),
        InvalidTransaction::OverflowPaymentInTransaction => format!(
            "insufficient funds for gas * price + value: address {sender} required balance exceeds 256 bits"
        ),
        other => other.to_string(),
    }
}

/// What stopped a frame, as geth's `vm` words it.
pub(crate) fn halt_text(reason: &HaltReason) -> String {
    match reason {
        HaltReason::OutOfGas(OutOfGasError::InvalidOperand) => "gas uint64 overflow",
        HaltReason::OutOfGas(OutOfGasError::ReentrancySentry) => {
            "out of gas: not enough gas for reentrancy sentry"
        }
        HaltReason::OutOfGas(_) => "out of gas",
        HaltReason::OpcodeNotFound | HaltReason::NotActivated => "invalid opcode",
        HaltReason::InvalidFEOpcode => "invalid opcode: INVALID",
        HaltReason::InvalidJump => "invalid jump destination",
        HaltReason::StackUnderflow => "stack underflow",
        HaltReason::StackOverflow => "stack limit reached 1024 (1023)",
        HaltReason::OutOfOffset => "return data out of bounds",
        HaltReason::CreateCollision => "contract address collision",
        HaltReason::NonceOverflow => "nonce uint64 overflow",
        HaltReason::CreateContractSizeLimit => "max code size exceeded",
        HaltReason::CreateContractStartingWithEF => "invalid code: must not begin with 0xef",
        HaltReason::CreateInitCodeSizeLimit => "max initcode size exceeded",
        HaltReason::StateChangeDuringStaticCall | HaltReason::CallNotAllowedInsideStatic => {
            "write protection"
        }
        HaltReason::OutOfFunds => "insufficient balance for transfer",
        HaltReason::CallTooDeep => "max call depth exceeded",
        HaltReason::PrecompileErrorWithContext(text) => return text.clone(),
        other => return other.to_string(),
    }
    .to_owned()
}

const ERROR_SELECTOR: [u8; 4] = [0x08, 0xc3, 0x79, 0xa0];
const PANIC_SELECTOR: [u8; 4] = [0x4e, 0x48, 0x7b, 0x71];

/// What geth says of a revert with this payload.
pub(crate) fn revert_text(payload: &[u8]) -> String {
    let reason = payload
        .split_first_chunk::<4>()
        .and_then(|(selector, body)| match *selector {
            ERROR_SELECTOR => error_reason(body),
            PANIC_SELECTOR => body.get(..32).map(panic_reason),
            _ => None,
        });
    match reason {
        Some(reason) => format!("execution reverted: {reason}"),
        None => "execution reverted".to_owned(),
    }
}

fn error_reason(body: &[u8]) -> Option<String> {
    if U256::from_be_slice(body.get(..32)?) != U256::from(32) {
        return None;
    }
    let length = usize::try_from(U256::from_be_slice(body.get(32..64)?)).ok()?;
    let text = body.get(64..64usize.checked_add(length)?)?;
    Some(String::from_utf8_lossy(text).into_owned())
}

fn panic_reason(word: &[u8]) -> String {
    let code = U256::from_be_slice(word);
    let known = match code.saturating_to::<u64>() {
        0x00 => "generic panic",
        0x01 => "assert(false)",
        0x11 => "arithmetic underflow or overflow",
        0x12 => "division or modulo by zero",
        0x21 => "enum overflow",
        0x22 => "invalid encoded storage byte array accessed",
        0x31 => "out-of-bounds array access; popping on an empty array",
        0x32 => "out-of-bounds access of an array or bytesN",
        0x41 => "out of memory",
        0x51 => "uninitialized function",
        _ => return format!("unknown panic code: {code:#x}"),
    };
    known.to_owned()
}
