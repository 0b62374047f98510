//! One call of a simulated block.

use super::Simulator;
use super::block::OpenBlock;
use super::stop::{Stop, fail, fail_nonce};
use super::transaction::{failure_code, simulated_transaction};
use super::transfers::SimulationWatch;
use crate::call::{CallRequest, Run, call_env, creation_with_authorizations, refusal_of, run_of};
use crate::error::ChainError;
use crate::json::simulated::SimulatedCall;
use crate::last_step::LastStep;
use crate::machine::Watched;
use crate::overlay::ReadError;
use crate::texts::halt_text;
use cairn_state::{StoredReceipt, StoredTx};
use revm::context::TxEnv;
use revm::context::result::{EVMError, ExecutionResult, ResultAndState};
use revm::{Database as _, DatabaseCommit as _, ExecuteEvm as _, InspectEvm as _};

impl Simulator<'_> {
    /// Runs a call in its block.
    pub(super) fn call(&mut self, call: &CallRequest, block: &mut OpenBlock) -> Result<(), Stop> {
        let remaining = block.header.gas_limit.saturating_sub(block.gas_used);
        let wanted = call.gas.unwrap_or(remaining);
        if wanted > remaining {
            return fail(
                -38015,
                format!("block gas limit reached: remaining: {remaining}, required: {wanted}"),
            );
        }
        let tx = self.transaction(call, wanted.min(self.gas_left), block)?;
        let row = simulated_transaction(call, &tx, self.chain.spec.chain_id);
        let (result, halt) = self.execute(&tx, block)?;
        let gas_used = result.tx_gas_used();
        block.gas_used = block.gas_used.saturating_add(gas_used);
        self.gas_left = self.gas_left.saturating_sub(gas_used);
        let watched = block.machine.inspector.transfers.take();
        let logs = match (result.is_success(), self.request.trace_transfers) {
            (false, _) => Vec::new(),
            (true, true) => watched,
            (true, false) => result.logs().to_vec(),
        };
        block
            .receipts
            .push(receipt(&tx, &row, &result, block.gas_used));
        block.calls.push(SimulatedCall::new(
            result,
            halt,
            logs,
            tx.gas_limit < wanted,
        ));
        block.transactions.push(row);
        Ok(())
    }

    /// The call with its nonce, which is the sender's where it names none.
    fn transaction(
        &self,
        call: &CallRequest,
        gas: u64,
        block: &mut OpenBlock,
    ) -> Result<TxEnv, Stop> {
        let from = call.from.unwrap_or_default();
        let database = &mut block.machine.ctx.journaled_state.database;
        let sender = database.basic(from);
        let sender = sender.map_err(|ReadError(error)| ChainError::State(error))?;
        let current = sender.map_or(0, |account| account.nonce);
        let nonce = call.nonce.unwrap_or(current);
        if self.request.validation && nonce != current {
            return fail_nonce(from, nonce, current, gas);
        }
        Ok(TxEnv {
            gas_limit: gas,
            nonce,
            ..call_env(call, self.chain.spec.chain_id)
        })
    }

    /// Runs a call and keeps its changes. The text is geth's for a halt.
    fn execute(
        &self,
        tx: &TxEnv,
        block: &mut OpenBlock,
    ) -> Result<(ExecutionResult, String), Stop> {
        let machine = &mut block.machine;
        let outcome = match creation_with_authorizations(tx) {
            Some(refused) => Err(EVMError::Transaction(refused)),
            None if self.request.trace_transfers => machine.inspect_tx(tx.clone()),
            None => machine.transact(tx.clone()),
        };
        let mut changes = None;
        let outcome = outcome.map(|ResultAndState { result, state, .. }| {
            changes = Some(state);
            result
        });
        match run_of(outcome, self.request.limits)? {
            Run::Done(result) => {
                let halt = halt_words(machine, tx, &result, self.request.trace_transfers);
                if let Some(changes) = changes {
                    machine.ctx.journaled_state.database.commit(changes);
                }
                Ok((result, halt))
            }
            Run::TimedOut(reason) => fail(-32603, reason),
            Run::Refused(error) => {
                let base_fee = block.header.base_fee_per_gas.unwrap_or_default();
                let text = refusal_of(&error, tx, base_fee);
                let gas = tx.gas_limit;
                fail(
                    failure_code(&error),
                    format!("err: {text} (supplied gas {gas})"),
                )
            }
        }
    }
}

fn receipt(
    tx: &TxEnv,
    row: &StoredTx,
    result: &ExecutionResult,
    cumulative_gas_used: u64,
) -> StoredReceipt {
    let envelope_type = row.raw.first().copied().filter(|first| *first < 0xc0);
    let success = result.is_success();
    StoredReceipt {
        tx_type: envelope_type.unwrap_or_default(),
        success,
        cumulative_gas_used,
        gas_used: result.tx_gas_used(),
        effective_gas_price: 0,
        contract_address: tx.kind.is_create().then(|| tx.caller.create(tx.nonce)),
        logs: if success {
            result.logs().to_vec()
        } else {
            Vec::new()
        },
    }
}

/// geth's text for a halt, empty for other results. A run that was not watched runs once more for its last instruction.
fn halt_words(
    machine: &mut Watched<SimulationWatch>,
    tx: &TxEnv,
    result: &ExecutionResult,
    was_watched: bool,
) -> String {
    let ExecutionResult::Halt { reason, .. } = result else {
        return String::new();
    };
    if LastStep::explains(reason) && !was_watched {
        let again = machine.inspect_tx(tx.clone());
        machine.inspector.transfers.take();
        if again.is_err() {
            return halt_text(reason);
        }
    }
    machine.inspector.last.halt(reason)
}
