//! `eth_callMany`: bundles of messages one after the other, each on the state the ones before left, on the state at a
//! place inside a block. Nothing is kept.

use crate::call::{CallRequest, Run, call_env, creation_with_authorizations, refusal_of, run_of};
use crate::chain::Chain;
use crate::deadline::Deadline;
use crate::error::ChainError;
use crate::execution::{Ready, replay};
use crate::header::block_env;
use crate::json::JsonWriter;
use crate::last_step::LastStep;
use crate::machine::{Watched, call_config, call_machine};
use crate::overlay::Overlay;
use crate::overrides::{BlockOverrides, StateOverrides, apply_state_overrides};
use crate::precompiles::CairnPrecompiles;
use crate::read::BlockRef;
use crate::scene::CallLimits;
use crate::texts::{halt_text, revert_text};
use alloy_consensus::Header;
use revm::context::TxEnv;
use revm::context::result::{EVMError, ExecutionResult, ResultAndState};
use revm::{DatabaseCommit as _, ExecuteEvm as _, InspectEvm as _};

/// Messages that see one block.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// Header fields they see differently.
    pub block_overrides: BlockOverrides,
    /// The messages; their block, overrides and limits are not looked at.
    pub calls: Vec<CallRequest>,
}

/// Bundles and where they run.
#[derive(Debug, Clone)]
pub struct CallManyRequest {
    /// In order.
    pub bundles: Vec<Bundle>,
    /// In the environment of which block.
    pub block: BlockRef,
    /// How many of its transactions run before; absent: all.
    pub transactions: Option<usize>,
    /// Accounts changed before the first message.
    pub overrides: StateOverrides,
    /// What the operator allows: the gas of each message, the time of all together.
    pub limits: CallLimits,
}

/// What they came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallManyOutcome {
    /// JSON text: per bundle the array of its results, `value` or `error` each.
    Done(String),
    /// Given up as a whole, in geth's words.
    Refused(String),
    /// No such block.
    UnknownBlock,
}

impl Chain {
    /// Runs the bundles.
    pub fn call_many(&self, request: &CallManyRequest) -> Result<CallManyOutcome, ChainError> {
        let deadline = Deadline::after(request.limits.timeout);
        let Some((header, mut state)) = self.inside(request.block, request.transactions)? else {
            return Ok(CallManyOutcome::UnknownBlock);
        };
        let mut precompiles = CairnPrecompiles::new(self.verdicts.clone());
        if let Err(text) = apply_state_overrides(&request.overrides, &mut state, &mut precompiles)?
        {
            return Ok(CallManyOutcome::Refused(text));
        }
        let config = call_config(self.spec.chain_id);
        let watcher = LastStep::default();
        let env = block_env(&header);
        let mut bundles = Bundles {
            machine: call_machine(state, config, env, precompiles, deadline, watcher),
            chain_id: self.spec.chain_id,
            gas_cap: request.limits.gas_cap.unwrap_or(header.gas_limit),
            limits: request.limits,
            json: JsonWriter::with_capacity(4096),
        };
        bundles.json.open_array();
        for bundle in &request.bundles {
            if let Some(reason) = bundles.bundle(bundle, &header)? {
                return Ok(CallManyOutcome::Refused(reason));
            }
        }
        bundles.json.close_array();
        Ok(CallManyOutcome::Done(bundles.json.finish()))
    }

    /// A block and the state after its first `transactions`, or after all of them.
    fn inside(
        &self,
        block: BlockRef,
        transactions: Option<usize>,
    ) -> Result<Option<(Header, Overlay)>, ChainError> {
        let Some((stored, after)) = self.view(block)? else {
            return Ok(None);
        };
        let header = stored.header;
        let wanted = match transactions {
            Some(wanted) if header.number > 0 => wanted,
            _ => return Ok(Some((header, self.overlay(after)))),
        };
        let mut txs = self.transactions_of(block)?;
        if wanted >= txs.len() {
            return Ok(Some((header, self.overlay(after))));
        }
        txs.truncate(wanted);
        let ready = txs.into_iter().map(|stored| {
            let decoded = crate::transaction::decode(stored.raw)?;
            Ok(Ready {
                tx: decoded,
                sender: stored.sender,
            })
        });
        let before = self.overlay(self.state_at(header.number - 1)?);
        let (chain_id, verdicts) = (self.spec.chain_id, self.verdicts.clone());
        let state = replay(before, chain_id, &header, verdicts, ready)?;
        Ok(Some((header, state)))
    }
}

struct Bundles {
    machine: Watched<LastStep>,
    chain_id: u64,
    gas_cap: u64,
    limits: CallLimits,
    json: JsonWriter,
}

impl Bundles {
    /// Runs one bundle; answers why all of it is given up, if it is.
    fn bundle(&mut self, bundle: &Bundle, header: &Header) -> Result<Option<String>, ChainError> {
        let mut header = header.clone();
        bundle.block_overrides.apply_to_header(&mut header);
        let mut env = block_env(&header);
        bundle.block_overrides.apply_to_env(&mut env);
        self.machine.ctx.block = env;
        self.json.open_array();
        for call in &bundle.calls {
            let tx = call_env(call, self.chain_id);
            // Messages without a price see no base fee, as in geth.
            self.machine.ctx.block.basefee = match tx.gas_price {
                0 => 0,
                _ => header.base_fee_per_gas.unwrap_or_default(),
            };
            let gas_limit = call.gas.unwrap_or(self.gas_cap).min(self.gas_cap);
            if let Some(reason) = self.call(TxEnv { gas_limit, ..tx })? {
                return Ok(Some(reason));
            }
        }
        self.json.close_array();
        Ok(None)
    }

    fn call(&mut self, tx: TxEnv) -> Result<Option<String>, ChainError> {
        let mut kept = None;
        let outcome = match creation_with_authorizations(&tx) {
            Some(refused) => Err(EVMError::Transaction(refused)),
            None => self.machine.transact(tx.clone()),
        };
        let outcome = outcome.map(|ResultAndState { result, state, .. }| {
            kept = Some(state);
            result
        });
        self.json.open_object();
        match run_of(outcome, self.limits)? {
            Run::Done(ExecutionResult::Success { output, .. }) => {
                self.json.bytes_field("value", output.data());
            }
            Run::Done(ExecutionResult::Revert { output, .. }) => {
                self.error(&revert_text(&output));
                self.json.bytes_field("data", &output);
            }
            Run::Done(ExecutionResult::Halt { reason, .. }) => {
                let text = if LastStep::explains(&reason) && self.machine.inspect_tx(tx).is_ok() {
                    self.machine.inspector.text(&reason)
                } else {
                    halt_text(&reason)
                };
                self.error(&text);
            }
            Run::TimedOut(reason) => return Ok(Some(reason)),
            Run::Refused(error) => {
                let text = refusal_of(&error, &tx, self.machine.ctx.block.basefee);
                self.error(&format!("err: {text} (supplied gas {})", tx.gas_limit));
            }
        }
        self.json.close_object();
        if let Some(state) = kept {
            self.machine.ctx.journaled_state.database.commit(state);
        }
        Ok(None)
    }

    fn error(&mut self, text: &str) {
        self.json.key("error");
        self.json.text(text);
    }
}
