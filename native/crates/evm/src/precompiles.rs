//! Prague's precompiled contracts plus `VerifyProofs` at 0x…c000. Owns the wiring and a small memory of recent
//! verdicts; the verification itself and its prices are `cairn-zk`'s.

use crate::deadline::{DEADLINE_PASSED, Deadline};
use alloy_primitives::map::AddressMap;
use alloy_primitives::{Address, B256, Bytes, address, keccak256};
use parking_lot::Mutex;
use revm::context::Cfg;
use revm::context_interface::ContextTr;
use revm::handler::{EthPrecompiles, PrecompileProvider, precompile_output_to_interpreter_result};
use revm::interpreter::{CallInputs, InterpreterResult};
use revm::precompile::{PrecompileHalt, PrecompileOutput};
use revm::primitives::AddressSet;
use revm::primitives::hardfork::SpecId;
use std::collections::VecDeque;
use std::sync::Arc;

/// Where `VerifyProofs` stands.
const VERIFY_PROOFS_ADDRESS: Address = address!("000000000000000000000000000000000000c000");

/// Verdicts are a pure function of the input, so a batch verified in a proposal (or an estimate) is not verified again.
const REMEMBERED_BATCHES: usize = 8;

/// `None`: the framing is wrong.
type Verdicts = Option<Bytes>;

/// The verdicts of the batches seen last.
#[derive(Debug, Default)]
pub(crate) struct VerdictMemory {
    recent: Mutex<VecDeque<(B256, Verdicts)>>,
}

impl VerdictMemory {
    fn verify(&self, input: &[u8]) -> Verdicts {
        let key = keccak256(input);
        if let Some((_, verdicts)) = self.recent.lock().iter().find(|(known, _)| *known == key) {
            return verdicts.clone();
        }
        let verdicts = cairn_zk::precompile::run(input).ok().map(Bytes::from);
        let mut recent = self.recent.lock();
        if recent.len() >= REMEMBERED_BATCHES {
            recent.pop_front();
        }
        recent.push_back((key, verdicts.clone()));
        verdicts
    }
}

/// The chain's precompiles.
#[derive(Debug, Clone)]
pub(crate) struct CairnPrecompiles {
    ethereum: EthPrecompiles,
    addresses: AddressSet,
    /// Calls' overrides: which precompile answers at an address instead of the usual one; `None`: none does.
    moved: AddressMap<Option<Address>>,
    deadline: Deadline,
    /// Only what costs next to nothing answers, the rest gives execution up.
    small: bool,
    memory: Arc<VerdictMemory>,
}

/// SHA-256 and the copy: all that a small run may call.
const SMALL_PRECOMPILES: [Address; 2] = [
    address!("0000000000000000000000000000000000000002"),
    address!("0000000000000000000000000000000000000004"),
];
/// Longest input of theirs in a small run.
const SMALL_INPUT_BYTES: usize = 1024;

impl CairnPrecompiles {
    /// Prague's set and `VerifyProofs`.
    pub(crate) fn new(memory: Arc<VerdictMemory>) -> Self {
        let ethereum = EthPrecompiles::new(SpecId::PRAGUE);
        let mut addresses = ethereum.warm_addresses().clone();
        addresses.insert(VERIFY_PROOFS_ADDRESS);
        Self {
            ethereum,
            addresses,
            moved: AddressMap::default(),
            deadline: Deadline::NEVER,
            small: false,
            memory,
        }
    }

    /// Where precompiles stand without overrides.
    pub(crate) fn addresses_of_prague() -> AddressSet {
        Self::new(Arc::default()).addresses
    }

    /// Gives execution up at `deadline`: every call passes here.
    pub(crate) fn with_deadline(mut self, deadline: Deadline) -> Self {
        self.deadline = deadline;
        self
    }

    /// For small runs.
    pub(crate) fn only_small(mut self, small: bool) -> Self {
        self.small = small;
        self
    }

    /// Whether a precompile answers at `address`.
    pub(crate) fn contains(&self, address: &Address) -> bool {
        self.answering(*address).is_some()
    }

    /// Lets the precompile at `from` answer at `to`.
    pub(crate) fn place(&mut self, from: Address, to: Address) {
        let answering = self.answering(from);
        self.moved.insert(to, answering);
    }

    /// Lets no precompile answer at `address`.
    pub(crate) fn remove(&mut self, address: Address) {
        self.moved.insert(address, None);
    }

    fn answering(&self, address: Address) -> Option<Address> {
        match self.moved.get(&address) {
            Some(answering) => *answering,
            None => self.addresses.contains(&address).then_some(address),
        }
    }

    /// Whether a small run may not call this.
    fn is_too_much(&self, address: Address, inputs: &CallInputs) -> bool {
        let is_small =
            inputs.input.len() <= SMALL_INPUT_BYTES && SMALL_PRECOMPILES.contains(&address);
        self.addresses.contains(&address) && !is_small
    }

    /// Lets Ethereum's precompile at `address` answer, if there is one.
    fn run_ethereum<CTX: ContextTr<Cfg: Cfg<Spec = SpecId>>>(
        &mut self,
        address: Address,
        context: &mut CTX,
        inputs: &CallInputs,
    ) -> Result<Option<InterpreterResult>, String> {
        if address == inputs.bytecode_address {
            return self.ethereum.run(context, inputs);
        }
        let inputs = CallInputs {
            bytecode_address: address,
            ..inputs.clone()
        };
        self.ethereum.run(context, &inputs)
    }

    fn verify_proofs(&self, input: &[u8], gas_limit: u64, reservoir: u64) -> PrecompileOutput {
        let gas = cairn_zk::precompile::gas(input);
        if gas > gas_limit {
            return PrecompileOutput::halt(PrecompileHalt::OutOfGas, reservoir);
        }
        match self.memory.verify(input) {
            Some(output) => PrecompileOutput::new(gas, output, reservoir),
            None => PrecompileOutput::revert(gas, Bytes::new(), reservoir),
        }
    }
}

impl<CTX> PrecompileProvider<CTX> for CairnPrecompiles
where
    CTX: ContextTr<Cfg: Cfg<Spec = SpecId>>,
{
    type Output = InterpreterResult;

    fn set_spec(&mut self, spec: SpecId) -> bool {
        <EthPrecompiles as PrecompileProvider<CTX>>::set_spec(&mut self.ethereum, spec)
    }

    fn run(
        &mut self,
        context: &mut CTX,
        inputs: &CallInputs,
    ) -> Result<Option<Self::Output>, String> {
        if self.deadline.is_over() {
            return Err(DEADLINE_PASSED.to_owned());
        }
        let address = match self.moved.get(&inputs.bytecode_address) {
            Some(None) => return Ok(None),
            Some(Some(answering)) => *answering,
            None => inputs.bytecode_address,
        };
        if self.small && self.is_too_much(address, inputs) {
            return Err(DEADLINE_PASSED.to_owned());
        }
        if address != VERIFY_PROOFS_ADDRESS {
            return self.run_ethereum(address, context, inputs);
        }
        let output = {
            let input = inputs.input.as_bytes(context);
            self.verify_proofs(&input, inputs.gas_limit, inputs.reservoir)
        };
        Ok(Some(precompile_output_to_interpreter_result(
            output,
            inputs.gas_limit,
        )))
    }

    fn warm_addresses(&self) -> &AddressSet {
        &self.addresses
    }
}
