//! `eth_createAccessList`: runs a message again and again with the list it touched, until the list stays the same.

use crate::call::{CallRequest, Run, call_env, creation_with_authorizations, refusal_of, run_of};
use crate::chain::Chain;
use crate::error::ChainError;
use crate::json::{JsonWriter, write_access_list};
use crate::last_step::LastStep;
use crate::overlay::ReadError;
use crate::precompiles::CairnPrecompiles;
use crate::scene::Prepared;
use alloy_eips::eip2930::{AccessList, AccessListItem};
use alloy_primitives::map::AddressSet;
use alloy_primitives::{Address, B256};
use revm::bytecode::opcode;
use revm::context::TxEnv;
use revm::context::result::ExecutionResult;
use revm::interpreter::Interpreter;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::interpreter_types::{InputsTr as _, Jumps as _};
use revm::{Database as _, InspectEvm as _, Inspector};
use std::collections::{BTreeMap, BTreeSet};

type Touched = BTreeMap<Address, BTreeSet<B256>>;

/// A list grows with every round, and what a round adds is touched by it: more rounds than this never come.
const MAX_ROUNDS: usize = 64;

/// What creating an access list came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccessListOutcome {
    /// JSON text of the result: `accessList`, `gasUsed`, and `error` when the message failed.
    Created(String),
    /// It cannot start, in geth's words.
    Refused(String),
    /// No such block.
    UnknownBlock,
}

/// Collects the accounts and slots a run touches.
#[derive(Debug, Default)]
struct AccessWatch {
    excluded: AddressSet,
    touched: Touched,
    last: LastStep,
}

impl AccessWatch {
    fn account(&mut self, address: Address) {
        if !self.excluded.contains(&address) {
            self.touched.entry(address).or_default();
        }
    }
}

impl<CTX> Inspector<CTX, EthInterpreter> for AccessWatch {
    fn step(&mut self, interpreter: &mut Interpreter<EthInterpreter>, _: &mut CTX) {
        self.last.see(interpreter);
        let word = |depth| interpreter.stack.peek(depth).ok();
        let address = |depth| word(depth).map(|word| Address::from_word(word.into()));
        match interpreter.bytecode.opcode() {
            opcode::SLOAD | opcode::SSTORE => {
                if let Some(slot) = word(0) {
                    let owner = interpreter.input.target_address();
                    self.touched.entry(owner).or_default().insert(slot.into());
                }
            }
            opcode::EXTCODECOPY
            | opcode::EXTCODEHASH
            | opcode::EXTCODESIZE
            | opcode::BALANCE
            | opcode::SELFDESTRUCT => {
                if let Some(address) = address(0) {
                    self.account(address);
                }
            }
            opcode::DELEGATECALL | opcode::CALL | opcode::STATICCALL | opcode::CALLCODE => {
                if word(4).is_some()
                    && let Some(address) = address(1)
                {
                    self.account(address);
                }
            }
            _ => {}
        }
    }
}

impl Chain {
    /// The access list a message needs, on the state after its block.
    pub fn create_access_list(
        &self,
        request: &CallRequest,
    ) -> Result<AccessListOutcome, ChainError> {
        let mut scene = match self.scene_of(request)? {
            Prepared::Ready(scene) => *scene,
            Prepared::Refused(reason) => return Ok(AccessListOutcome::Refused(reason)),
            Prepared::UnknownBlock => return Ok(AccessListOutcome::UnknownBlock),
        };
        let from = request.from.unwrap_or_default();
        let sender = scene.state.basic(from);
        let sender = sender.map_err(|ReadError(error)| ChainError::State(error))?;
        let nonce = request
            .nonce
            .unwrap_or_else(|| sender.map_or(0, |account| account.nonce));
        let to = request.to.unwrap_or_else(|| from.create(nonce));
        let excluded = excluded(request, from, to);
        let gas = request.gas.unwrap_or(scene.gas_cap).min(scene.gas_cap);
        let tx = TxEnv {
            gas_limit: gas,
            ..call_env(request, self.spec.chain_id)
        };
        let mut listed: Touched = BTreeMap::new();
        for item in request.access_list.iter() {
            let slots = listed.entry(item.address).or_default();
            slots.extend(item.storage_keys.iter().copied());
        }
        listed.retain(|address, _| !excluded.contains(address));
        let priced = tx.gas_price != 0;
        let mut machine = scene.machine(self.spec.chain_id, priced, AccessWatch::default());
        for _ in 0..MAX_ROUNDS {
            machine.inspector = AccessWatch {
                excluded: excluded.clone(),
                touched: listed.clone(),
                last: LastStep::default(),
            };
            let round = TxEnv {
                access_list: to_list(&listed),
                tx_type: tx.tx_type.max(1),
                ..tx.clone()
            };
            let base_fee = machine.ctx.block.basefee;
            if let Some(refused) = creation_with_authorizations(&round) {
                let text = refusal_of(&refused, &tx, base_fee);
                return Ok(AccessListOutcome::Refused(text));
            }
            let outcome = machine.inspect_tx(round).map(|done| done.result);
            let result = match run_of(outcome, request.limits)? {
                Run::Done(result) => result,
                Run::TimedOut(reason) => return Ok(AccessListOutcome::Refused(reason)),
                Run::Refused(error) => {
                    return Ok(AccessListOutcome::Refused(refusal_of(
                        &error, &tx, base_fee,
                    )));
                }
            };
            if machine.inspector.touched == listed {
                return Ok(AccessListOutcome::Created(json(
                    &listed,
                    &result,
                    machine.inspector.last,
                )));
            }
            listed = std::mem::take(&mut machine.inspector.touched);
        }
        Err(ChainError::Sequence(
            "the access list never settles".to_owned(),
        ))
    }
}

/// Sender, receiver, precompiles and authorities are warm anyway.
fn excluded(request: &CallRequest, from: Address, to: Address) -> AddressSet {
    let mut excluded = CairnPrecompiles::addresses_of_prague();
    excluded.insert(from);
    excluded.insert(to);
    for authorization in request.authorizations.iter().flatten() {
        if let Ok(authority) = authorization.recover_authority() {
            excluded.insert(authority);
        }
    }
    excluded
}

fn to_list(touched: &Touched) -> AccessList {
    let item = |(address, slots): (&Address, &BTreeSet<B256>)| AccessListItem {
        address: *address,
        storage_keys: slots.iter().copied().collect(),
    };
    AccessList(touched.iter().map(item).collect())
}

fn json(listed: &Touched, result: &ExecutionResult, last: LastStep) -> String {
    let mut json = JsonWriter::with_capacity(256);
    json.open_object();
    write_access_list(&mut json, &to_list(listed));
    let error = match result {
        ExecutionResult::Success { .. } => None,
        ExecutionResult::Revert { .. } => Some("execution reverted".to_owned()),
        ExecutionResult::Halt { reason, .. } => Some(last.halt(reason)),
    };
    if let Some(error) = error {
        json.key("error");
        json.text(&error);
    }
    json.quantity_field("gasUsed", result.tx_gas_used());
    json.close_object();
    json.finish()
}
