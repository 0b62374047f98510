//! Execution of one block's transactions on a parent state: system calls, then every transaction in order. Owns what
//! is included and with which receipt; staging, sealing and committing are `candidate`'s and `chain`'s.

use crate::deadline::Deadline;
use crate::error::ChainError;
use crate::header::block_env;
use crate::machine::{Machine, MachineOver, consensus_config, machine};
use crate::overlay::{Overlay, ReadError};
use crate::precompiles::VerdictMemory;
use crate::texts::{Fees, refusal_text};
use crate::transaction::{Decoded, Envelope, Refusal};
use alloy_consensus::{Header, Transaction as _};
use alloy_eips::eip2935::HISTORY_STORAGE_ADDRESS;
use alloy_eips::eip4788::BEACON_ROOTS_ADDRESS;
use alloy_primitives::map::AddressMap;
use alloy_primitives::{Address, U256};
use cairn_state::{StateChanges, StoredReceipt, StoredTx};
use revm::context::TxEnv;
use revm::context::result::{EVMError, ExecutionResult, InvalidTransaction, ResultAndState};
use revm::context_interface::either::Either;
use revm::state::Account;
use revm::{
    Database, DatabaseCommit, ExecuteCommitEvm as _, ExecuteEvm as _, SystemCallCommitEvm as _,
};
use std::sync::Arc;

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

    /// The accounts by which the store finds each transaction.
    pub fn touched(&self) -> Vec<Vec<Address>> {
        let touched = |item: &Included| item.touched.clone();
        self.included.iter().map(touched).collect()
    }

    /// The rows the store keeps of the receipts.
    pub fn stored_receipts(&self) -> Vec<StoredReceipt> {
        self.included
            .iter()
            .map(|item| item.receipt.clone())
            .collect()
    }
}

/// Executes `txs` in the block that `header` begins, on `state`. After the deadline, which a block of consensus does not
/// have, the rest is left out without an outcome.
pub fn execute(
    state: Overlay,
    chain_id: u64,
    header: &Header,
    memory: Arc<VerdictMemory>,
    txs: impl IntoIterator<Item = Result<Ready, Refusal>>,
    deadline: Deadline,
) -> Result<Executed, ChainError> {
    let txs = txs.into_iter();
    let mut evm = machine(state, consensus_config(chain_id), block_env(header), memory);
    system_calls(&mut evm, header)?;
    let mut run = Run {
        evm,
        header,
        included: Vec::with_capacity(txs.size_hint().0),
        gas_used: 0,
    };
    let mut outcomes = Vec::with_capacity(txs.size_hint().0);
    for tx in txs {
        if deadline.is_over() {
            break;
        }
        outcomes.push(match tx {
            Ok(ready) => run.transaction(ready)?,
            Err(refusal) => Err(Skipped {
                code: 2,
                reason: refusal.code.as_str().to_owned(),
            }),
        });
    }
    let Run {
        evm,
        included,
        gas_used,
        ..
    } = run;
    Ok(Executed {
        outcomes,
        included,
        gas_used,
        changes: evm.ctx.journaled_state.database.into_changes(),
    })
}

/// The state after the first transactions of a block that was executed before: system calls, then `txs`.
pub(crate) fn replay(
    state: Overlay,
    chain_id: u64,
    header: &Header,
    memory: Arc<VerdictMemory>,
    txs: impl Iterator<Item = Result<Ready, Refusal>>,
) -> Result<Overlay, ChainError> {
    let mut evm = machine(state, consensus_config(chain_id), block_env(header), memory);
    system_calls(&mut evm, header)?;
    for tx in txs {
        let damaged =
            |_| ChainError::Sequence("a committed transaction does not decode".to_owned());
        let Ready { tx, sender } = tx.map_err(damaged)?;
        evm.transact_commit(tx_env(&tx.envelope, sender))
            .map_err(evm_failure)?;
    }
    Ok(evm.ctx.journaled_state.database)
}

/// EIP-4788 and EIP-2935: the parent's consensus hash and Ethereum hash, before any transaction.
pub(crate) fn system_calls<DB: Database<Error = ReadError> + DatabaseCommit, I>(
    evm: &mut MachineOver<DB, I>,
    header: &Header,
) -> Result<(), ChainError> {
    let beacon_root = header.parent_beacon_block_root.unwrap_or_default();
    for (contract, word) in [
        (BEACON_ROOTS_ADDRESS, beacon_root),
        (HISTORY_STORAGE_ADDRESS, header.parent_hash),
    ] {
        evm.system_call_commit(contract, word.0.into())
            .map_err(evm_failure)?;
    }
    Ok(())
}

struct Run<'a> {
    evm: Machine,
    header: &'a Header,
    included: Vec<Included>,
    gas_used: u64,
}

impl Run<'_> {
    fn transaction(&mut self, ready: Ready) -> Result<Result<usize, Skipped>, ChainError> {
        let envelope = &ready.tx.envelope;
        if envelope.gas_limit() > self.header.gas_limit.saturating_sub(self.gas_used) {
            return Ok(Err(Skipped {
                code: 5,
                reason: "gas limit reached".to_owned(),
            }));
        }
        let fees = Fees {
            cap: envelope.max_fee_per_gas(),
            tip: envelope.max_priority_fee_per_gas().unwrap_or_default(),
            base: self.header.base_fee_per_gas.unwrap_or_default(),
            data: envelope.input().len(),
        };
        let miner = self.header.beneficiary;
        let miner_before = self.balance(miner)?;
        let ResultAndState { result, state } =
            match self.evm.transact(tx_env(envelope, ready.sender)) {
                Ok(done) => done,
                Err(EVMError::Transaction(error)) => {
                    let reason = refusal_text(&error, ready.sender, fees);
                    return Ok(Err(Skipped {
                        code: skip_code(&error),
                        reason,
                    }));
                }
                Err(error) => return Err(evm_failure(error)),
            };
        let gas_used = result.tx_gas_used();
        self.gas_used = self.gas_used.saturating_add(gas_used);
        let effective = envelope.effective_gas_price(self.header.base_fee_per_gas);
        let fee = self.tip_of(effective, gas_used);
        let only_paid = |account: &Account| account.info.balance == miner_before.wrapping_add(fee);
        let touched = touched_accounts(&ready, &state, |address, account| {
            address == miner && only_paid(account)
        });
        self.evm.ctx.journaled_state.database.commit(state);
        let receipt = receipt(
            envelope,
            ready.sender,
            result,
            gas_used,
            self.gas_used,
            effective,
        );
        self.included.push(Included {
            ready,
            receipt,
            touched,
        });
        Ok(Ok(self.included.len() - 1))
    }

    fn balance(&mut self, address: Address) -> Result<U256, ChainError> {
        let found = self.evm.ctx.journaled_state.database.basic(address);
        let account = found.map_err(|ReadError(error)| error)?;
        Ok(account.map(|account| account.balance).unwrap_or_default())
    }

    /// What the proposer gets of a transaction.
    fn tip_of(&self, effective_gas_price: u128, gas_used: u64) -> U256 {
        let base = self.header.base_fee_per_gas.unwrap_or_default();
        let tip = effective_gas_price.saturating_sub(u128::from(base));
        U256::from(tip) * U256::from(gas_used)
    }
}

/// The accounts a transaction is found by: its sender and recipient, whom it created, and whomever it reached, be it in a
/// frame that reverted. Precompiles are not, nor who was `only_paid` for including it.
fn touched_accounts(
    ready: &Ready,
    state: &AddressMap<Account>,
    only_paid: impl Fn(Address, &Account) -> bool,
) -> Vec<Address> {
    let target = ready
        .to()
        .unwrap_or_else(|| ready.sender.create(ready.nonce()));
    let mut touched = vec![ready.sender, target];
    for (address, account) in state {
        let counts = !is_precompile(address) && !only_paid(*address, account);
        if counts && *address != ready.sender && *address != target {
            touched.push(*address);
        }
    }
    touched
}

/// Ethereum's precompiled contracts stand below 0x0100.
fn is_precompile(address: &Address) -> bool {
    let (head, tail) = address.split_at(18);
    head.iter().all(|byte| *byte == 0) && tail.first() == Some(&0)
}

fn receipt(
    tx: &Envelope,
    sender: Address,
    result: ExecutionResult,
    gas_used: u64,
    cumulative_gas_used: u64,
    effective_gas_price: u128,
) -> StoredReceipt {
    let success = result.is_success();
    StoredReceipt {
        tx_type: tx.tx_type() as u8,
        success,
        cumulative_gas_used,
        gas_used,
        effective_gas_price,
        contract_address: tx.kind().is_create().then(|| sender.create(tx.nonce())),
        logs: if success {
            result.into_logs()
        } else {
            Vec::new()
        },
    }
}

fn skip_code(error: &InvalidTransaction) -> u32 {
    match error {
        InvalidTransaction::NonceTooHigh { .. }
        | InvalidTransaction::NonceTooLow { .. }
        | InvalidTransaction::NonceOverflowInTransaction => 3,
        InvalidTransaction::LackOfFundForMaxFee { .. }
        | InvalidTransaction::OverflowPaymentInTransaction => 4,
        InvalidTransaction::CallerGasLimitMoreThanBlock => 5,
        InvalidTransaction::GasPriceLessThanBasefee => 6,
        InvalidTransaction::RejectCallerWithCode => 7,
        _ => 8,
    }
}

/// The EVM's form of a signed transaction.
pub fn tx_env(tx: &Envelope, sender: Address) -> TxEnv {
    let authorizations = tx.authorization_list().unwrap_or_default();
    TxEnv {
        tx_type: tx.tx_type() as u8,
        caller: sender,
        gas_limit: tx.gas_limit(),
        gas_price: tx.max_fee_per_gas(),
        kind: tx.kind(),
        value: tx.value(),
        data: tx.input().clone(),
        nonce: tx.nonce(),
        chain_id: tx.chain_id(),
        access_list: tx.access_list().cloned().unwrap_or_default(),
        gas_priority_fee: tx.max_priority_fee_per_gas(),
        blob_hashes: Vec::new(),
        max_fee_per_blob_gas: 0,
        authorization_list: authorizations.iter().cloned().map(Either::Left).collect(),
    }
}

/// Turns an EVM failure that is no property of the transaction into an error.
pub fn evm_failure(error: EVMError<ReadError>) -> ChainError {
    match error {
        EVMError::Database(ReadError(error)) => ChainError::State(error),
        other => ChainError::Sequence(other.to_string()),
    }
}
