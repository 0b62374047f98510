//! `eth_createAccessList`: runs a message again and again with the list it touched, until the list stays the same.

use crate::call::{CallRequest, Run, call_env, creation_with_authorizations, refusal_of, run_of};
use crate::chain::Chain;
use crate::error::ChainError;
use crate::json::{JsonWriter, write_access_list};
use crate::last_step::LastStep;
use crate::machine::Watched;
use crate::overlay::ReadError;
use crate::precompiles::CairnPrecompiles;
use crate::scene::{CallLimits, Prepared, Scene};
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
        let tx = TxEnv {
            gas_limit: request.gas.unwrap_or(scene.gas_cap).min(scene.gas_cap),
            ..call_env(request, self.spec.chain_id)
        };
        let excluded = excluded(request, &mut scene)?;
        let listed = given(&request.access_list, &excluded);
        let watch = AccessWatch {
            excluded,
            ..AccessWatch::default()
        };
        let machine = scene.machine(self.spec.chain_id, tx.gas_price != 0, watch);
        settle(machine, &tx, listed, request.limits)
    }
}

/// Runs until the list stays the same.
fn settle(
    mut machine: Watched<AccessWatch>,
    tx: &TxEnv,
    mut listed: Touched,
    limits: CallLimits,
) -> Result<AccessListOutcome, ChainError> {
    let base_fee = machine.ctx.block.basefee;
    for _ in 0..MAX_ROUNDS {
        machine.inspector.touched = listed.clone();
        machine.inspector.last = LastStep::default();
        let round = TxEnv {
            access_list: to_list(&listed),
            tx_type: tx.tx_type.max(1),
            ..tx.clone()
        };
        let run = match creation_with_authorizations(&round) {
            Some(refused) => Run::Refused(refused),
            None => run_of(machine.inspect_tx(round).map(|done| done.result), limits)?,
        };
        let result = match run {
            Run::Done(result) => result,
            Run::TimedOut(reason) => return Ok(AccessListOutcome::Refused(reason)),
            Run::Refused(error) => {
                let reason = refusal_of(&error, tx, base_fee);
                return Ok(AccessListOutcome::Refused(reason));
            }
        };
        let touched = std::mem::take(&mut machine.inspector.touched);
        if touched == listed {
            let json = json(&listed, &result, machine.inspector.last);
            return Ok(AccessListOutcome::Created(json));
        }
        listed = touched;
    }
    Err(ChainError::Sequence(
        "the access list never settles".to_owned(),
    ))
}

/// What the message lists itself, and is not warm anyway.
fn given(list: &AccessList, excluded: &AddressSet) -> Touched {
    let mut listed = Touched::new();
    for item in list.iter().filter(|item| !excluded.contains(&item.address)) {
        let slots = listed.entry(item.address).or_default();
        slots.extend(item.storage_keys.iter().copied());
    }
    listed
}

/// Sender, receiver, precompiles and authorities are warm anyway.
fn excluded(request: &CallRequest, scene: &mut Scene) -> Result<AddressSet, ChainError> {
    let from = request.from.unwrap_or_default();
    let sender = scene.state.basic(from);
    let sender = sender.map_err(|ReadError(error)| ChainError::State(error))?;
    let current = sender.map_or(0, |account| account.nonce);
    let creation = || from.create(request.nonce.unwrap_or(current));
    let mut excluded = CairnPrecompiles::addresses_of_prague();
    excluded.insert(from);
    excluded.insert(request.to.unwrap_or_else(creation));
    for authorization in request.authorizations.iter().flatten() {
        if let Ok(authority) = authorization.recover_authority() {
            excluded.insert(authority);
        }
    }
    Ok(excluded)
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
