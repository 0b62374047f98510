//! `eth_simulateV1`: blocks of calls on top of a block, each block executed and sealed like a real one, nothing kept.

use crate::call::{CallRequest, Run, call_env, creation_with_authorizations, refusal_of, run_of};
use crate::chain::Chain;
use crate::deadline::Deadline;
use crate::error::ChainError;
use crate::execution::system_calls;
use crate::header::{blank_header, block_env, block_size};
use crate::json::JsonWriter;
use crate::json::simulated::{SimulatedBlock, SimulatedCall, write_simulated};
use crate::last_step::LastStep;
use crate::machine::{Watched, call_config, call_machine};
use crate::overlay::ReadError;
use crate::overrides::{BlockOverrides, StateOverrides, apply_state_overrides};
use crate::precompiles::CairnPrecompiles;
use crate::read::BlockRef;
use crate::receipts::{receipts_root, transactions_root};
use crate::scene::CallLimits;
use crate::simulated_tx::{failure_code, simulated_transaction};
use crate::texts::halt_text;
use crate::transfers::SimulationWatch;
use alloy_consensus::Header;
use alloy_primitives::{Address, B256, U256};
use cairn_state::{Snapshot, StoredReceipt, StoredTx};
use revm::context::TxEnv;
use revm::context::result::{EVMError, ExecutionResult, ResultAndState};
use revm::{Database as _, DatabaseCommit as _, ExecuteEvm as _, InspectEvm as _};
use std::collections::BTreeMap;

/// Most blocks of one simulation, gaps included.
const MAX_BLOCKS: u64 = 256;
/// Seconds from one block to the next where the request names none.
const SECONDS_PER_BLOCK: u64 = 12;

/// One block to simulate.
#[derive(Debug, Clone, Default)]
pub struct SimulateBlock {
    /// Accounts changed before its calls.
    pub overrides: StateOverrides,
    /// Its header fields.
    pub block_overrides: BlockOverrides,
    /// Its calls, in order; their block, overrides and limits are not looked at.
    pub calls: Vec<CallRequest>,
}

/// A simulation.
#[derive(Debug, Clone)]
pub struct SimulateRequest {
    /// Blocks in order.
    pub blocks: Vec<SimulateBlock>,
    /// Whether transfers of the native coin appear as logs.
    pub trace_transfers: bool,
    /// Whether nonces, fees and base fee are checked as for transactions.
    pub validation: bool,
    /// Whether blocks carry whole transactions.
    pub full_transactions: bool,
    /// On which state.
    pub block: BlockRef,
    /// What the operator allows; the gas is that of all calls together.
    pub limits: CallLimits,
}

/// What a simulation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SimulateOutcome {
    /// JSON text of the array of blocks.
    Done(String),
    /// The error to answer: code and text as geth's.
    Failed {
        /// JSON-RPC code.
        code: i64,
        /// Text.
        message: String,
    },
    /// No such block.
    UnknownBlock,
}

enum Stop {
    Failed(i64, String),
    Broken(ChainError),
}

impl From<ChainError> for Stop {
    fn from(error: ChainError) -> Self {
        Self::Broken(error)
    }
}

fn fail<T>(code: i64, message: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Failed(code, message.into()))
}

/// Nonces are looked at before fees, as in geth.
fn fail_nonce<T>(from: Address, nonce: u64, current: u64, gas: u64) -> Result<T, Stop> {
    let (code, word) = if nonce < current {
        (-38010, "low")
    } else {
        (-38011, "high")
    };
    fail(
        code,
        format!(
            "err: nonce too {word}: address {from}, tx: {nonce} state: {current} (supplied gas {gas})"
        ),
    )
}

struct Simulator<'a> {
    chain: &'a Chain,
    request: &'a SimulateRequest,
    snapshot: Snapshot,
    parent: Header,
    parent_hash: B256,
    hashes: BTreeMap<u64, B256>,
    gas_left: u64,
    deadline: Deadline,
}

impl Chain {
    /// Runs a simulation.
    pub fn simulate(&self, request: &SimulateRequest) -> Result<SimulateOutcome, ChainError> {
        let Some((base, snapshot)) = self.view(request.block)? else {
            return Ok(SimulateOutcome::UnknownBlock);
        };
        // A pending block has no hash yet: its header as it stands gives one to its simulated children.
        let parent_hash = match base.hash {
            B256::ZERO => base.header.hash_slow(),
            hash => hash,
        };
        let mut simulator = Simulator {
            chain: self,
            request,
            snapshot,
            gas_left: request.limits.gas_cap.unwrap_or(base.header.gas_limit),
            parent_hash,
            hashes: BTreeMap::from([(base.header.number, parent_hash)]),
            parent: base.header,
            deadline: Deadline::after(request.limits.timeout),
        };
        match simulator.run() {
            Ok(json) => Ok(SimulateOutcome::Done(json)),
            Err(Stop::Failed(code, message)) => Ok(SimulateOutcome::Failed { code, message }),
            Err(Stop::Broken(error)) => Err(error),
        }
    }
}

/// Fills in numbers and times, and the empty blocks of gaps.
fn complete(base: &Header, blocks: &[SimulateBlock]) -> Result<Vec<SimulateBlock>, Stop> {
    let (mut number, mut time) = (base.number, base.timestamp);
    let mut complete = Vec::with_capacity(blocks.len());
    for block in blocks {
        let wanted = block.block_overrides.number;
        let wanted = wanted.unwrap_or_else(|| U256::from(number) + U256::from(1));
        if wanted <= U256::from(number) {
            let low = wanted.saturating_to::<u64>();
            return fail(
                -38020,
                format!("block numbers must be in order: {low} <= {number}"),
            );
        }
        if wanted - U256::from(base.number) > U256::from(MAX_BLOCKS) {
            return fail(-38026, "too many blocks");
        }
        let wanted = wanted.saturating_to::<u64>();
        for gap in number + 1..wanted {
            time = time.saturating_add(SECONDS_PER_BLOCK);
            complete.push(SimulateBlock {
                block_overrides: BlockOverrides {
                    number: Some(U256::from(gap)),
                    time: Some(time),
                    ..BlockOverrides::default()
                },
                ..SimulateBlock::default()
            });
        }
        number = wanted;
        let next = block.block_overrides.time;
        let next = next.unwrap_or_else(|| time.saturating_add(SECONDS_PER_BLOCK));
        if next <= time {
            return fail(
                -38021,
                format!("block timestamps must be in order: {next} <= {time}"),
            );
        }
        time = next;
        let mut block = block.clone();
        block.block_overrides.number = Some(U256::from(number));
        block.block_overrides.time = Some(time);
        complete.push(block);
    }
    Ok(complete)
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

/// The calls of one block in progress.
struct Sealing {
    machine: Watched<SimulationWatch>,
    header: Header,
    transactions: Vec<StoredTx>,
    receipts: Vec<StoredReceipt>,
    calls: Vec<SimulatedCall>,
    gas_used: u64,
}

impl Simulator<'_> {
    fn run(&mut self) -> Result<String, Stop> {
        let mut json = JsonWriter::with_capacity(4096);
        json.open_array();
        for block in complete(&self.parent, &self.request.blocks)? {
            self.block(&block, &mut json)?;
        }
        json.close_array();
        Ok(json.finish())
    }

    fn header(&self, overrides: &BlockOverrides) -> Header {
        let base_fee = if self.request.validation {
            self.chain.spec.next_base_fee(&self.parent)
        } else {
            0
        };
        let mut header = Header {
            parent_hash: self.parent_hash,
            beneficiary: self.parent.beneficiary,
            gas_limit: self.parent.gas_limit,
            base_fee_per_gas: Some(base_fee),
            ..blank_header()
        };
        overrides.apply_to_header(&mut header);
        header
    }

    fn block(&mut self, block: &SimulateBlock, json: &mut JsonWriter) -> Result<(), Stop> {
        let header = self.header(&block.block_overrides);
        let mut env = block_env(&header);
        block.block_overrides.apply_to_env(&mut env);
        let mut state = self
            .chain
            .overlay(self.snapshot.clone())
            .with_hashes(self.hashes.clone());
        let mut precompiles = CairnPrecompiles::new(self.chain.verdicts.clone());
        if let Err(text) = apply_state_overrides(&block.overrides, &mut state, &mut precompiles)? {
            return fail(-32000, text);
        }
        let mut config = call_config(self.chain.spec.chain_id);
        config.disable_nonce_check = !self.request.validation;
        config.disable_base_fee = !self.request.validation;
        let (deadline, watcher) = (self.deadline, SimulationWatch::default());
        let mut machine = call_machine(state, config, env, precompiles, deadline, watcher);
        system_calls(&mut machine, &header)?;
        let mut sealing = Sealing {
            machine,
            header,
            transactions: Vec::new(),
            receipts: Vec::new(),
            calls: Vec::new(),
            gas_used: 0,
        };
        for call in &block.calls {
            self.call(call, &mut sealing)?;
        }
        self.seal(sealing, json)
    }

    fn call(&mut self, call: &CallRequest, block: &mut Sealing) -> Result<(), Stop> {
        let remaining = block.header.gas_limit.saturating_sub(block.gas_used);
        let wanted = call.gas.unwrap_or(remaining);
        if wanted > remaining {
            return fail(
                -38015,
                format!("block gas limit reached: remaining: {remaining}, required: {wanted}"),
            );
        }
        let gas = wanted.min(self.gas_left);
        let from = call.from.unwrap_or_default();
        let database = &mut block.machine.ctx.journaled_state.database;
        let sender = database.basic(from);
        let sender = sender.map_err(|ReadError(error)| ChainError::State(error))?;
        let current = sender.map_or(0, |account| account.nonce);
        let nonce = call.nonce.unwrap_or(current);
        if self.request.validation && nonce != current {
            return fail_nonce(from, nonce, current, gas);
        }
        let tx = TxEnv {
            gas_limit: gas,
            nonce,
            ..call_env(call, self.chain.spec.chain_id)
        };
        let row = simulated_transaction(call, &tx, self.chain.spec.chain_id);
        let (result, halt) = self.execute(&tx, block)?;
        let gas_used = result.tx_gas_used();
        block.gas_used = block.gas_used.saturating_add(gas_used);
        self.gas_left = self.gas_left.saturating_sub(gas_used);
        let shown = block.machine.inspector.transfers.take();
        block.receipts.push(StoredReceipt {
            tx_type: row
                .raw
                .first()
                .copied()
                .filter(|first| *first < 0xc0)
                .unwrap_or_default(),
            success: result.is_success(),
            cumulative_gas_used: block.gas_used,
            gas_used,
            effective_gas_price: 0,
            contract_address: call.to.is_none().then(|| from.create(nonce)),
            logs: if result.is_success() {
                result.logs().to_vec()
            } else {
                Vec::new()
            },
        });
        let logs = match (result.is_success(), self.request.trace_transfers) {
            (false, _) => Vec::new(),
            (true, true) => shown,
            (true, false) => result.logs().to_vec(),
        };
        block
            .calls
            .push(SimulatedCall::new(result, halt, logs, gas < wanted));
        block.transactions.push(row);
        Ok(())
    }

    /// Runs a call and keeps its changes. The text is geth's for a halt.
    fn execute(&self, tx: &TxEnv, block: &mut Sealing) -> Result<(ExecutionResult, String), Stop> {
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

    fn seal(&mut self, block: Sealing, json: &mut JsonWriter) -> Result<(), Stop> {
        let changes = block.machine.ctx.journaled_state.database.into_changes();
        let staged = self.chain.store.stage(&self.snapshot, &changes);
        let staged = staged.map_err(ChainError::State)?;
        let (receipts_root, logs_bloom) = receipts_root(&block.receipts);
        let header = Header {
            state_root: staged.root(),
            transactions_root: transactions_root(&block.transactions),
            receipts_root,
            logs_bloom,
            gas_used: block.gas_used,
            ..block.header
        };
        let hash = header.hash_slow();
        let size = block_size(&header, block.transactions.iter().map(|tx| &tx.raw));
        self.snapshot = staged.snapshot();
        self.hashes.insert(header.number, hash);
        let sealed = SimulatedBlock {
            header,
            hash,
            size,
            transactions: block.transactions,
            calls: block.calls,
            full: self.request.full_transactions,
        };
        write_simulated(json, &sealed)?;
        self.parent = sealed.header;
        self.parent_hash = hash;
        Ok(())
    }
}
