//! Builds the EVM: Prague rules set explicitly, the chain's precompiles, no blobs.

use crate::deadline::{Deadline, timed_jump_destination};
use crate::overlay::Overlay;
use crate::precompiles::{CairnPrecompiles, VerdictMemory};
use revm::Database;
use revm::bytecode::opcode;
use revm::context::{BlockEnv, CfgEnv, Context, Evm, FrameStack, Journal, TxEnv};
use revm::handler::instructions::EthInstructions;
use revm::handler::{EthFrame, MainContext as _, MainnetContext};
use revm::interpreter::Instruction;
use revm::interpreter::interpreter::EthInterpreter;
use revm::primitives::hardfork::SpecId;
use std::sync::Arc;

/// The hard fork every block runs under.
pub(crate) const FORK: SpecId = SpecId::PRAGUE;

const JUMP_DESTINATION_GAS: u16 = 1;

/// The chain's EVM over some state, watched by `I`.
pub(crate) type MachineOver<DB, I = ()> = Evm<
    MainnetContext<DB>,
    I,
    EthInstructions<EthInterpreter, MainnetContext<DB>>,
    CairnPrecompiles,
    EthFrame<EthInterpreter>,
>;

/// The chain's EVM over an overlay, watched by `I`.
pub(crate) type Watched<I> = MachineOver<Overlay, I>;

/// The chain's EVM over an overlay.
pub(crate) type Machine = Watched<()>;

/// Consensus settings of the EVM. The fork's transaction gas cap is none: 2^24 (EIP-7825) comes with Osaka.
pub(crate) fn consensus_config(chain_id: u64) -> CfgEnv {
    CfgEnv::new_with_spec(FORK).with_chain_id(chain_id)
}

/// Settings for calls that are not transactions: no nonce, no code check on the sender, any gas limit.
pub(crate) fn call_config(chain_id: u64) -> CfgEnv {
    let mut config = consensus_config(chain_id);
    config.disable_nonce_check = true;
    config.disable_eip3607 = true;
    config.disable_block_gas_limit = true;
    config
}

/// An EVM over `state` at `block`.
pub(crate) fn machine<DB: Database>(
    state: DB,
    config: CfgEnv,
    block: BlockEnv,
    memory: Arc<VerdictMemory>,
) -> MachineOver<DB> {
    assemble(state, config, block, CairnPrecompiles::new(memory), ())
}

/// An EVM for calls: watched where asked, given up at the deadline.
pub(crate) fn call_machine<I>(
    mut state: Overlay,
    config: CfgEnv,
    block: BlockEnv,
    precompiles: CairnPrecompiles,
    deadline: Deadline,
    watcher: I,
) -> Watched<I> {
    state.deadline = deadline;
    let precompiles = precompiles.with_deadline(deadline);
    let mut evm = assemble(state, config, block, precompiles, watcher);
    let timed = Instruction::new(timed_jump_destination);
    evm.instruction
        .insert_instruction(opcode::JUMPDEST, timed, JUMP_DESTINATION_GAS);
    evm
}

fn assemble<DB: Database, I>(
    state: DB,
    config: CfgEnv,
    block: BlockEnv,
    precompiles: CairnPrecompiles,
    inspector: I,
) -> MachineOver<DB, I> {
    let ctx: MainnetContext<DB> = Context::<BlockEnv, TxEnv, CfgEnv, _, Journal<_>, ()>::mainnet()
        .with_db(state)
        .with_cfg(config)
        .with_block(block);
    Evm {
        ctx,
        inspector,
        instruction: EthInstructions::new_mainnet_with_spec(FORK),
        precompiles,
        frame_stack: FrameStack::new_prealloc(8),
    }
}
