//! `eth_simulateV1`: blocks of calls on top of a block, each block executed and sealed like a real one, nothing kept.

mod block;
mod call;
mod request;
mod schedule;
mod stop;
mod transaction;
mod transfers;

pub use request::{SimulateBlock, SimulateOutcome, SimulateRequest};

use crate::chain::Chain;
use crate::deadline::Deadline;
use crate::error::ChainError;
use crate::json::JsonWriter;
use alloy_consensus::Header;
use alloy_primitives::B256;
use cairn_state::Snapshot;
use schedule::complete;
use std::collections::BTreeMap;
use stop::Stop;

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

/// A simulation in progress, between two blocks.
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
}
