//! What an account's storage was before a transaction, as far as the block touched it until then.

use super::TraceFailure;
use super::options::TraceOptions;
use super::plan::Plan;
use super::replay::Replay;
use super::request::{NamedBlock, TraceRequest};
use super::source::Source;
use crate::chain::Chain;
use alloy_primitives::{Address, U256};
use revm::database::AccountState;

/// An account's storage: that after block `base`, but for these slots.
pub(crate) struct TouchedStorage {
    /// Height of the state below.
    pub base: u64,
    /// Slots as they are now.
    pub slots: Vec<(U256, U256)>,
    /// Whether the state below says nothing of the account.
    pub cleared: bool,
}

/// The storage of an account before a transaction of a block. A block without transactions counts as having one.
pub(crate) fn storage_before(
    chain: &Chain,
    block: NamedBlock,
    tx_index: usize,
    address: Address,
) -> Result<TouchedStorage, TraceFailure> {
    let options = TraceOptions::default();
    let plan = Plan::of(chain, TraceRequest::Block { block, options })?;
    if tx_index >= plan.transactions.len().max(1) {
        return Err(TraceFailure::Genesis);
    }
    let source = Source::at(chain, plan.base)?;
    let mut replay = Replay::open(&plan, source, chain.verdicts.clone())?;
    replay.advance(tx_index)?;
    let state = replay.into_state();
    let touched = state.cache.accounts.get(&address);
    Ok(TouchedStorage {
        base: plan.base,
        slots: touched
            .map(|account| {
                account
                    .storage
                    .iter()
                    .map(|(slot, value)| (*slot, *value))
                    .collect()
            })
            .unwrap_or_default(),
        cleared: touched.is_some_and(|account| {
            matches!(
                account.account_state,
                AccountState::StorageCleared | AccountState::NotExisting
            )
        }),
    })
}
