//! The chain's parameters that execution needs, and the base fee rule.

use alloy_consensus::Header;
use alloy_eips::eip1559::{BaseFeeParams, calc_next_block_base_fee};

/// Largest encoded transaction, in bytes.
pub(crate) const MAX_TRANSACTION_BYTES: usize = 1024 * 1024;

/// Largest init code, in bytes (EIP-3860).
pub(crate) const MAX_INITCODE_BYTES: usize = 49_152;

/// Parameters of one chain, fixed by its genesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainSpec {
    /// EIP-155 chain id.
    pub chain_id: u64,
    /// The base fee in wei never falls below this.
    pub min_base_fee: u64,
    /// Whether transactions without a chain id (before EIP-155) are taken.
    pub allow_unprotected: bool,
}

impl ChainSpec {
    /// Base fee in wei of the block after `parent` (EIP-1559, elasticity 2, denominator 8, with the chain's floor).
    pub fn next_base_fee(&self, parent: &Header) -> u64 {
        let base_fee = parent.base_fee_per_gas.unwrap_or_default();
        let next = calc_next_block_base_fee(
            parent.gas_used,
            parent.gas_limit,
            base_fee,
            BaseFeeParams::ethereum(),
        );
        next.max(self.min_base_fee)
    }
}
