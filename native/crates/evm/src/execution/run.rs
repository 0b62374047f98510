//! One transaction after the other: gas, receipt, and whom it is found by.

use super::{Executed, Included, Ready, Skipped, evm_failure, tx_env};
use crate::error::ChainError;
use crate::machine::Machine;
use crate::overlay::ReadError;
use crate::texts::{Fees, refusal_text};
use crate::transaction::{Envelope, Refusal};
use alloy_consensus::{Header, Transaction as _};
use alloy_primitives::map::AddressMap;
use alloy_primitives::{Address, U256};
use cairn_state::StoredReceipt;
use revm::context::result::{EVMError, ExecutionResult, InvalidTransaction, ResultAndState};
use revm::state::Account;
use revm::{Database as _, DatabaseCommit as _, ExecuteEvm as _};

/// A block's transactions in progress.
pub(super) struct Run<'a> {
    evm: Machine,
    header: &'a Header,
    outcomes: Vec<Result<usize, Skipped>>,
    included: Vec<Included>,
    gas_used: u64,
}

impl<'a> Run<'a> {
    /// Begins, with room for so many transactions.
    pub(super) fn new(evm: Machine, header: &'a Header, room: usize) -> Self {
        Self {
            evm,
            header,
            outcomes: Vec::with_capacity(room),
            included: Vec::with_capacity(room),
            gas_used: 0,
        }
    }

    /// Executes a transaction at its turn, or skips it.
    pub(super) fn turn(&mut self, tx: Result<Ready, Refusal>) -> Result<(), ChainError> {
        let outcome = match tx {
            Ok(ready) => self.transaction(ready)?,
            Err(refusal) => Err(Skipped {
                code: 2,
                reason: refusal.code.as_str().to_owned(),
            }),
        };
        self.outcomes.push(outcome);
        Ok(())
    }

    /// What all turns came to.
    pub(super) fn finish(self) -> Executed {
        Executed {
            outcomes: self.outcomes,
            included: self.included,
            gas_used: self.gas_used,
            changes: self.evm.ctx.journaled_state.database.into_changes(),
        }
    }

    fn transaction(&mut self, ready: Ready) -> Result<Result<usize, Skipped>, ChainError> {
        let envelope = &ready.tx.envelope;
        if envelope.gas_limit() > self.header.gas_limit.saturating_sub(self.gas_used) {
            return Ok(Err(Skipped {
                code: 5,
                reason: "gas limit reached".to_owned(),
            }));
        }
        let miner_before = self.balance(self.header.beneficiary)?;
        match self.evm.transact(tx_env(envelope, ready.sender)) {
            Ok(done) => Ok(Ok(self.include(ready, done, miner_before))),
            Err(EVMError::Transaction(error)) => Ok(Err(self.skip(&ready, &error))),
            Err(error) => Err(evm_failure(error)),
        }
    }

    fn skip(&self, ready: &Ready, error: &InvalidTransaction) -> Skipped {
        let envelope = &ready.tx.envelope;
        let fees = Fees {
            cap: envelope.max_fee_per_gas(),
            tip: envelope.max_priority_fee_per_gas().unwrap_or_default(),
            base: self.header.base_fee_per_gas.unwrap_or_default(),
            data: envelope.input().len(),
        };
        Skipped {
            code: skip_code(error),
            reason: refusal_text(error, ready.sender, fees),
        }
    }

    /// Keeps what a transaction did; answers its index.
    fn include(&mut self, ready: Ready, done: ResultAndState, miner_before: U256) -> usize {
        let ResultAndState { result, state } = done;
        let envelope = &ready.tx.envelope;
        let gas_used = result.tx_gas_used();
        self.gas_used = self.gas_used.saturating_add(gas_used);
        let effective = envelope.effective_gas_price(self.header.base_fee_per_gas);
        let (miner, fee) = (self.header.beneficiary, self.tip_of(effective, gas_used));
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
        self.included.len() - 1
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
