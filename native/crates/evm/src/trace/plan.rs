//! Everything a trace needs but the state: it can be run here, or in a process of its own that asks for the state.

use super::TraceFailure;
use super::entries::Entries;
use super::options::TraceOptions;
use super::replay::Replay;
use super::request::{CallTrace, NamedBlock, OneCall, TraceRequest};
use crate::chain::Chain;
use crate::overlay::ReadError;
use crate::precompiles::VerdictMemory;
use alloy_consensus::Header;
use alloy_primitives::{Address, B256, Bytes};
use alloy_rlp::Decodable as _;
use cairn_state::StateError;
use revm::DatabaseRef;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One transaction of the block.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Planned {
    /// EIP-2718 bytes.
    pub raw: Bytes,
    /// Who signed it.
    pub sender: Address,
    /// Its hash.
    pub hash: B256,
}

/// What of the block is traced.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Aim {
    /// One transaction.
    Transaction(usize),
    /// All.
    Block,
    /// All, into the files named.
    Files(Vec<String>),
    /// A message on top of it, or within it.
    Call(Box<CallTrace>),
    /// Messages on top of it, one after the other.
    Calls(Vec<OneCall>),
    /// A signed transaction on top of it.
    Raw(Planned),
}

/// A trace to make.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    /// EIP-155 chain id.
    pub chain_id: u64,
    /// The trace starts from the state after this block.
    pub base: u64,
    /// RLP of the block's header.
    header: Bytes,
    /// Its hash.
    pub hash: B256,
    /// Its transactions as far as they are run.
    pub transactions: Vec<Planned>,
    /// What is wanted.
    pub aim: Aim,
    /// How.
    pub options: TraceOptions,
}

impl Plan {
    /// The plan for a request.
    pub(super) fn of(chain: &Chain, request: TraceRequest) -> Result<Self, TraceFailure> {
        match request {
            TraceRequest::Transaction { hash, options } => {
                let missing = TraceFailure::UnknownTransaction;
                let location = chain.store.locate(&hash)?.ok_or(missing)?;
                let aim = Aim::Transaction(location.index as usize);
                Self::within(chain, location.block, aim, options)
            }
            TraceRequest::Block { block, options } => {
                Self::within(chain, known(chain, block)?, Aim::Block, options)
            }
            TraceRequest::Files {
                block,
                files,
                options,
            } => Self::within(chain, known(chain, block)?, Aim::Files(files), options),
            TraceRequest::Calls { calls, block } => {
                let aim = Aim::Calls(calls);
                Self::on(chain, known(chain, block)?, aim, TraceOptions::default())
            }
            TraceRequest::Raw {
                raw,
                block,
                options,
            } => {
                let number = known(chain, block)?;
                Self::on(chain, number, Aim::Raw(signed(chain, raw)?), options)
            }
            TraceRequest::Call(mut call) => {
                let number = known(chain, call.block)?;
                let options = std::mem::take(&mut call.options);
                match call.tx_index {
                    Some(_) => Self::within(chain, number, Aim::Call(call), options),
                    None => Self::on(chain, number, Aim::Call(call), options),
                }
            }
        }
    }

    fn on(
        chain: &Chain,
        number: u64,
        aim: Aim,
        options: TraceOptions,
    ) -> Result<Self, TraceFailure> {
        let stored = chain
            .store
            .header(number)?
            .ok_or(TraceFailure::UnknownBlock)?;
        Ok(Self {
            chain_id: chain.spec.chain_id,
            base: number,
            header: stored.rlp,
            hash: stored.hash,
            transactions: Vec::new(),
            aim,
            options,
        })
    }

    fn within(
        chain: &Chain,
        number: u64,
        aim: Aim,
        options: TraceOptions,
    ) -> Result<Self, TraceFailure> {
        let base = number.checked_sub(1).ok_or(TraceFailure::Genesis)?;
        let transactions = chain.store.transactions(number)?.unwrap_or_default();
        let planned = |tx: cairn_state::StoredTx| Planned {
            raw: tx.raw,
            sender: tx.sender,
            hash: tx.hash,
        };
        Ok(Self {
            base,
            transactions: transactions.into_iter().map(planned).collect(),
            ..Self::on(chain, number, aim, options)?
        })
    }

    /// The block's header.
    pub(super) fn header(&self) -> Result<Header, TraceFailure> {
        Header::decode(&mut self.header.as_ref())
            .map_err(|error| StateError::Corrupt(error.to_string()).into())
    }

    /// Makes the trace on the state that `source` reads: its JSON text, or nothing when it went to `entries`, from
    /// entry `from` on.
    pub(super) fn run<D: DatabaseRef<Error = ReadError>>(
        mut self,
        source: D,
        verdicts: Arc<VerdictMemory>,
        from: usize,
        entries: &mut impl Entries,
    ) -> Result<Option<String>, TraceFailure> {
        match std::mem::replace(&mut self.aim, Aim::Block) {
            Aim::Transaction(index) => Replay::open(&self, source, verdicts)?
                .transaction(index)
                .map(Some),
            Aim::Block => Replay::open(&self, source, verdicts)?
                .block(from, entries)
                .map(|()| None),
            Aim::Files(files) => Replay::open(&self, source, verdicts)?
                .files(&files)
                .map(|()| None),
            Aim::Call(call) => self.call(&call, source, verdicts).map(Some),
            Aim::Calls(calls) => self.calls(&calls, source, verdicts).map(Some),
            Aim::Raw(planned) => self.raw(&planned, source, verdicts).map(Some),
        }
    }
}

fn known(chain: &Chain, block: NamedBlock) -> Result<u64, TraceFailure> {
    chain.resolve(block.0)?.ok_or(TraceFailure::UnknownBlock)
}

fn signed(chain: &Chain, raw: Bytes) -> Result<Planned, TraceFailure> {
    let gas_limit = chain.head().header.gas_limit;
    let ready = chain
        .prepare_one(raw, gas_limit)
        .map_err(TraceFailure::Refused)?;
    Ok(Planned {
        raw: ready.tx.raw,
        sender: ready.sender,
        hash: ready.tx.hash,
    })
}
