//! What goes into an execution and what comes out of it: transactions with their senders, receipts, who was skipped.

use crate::transaction::Decoded;
use alloy_consensus::Transaction as _;
use alloy_primitives::{Address, U256};
use cairn_state::{StateChanges, StoredReceipt, StoredTx};

/// A transaction that passed the checks without state, with its sender.
#[derive(Debug, Clone)]
pub struct Ready {
    /// Fields, bytes, hash.
    pub tx: Decoded,
    /// Who signed it.
    pub sender: Address,
}

impl Ready {
    /// EIP-2718 type.
    pub fn tx_type(&self) -> u8 {
        self.tx.envelope.tx_type() as u8
    }

    /// Where it goes; `None` for a creation.
    pub fn to(&self) -> Option<Address> {
        self.tx.envelope.to()
    }

    /// Nonce.
    pub fn nonce(&self) -> u64 {
        self.tx.envelope.nonce()
    }

    /// Gas limit.
    pub fn gas_limit(&self) -> u64 {
        self.tx.envelope.gas_limit()
    }

    /// Fee cap (gas price of the older types) in wei.
    pub fn max_fee_per_gas(&self) -> u128 {
        self.tx.envelope.max_fee_per_gas()
    }

    /// Priority fee in wei; the gas price of the older types.
    pub fn max_priority_fee_per_gas(&self) -> u128 {
        let envelope = &self.tx.envelope;
        envelope
            .max_priority_fee_per_gas()
            .unwrap_or_else(|| envelope.max_fee_per_gas())
    }

    /// Wei sent.
    pub fn value(&self) -> U256 {
        self.tx.envelope.value()
    }
}

/// A transaction that could not be executed at its turn: no receipt, no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// 2 inadmissible bytes, 3 nonce, 4 funds, 5 block gas, 6 fee cap below the base fee, 7 sender with code, 8 other.
    pub code: u32,
    /// geth's text.
    pub reason: String,
}

/// One executed transaction.
#[derive(Debug, Clone)]
pub struct Included {
    /// Fields, bytes, hash, sender.
    pub ready: Ready,
    /// Its receipt.
    pub receipt: StoredReceipt,
    /// The accounts it is to be found by.
    pub touched: Vec<Address>,
}

/// What executing a list of transactions came to.
#[derive(Debug)]
pub struct Executed {
    /// Per given transaction the index among `included`, or why it was skipped.
    pub outcomes: Vec<Result<usize, Skipped>>,
    /// The block's transactions.
    pub included: Vec<Included>,
    /// Gas used by all of them.
    pub gas_used: u64,
    /// What the block does to the state.
    pub changes: StateChanges,
}

impl Executed {
    /// The rows the store keeps of the transactions.
    pub fn stored_transactions(&self) -> Vec<StoredTx> {
        let row = |item: &Included| StoredTx {
            raw: item.ready.tx.raw.clone(),
            hash: item.ready.tx.hash,
            sender: item.ready.sender,
        };
        self.included.iter().map(row).collect()
    }

    /// The accounts by which the store finds each transaction, once nothing else is wanted.
    pub(crate) fn into_touched(self) -> Vec<Vec<Address>> {
        let included = self.included.into_iter();
        included.map(|item| item.touched).collect()
    }

    /// The rows the store keeps of the receipts.
    pub fn stored_receipts(&self) -> Vec<StoredReceipt> {
        self.included
            .iter()
            .map(|item| item.receipt.clone())
            .collect()
    }
}
