//! Decoding of EIP-2718 transactions and the checks that need no state. Owns what makes bytes admissible; not whether
//! the sender can pay or the nonce fits.

use crate::spec::{ChainSpec, MAX_INITCODE_BYTES, MAX_TRANSACTION_BYTES};
use alloy_consensus::{EthereumTxEnvelope, Transaction as _, TxEip4844};
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use alloy_primitives::{Address, B256, Bytes, keccak256};
use std::fmt;

/// A decoded transaction envelope. Type 3 never appears: it is refused before decoding.
pub type Envelope = EthereumTxEnvelope<TxEip4844>;

/// Why bytes are no admissible transaction, whatever the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalCode {
    /// No canonical EIP-2718 encoding.
    Undecodable,
    /// A type this chain does not run: 3 (no blobs) and everything unknown.
    UnsupportedType,
    /// Signed for another chain.
    WrongChainId,
    /// Not replay-protected (before EIP-155), where that is refused.
    Unprotected,
    /// High `s` (EIP-2), or no public key.
    InvalidSignature,
    /// Gas limit below the intrinsic gas.
    IntrinsicGas,
    /// Gas limit below the calldata floor (EIP-7623).
    FloorGas,
    /// Gas limit above the block's.
    GasAboveBlockLimit,
    /// Init code above 49,152 bytes (EIP-3860).
    InitcodeTooLarge,
    /// Priority fee above the fee cap.
    TipAboveFeeCap,
    /// More than 1 MiB.
    Oversized,
    /// Type 4 without authorizations (EIP-7702).
    EmptyAuthorizationList,
}

impl RefusalCode {
    /// The code as `AdmitCode` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Undecodable => "undecodable",
            Self::UnsupportedType => "unsupported-type",
            Self::WrongChainId => "wrong-chain-id",
            Self::Unprotected => "unprotected",
            Self::InvalidSignature => "invalid-signature",
            Self::IntrinsicGas => "intrinsic-gas",
            Self::FloorGas => "floor-gas",
            Self::GasAboveBlockLimit => "gas-above-block-limit",
            Self::InitcodeTooLarge => "initcode-too-large",
            Self::TipAboveFeeCap => "tip-above-fee-cap",
            Self::Oversized => "oversized",
            Self::EmptyAuthorizationList => "empty-authorization-list",
        }
    }
}

/// A refused transaction, with the numbers a message needs where the code has any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub code: RefusalCode,
    /// What the transaction has, and what was wanted.
    pub numbers: Option<(u128, u128)>,
}

impl fmt::Display for Refusal {
    /// The code, and its numbers where it has any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.as_str())?;
        match self.numbers {
            Some((have, want)) => write!(f, " {have} {want}"),
            None => Ok(()),
        }
    }
}

impl Refusal {
    fn new(code: RefusalCode) -> Self {
        Self {
            code,
            numbers: None,
        }
    }

    fn with(code: RefusalCode, have: impl Into<u128>, want: impl Into<u128>) -> Self {
        Self {
            code,
            numbers: Some((have.into(), want.into())),
        }
    }

    /// The refusal of a signature that names no sender.
    pub fn signature() -> Self {
        Self::new(RefusalCode::InvalidSignature)
    }
}

/// A transaction with its encoding and hash; the sender is not known yet.
#[derive(Debug, Clone)]
pub struct Decoded {
    /// The fields and the signature.
    pub envelope: Envelope,
    /// The bytes it was decoded from.
    pub raw: Bytes,
    /// keccak-256 of `raw`.
    pub hash: B256,
}

/// Decodes the consensus form of one transaction; only the canonical encoding is taken.
pub fn decode(raw: Bytes) -> Result<Decoded, Refusal> {
    if raw.len() > MAX_TRANSACTION_BYTES {
        return Err(Refusal::with(
            RefusalCode::Oversized,
            raw.len() as u128,
            MAX_TRANSACTION_BYTES as u128,
        ));
    }
    match raw.first() {
        None | Some(0x80..=0xbf) | Some(0xff) => {
            return Err(Refusal::new(RefusalCode::Undecodable));
        }
        Some(0x01 | 0x02 | 0x04 | 0xc0..=0xfe) => {}
        Some(_) => return Err(Refusal::new(RefusalCode::UnsupportedType)),
    }
    let envelope =
        Envelope::decode_2718_exact(&raw).map_err(|_| Refusal::new(RefusalCode::Undecodable))?;
    if envelope.encoded_2718() != raw.as_ref() {
        return Err(Refusal::new(RefusalCode::Undecodable));
    }
    let hash = keccak256(&raw);
    Ok(Decoded {
        envelope,
        raw,
        hash,
    })
}

/// Checks what the chain's parameters and the block gas limit decide. Order as in geth's pool.
pub fn check(tx: &Envelope, spec: &ChainSpec, block_gas_limit: u64) -> Result<(), Refusal> {
    match tx.chain_id() {
        Some(id) if id != spec.chain_id => {
            return Err(Refusal::with(RefusalCode::WrongChainId, id, spec.chain_id));
        }
        None if !spec.allow_unprotected => return Err(Refusal::new(RefusalCode::Unprotected)),
        _ => {}
    }
    if tx.kind().is_create() && tx.input().len() > MAX_INITCODE_BYTES {
        let have = tx.input().len() as u128;
        return Err(Refusal::with(
            RefusalCode::InitcodeTooLarge,
            have,
            MAX_INITCODE_BYTES as u128,
        ));
    }
    if tx.gas_limit() > block_gas_limit {
        return Err(Refusal::with(
            RefusalCode::GasAboveBlockLimit,
            tx.gas_limit(),
            block_gas_limit,
        ));
    }
    if let Some(tip) = tx.max_priority_fee_per_gas()
        && tip > tx.max_fee_per_gas()
    {
        return Err(Refusal::with(
            RefusalCode::TipAboveFeeCap,
            tip,
            tx.max_fee_per_gas(),
        ));
    }
    if tx.authorization_list().is_some_and(<[_]>::is_empty) {
        return Err(Refusal::new(RefusalCode::EmptyAuthorizationList));
    }
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
pub fn minimum_gas(tx: &Envelope) -> (u64, u64) {
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

/// Recovers the sender with the C library; `None` for a high `s` or a signature without a public key.
pub fn recover(tx: &Envelope) -> Option<Address> {
    alloy_consensus::crypto::secp256k1::recover_signer(tx.signature(), tx.signature_hash()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_consensus::{SignableTransaction as _, TxEip1559, TxEip7702};
    use alloy_eips::eip2930::{AccessList, AccessListItem};
    use alloy_eips::eip7702::{Authorization, SignedAuthorization};
    use alloy_primitives::{Signature, TxKind, U256};
    use revm::context_interface::cfg::GasParams;
    use revm::primitives::hardfork::SpecId;

    fn signature() -> Signature {
        Signature::new(U256::from(1), U256::from(1), false)
    }

    fn message(kind: TxKind, input: Bytes, items: u64, keys: u64) -> Envelope {
        let item = |index: u64| AccessListItem {
            address: Address::with_last_byte(index as u8),
            storage_keys: vec![B256::ZERO; keys as usize],
        };
        let access_list = AccessList((0..items).map(item).collect());
        let tx = TxEip1559 {
            to: kind,
            input,
            access_list,
            ..TxEip1559::default()
        };
        tx.into_signed(signature()).into()
    }

    fn revm_minimum(tx: &Envelope) -> (u64, u64) {
        let list = tx
            .access_list()
            .map(|list| list.0.as_slice())
            .unwrap_or_default();
        let keys: usize = list.iter().map(|item| item.storage_keys.len()).sum();
        let gas = GasParams::new_spec(SpecId::PRAGUE).initial_tx_gas(
            tx.input(),
            tx.kind().is_create(),
            list.len() as u64,
            keys as u64,
            tx.authorization_list().map_or(0, <[_]>::len) as u64,
            None,
        );
        (gas.initial_regular_gas(), gas.floor_gas)
    }

    #[test]
    fn the_minimum_gas_is_what_the_evm_charges() {
        let inputs = [
            vec![],
            vec![0; 100],
            vec![7; 100],
            vec![0, 1, 2, 0, 0, 9],
            vec![3; 40_000],
        ];
        for input in inputs {
            for kind in [TxKind::Create, TxKind::Call(Address::ZERO)] {
                for (items, keys) in [(0, 0), (1, 0), (3, 5)] {
                    let tx = message(kind, input.clone().into(), items, keys);
                    assert_eq!(
                        minimum_gas(&tx),
                        revm_minimum(&tx),
                        "{kind:?} {} {items}",
                        input.len()
                    );
                }
            }
        }
        let authorization = Authorization {
            chain_id: U256::ZERO,
            address: Address::ZERO,
            nonce: 0,
        };
        let signed =
            SignedAuthorization::new_unchecked(authorization, 0, U256::from(1), U256::from(1));
        let tx = TxEip7702 {
            authorization_list: vec![signed; 3],
            ..TxEip7702::default()
        };
        let tx: Envelope = tx.into_signed(signature()).into();
        assert_eq!(minimum_gas(&tx), revm_minimum(&tx));
        assert_eq!(minimum_gas(&tx), (21_000 + 75_000, 21_000));
    }

    #[test]
    fn no_bytes_make_the_decoder_panic_and_decoding_is_canonical() {
        let raw = message(TxKind::Call(Address::ZERO), vec![1, 2, 3].into(), 2, 2).encoded_2718();
        assert!(decode(raw.clone().into()).is_ok());
        for index in 0..raw.len() {
            for flip in [0x01u8, 0x80, 0xff] {
                let mut changed = raw.clone();
                if let Some(byte) = changed.get_mut(index) {
                    *byte ^= flip;
                }
                if let Ok(tx) = decode(changed.clone().into()) {
                    assert_eq!(tx.envelope.encoded_2718(), changed);
                }
            }
            let cut = raw.get(..index).unwrap_or_default().to_vec();
            assert!(decode(cut.into()).is_err());
        }
    }
}
