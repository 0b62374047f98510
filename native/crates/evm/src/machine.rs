//! Builds the EVM: Prague rules set explicitly, the chain's precompiles, no blobs.

use crate::overlay::Overlay;
use crate::precompiles::{CairnPrecompiles, VerdictMemory};
use revm::context::{BlockEnv, CfgEnv, Context, Evm, FrameStack, Journal, TxEnv};
use revm::handler::instructions::EthInstructions;
use revm::handler::{EthFrame, MainContext as _, MainnetContext};
use revm::interpreter::interpreter::EthInterpreter;
use revm::primitives::hardfork::SpecId;
use std::sync::Arc;

/// The hard fork every block runs under.
pub const FORK: SpecId = SpecId::PRAGUE;

/// The chain's EVM over an overlay.
pub type Machine = Evm<
    MainnetContext<Overlay>,
    (),
    EthInstructions<EthInterpreter, MainnetContext<Overlay>>,
    CairnPrecompiles,
    EthFrame<EthInterpreter>,
>;

/// Consensus settings of the EVM. The fork's transaction gas cap is none: 2^24 (EIP-7825) comes with Osaka.
pub fn consensus_config(chain_id: u64) -> CfgEnv {
    CfgEnv::new_with_spec(FORK).with_chain_id(chain_id)
}

/// Settings for calls that are not transactions: no nonce, no code check on the sender, any gas limit.
pub fn call_config(chain_id: u64) -> CfgEnv {
    let mut config = consensus_config(chain_id);
    config.disable_nonce_check = true;
    config.disable_eip3607 = true;
    config.disable_block_gas_limit = true;
    config
}

/// An EVM over `state` at `block`.
pub fn machine(
    state: Overlay,
    config: CfgEnv,
    block: BlockEnv,
    memory: Arc<VerdictMemory>,
) -> Machine {
    let context: MainnetContext<Overlay> =
        Context::<BlockEnv, TxEnv, CfgEnv, _, Journal<_>, ()>::mainnet()
            .with_db(state)
            .with_cfg(config)
            .with_block(block);
    Evm {
        ctx: context,
        inspector: (),
        instruction: EthInstructions::new_mainnet_with_spec(FORK),
        precompiles: CairnPrecompiles::new(memory),
        frame_stack: FrameStack::new_prealloc(8),
    }
}
