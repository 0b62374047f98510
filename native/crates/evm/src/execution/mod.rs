//! Execution of one block's transactions on a parent state: system calls, then every transaction in order. Owns what
//! is included and with which receipt; staging, sealing and committing are `candidate`'s and `chain`'s.

mod executed;
mod run;

pub use executed::{Executed, Included, Ready, Skipped};

use crate::deadline::Deadline;
use crate::error::ChainError;
use crate::header::block_env;
use crate::machine::{MachineOver, consensus_config, machine};
use crate::overlay::{Overlay, ReadError};
use crate::precompiles::VerdictMemory;
use crate::transaction::{Envelope, Refusal};
use alloy_consensus::{Header, Transaction as _};
use alloy_eips::eip2935::HISTORY_STORAGE_ADDRESS;
use alloy_eips::eip4788::BEACON_ROOTS_ADDRESS;
use alloy_primitives::Address;
use revm::context::TxEnv;
use revm::context::result::EVMError;
use revm::context_interface::either::Either;
use revm::{Database, DatabaseCommit, ExecuteCommitEvm as _, SystemCallCommitEvm as _};
use run::Run;
use std::sync::Arc;

/// Executes `txs` in the block that `header` begins, on `state`. After the deadline, which a block of consensus does not
/// have, the rest is left out without an outcome.
pub(crate) fn execute(
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
    let mut run = Run::new(evm, header, txs.size_hint().0);
    for tx in txs {
        if deadline.is_over() {
            break;
        }
        run.turn(tx)?;
    }
    Ok(run.finish())
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

/// The EVM's form of a signed transaction.
pub(crate) fn tx_env(tx: &Envelope, sender: Address) -> TxEnv {
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
pub(crate) fn evm_failure(error: EVMError<ReadError>) -> ChainError {
    match error {
        EVMError::Database(ReadError(error)) => ChainError::State(error),
        other => ChainError::Sequence(other.to_string()),
    }
}
