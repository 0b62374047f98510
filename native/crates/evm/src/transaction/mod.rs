//! Decoding of EIP-2718 transactions and the checks that need no state. Owns what makes bytes admissible; not whether
//! the sender can pay or the nonce fits.

mod check;
mod refusal;
#[cfg(test)]
mod tests;

pub(crate) use check::check;
pub use refusal::{Refusal, RefusalCode};

use crate::spec::MAX_TRANSACTION_BYTES;
use alloy_consensus::{EthereumTxEnvelope, TxEip4844};
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use alloy_primitives::{Address, B256, Bytes, keccak256};

/// A decoded transaction envelope. Type 3 never appears: it is refused before decoding.
pub(crate) type Envelope = EthereumTxEnvelope<TxEip4844>;

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
pub(crate) fn decode(raw: Bytes) -> Result<Decoded, Refusal> {
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

/// Recovers the sender with the C library; `None` for a high `s` or a signature without a public key.
pub(crate) fn recover(tx: &Envelope) -> Option<Address> {
    alloy_consensus::crypto::secp256k1::recover_signer(tx.signature(), tx.signature_hash()).ok()
}
