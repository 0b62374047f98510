//! Where a call runs: a block's state with the call's overrides on it, the block it sees, its limits.

use crate::chain::Chain;
use crate::deadline::Deadline;
use crate::error::ChainError;
use crate::header::block_env;
use crate::machine::{Watched, call_config, call_machine};
use crate::overlay::Overlay;
use crate::overrides::{BlockOverrides, StateOverrides, apply_state_overrides};
use crate::precompiles::CairnPrecompiles;
use crate::read::BlockRef;
use alloy_consensus::Header;
use revm::context::BlockEnv;
use std::time::Duration;

/// geth's text for an override that only simulated blocks have.
pub(crate) const NO_BEACON_ROOT: &str =
    "block override \"beaconRoot\" is not supported for this RPC method";

/// What an operator allows one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallLimits {
    /// Most gas; the block's gas limit when absent.
    pub gas_cap: Option<u64>,
    /// Most time; zero for no limit.
    pub timeout: Duration,
}

/// A prepared scene.
pub(crate) struct Scene {
    /// The block the call sees.
    pub header: Header,
    /// Most gas of one call.
    pub gas_cap: u64,
    /// The state with the overrides.
    pub state: Overlay,
    /// What the EVM sees of the block.
    pub env: BlockEnv,
    /// Which precompiles answer where.
    pub precompiles: CairnPrecompiles,
    /// When to give up.
    pub deadline: Deadline,
}

/// What preparing a scene came to.
pub(crate) enum Prepared {
    Ready(Box<Scene>),
    /// The overrides contradict each other, in geth's words.
    Refused(String),
    UnknownBlock,
}

impl Scene {
    /// An EVM for calls on this scene. Calls without a price see no base fee, as in geth.
    pub(crate) fn machine<I>(self, chain_id: u64, priced: bool, watcher: I) -> Watched<I> {
        let mut env = self.env;
        if !priced {
            env.basefee = 0;
        }
        call_machine(
            self.state,
            call_config(chain_id),
            env,
            self.precompiles,
            self.deadline,
            watcher,
        )
    }
}

impl Chain {
    /// Prepares the state after `block`, in that block's environment.
    pub(crate) fn scene(
        &self,
        block: BlockRef,
        overrides: &StateOverrides,
        block_overrides: &BlockOverrides,
        limits: CallLimits,
    ) -> Result<Prepared, ChainError> {
        let Some((stored, snapshot)) = self.view(block)? else {
            return Ok(Prepared::UnknownBlock);
        };
        let mut header = stored.header;
        if block_overrides.beacon_root.is_some() {
            return Ok(Prepared::Refused(NO_BEACON_ROOT.to_owned()));
        }
        let gas_cap = limits.gas_cap.unwrap_or(header.gas_limit);
        let mut state = self.overlay(snapshot);
        let mut precompiles = CairnPrecompiles::new(self.verdicts.clone());
        if let Err(reason) = apply_state_overrides(overrides, &mut state, &mut precompiles)? {
            return Ok(Prepared::Refused(reason));
        }
        block_overrides.apply_to_header(&mut header);
        let mut env = block_env(&header);
        block_overrides.apply_to_env(&mut env);
        Ok(Prepared::Ready(Box::new(Scene {
            header,
            gas_cap,
            state,
            env,
            precompiles,
            deadline: Deadline::after(limits.timeout),
        })))
    }
}
