//! Logs of a run with its transfers of the native coin among them, as `eth_simulateV1` shows them (ERC-7528): what a
//! failed frame did is left out.

use crate::last_step::LastStep;
use alloy_primitives::{Address, B256, Log, U256, address, b256};
use revm::Inspector;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::{
    CallInputs, CallOutcome, CallScheme, CallValue, CreateInputs, CreateOutcome, Interpreter,
};

const COIN: Address = address!("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
/// `Transfer(address,address,uint256)`.
const TRANSFER: B256 = b256!("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");

/// What a simulation watches: transfers, and the last instruction for the words of a halt.
#[derive(Debug, Default)]
pub(super) struct SimulationWatch {
    /// Logs and transfers.
    pub transfers: Transfers,
    /// For [`LastStep::halt`].
    pub last: LastStep,
}

impl<CTX> Inspector<CTX, EthInterpreter> for SimulationWatch {
    fn step(&mut self, interpreter: &mut Interpreter<EthInterpreter>, _: &mut CTX) {
        self.last.see(interpreter);
    }

    fn log(&mut self, context: &mut CTX, log: Log) {
        self.transfers.log(context, log);
    }

    fn call(&mut self, context: &mut CTX, inputs: &mut CallInputs) -> Option<CallOutcome> {
        self.transfers.call(context, inputs)
    }

    fn call_end(&mut self, context: &mut CTX, inputs: &CallInputs, outcome: &mut CallOutcome) {
        self.transfers.call_end(context, inputs, outcome);
    }

    fn create(&mut self, context: &mut CTX, inputs: &mut CreateInputs) -> Option<CreateOutcome> {
        self.transfers.create(context, inputs)
    }

    fn create_end(
        &mut self,
        context: &mut CTX,
        inputs: &CreateInputs,
        outcome: &mut CreateOutcome,
    ) {
        self.transfers.create_end(context, inputs, outcome);
    }

    fn selfdestruct(&mut self, contract: Address, target: Address, value: U256) {
        Inspector::<CTX, EthInterpreter>::selfdestruct(
            &mut self.transfers,
            contract,
            target,
            value,
        );
    }
}

/// Collects logs per open frame.
#[derive(Debug, Default)]
pub(super) struct Transfers {
    frames: Vec<Vec<Log>>,
    finished: Vec<Log>,
}

impl Transfers {
    /// The logs of the run just finished.
    pub(super) fn take(&mut self) -> Vec<Log> {
        self.frames.clear();
        std::mem::take(&mut self.finished)
    }

    fn record(&mut self, log: Log) {
        if let Some(frame) = self.frames.last_mut() {
            frame.push(log);
        }
    }

    fn transfer(&mut self, from: Address, to: Address, value: U256) {
        if !value.is_zero() {
            let topics = vec![TRANSFER, from.into_word(), to.into_word()];
            let data = value.to_be_bytes::<32>().into();
            self.record(Log::new_unchecked(COIN, topics, data));
        }
    }

    fn close(&mut self, kept: bool) -> Vec<Log> {
        let logs = self.frames.pop().unwrap_or_default();
        if kept { logs } else { Vec::new() }
    }

    fn merge(&mut self, logs: Vec<Log>) {
        match self.frames.last_mut() {
            Some(frame) => frame.extend(logs),
            None => self.finished = logs,
        }
    }
}

impl<CTX> Inspector<CTX, EthInterpreter> for Transfers {
    fn log(&mut self, _: &mut CTX, log: Log) {
        self.record(log);
    }

    fn call(&mut self, _: &mut CTX, inputs: &mut CallInputs) -> Option<CallOutcome> {
        self.frames.push(Vec::new());
        if let (CallScheme::Call, CallValue::Transfer(value)) = (inputs.scheme, &inputs.value) {
            self.transfer(inputs.caller, inputs.target_address, *value);
        }
        None
    }

    fn call_end(&mut self, _: &mut CTX, _: &CallInputs, outcome: &mut CallOutcome) {
        let logs = self.close(outcome.result.result.is_ok());
        self.merge(logs);
    }

    fn create(&mut self, _: &mut CTX, inputs: &mut CreateInputs) -> Option<CreateOutcome> {
        self.frames.push(Vec::new());
        // The address is known at the end; the transfer comes first.
        self.transfer(inputs.caller(), Address::ZERO, inputs.value());
        None
    }

    fn create_end(&mut self, _: &mut CTX, inputs: &CreateInputs, outcome: &mut CreateOutcome) {
        let mut logs = self.close(outcome.result.result.is_ok());
        if let (false, Some(address)) = (inputs.value().is_zero(), outcome.address)
            && let Some(first) = logs.first_mut()
            && let Some(to) = first.data.topics_mut_unchecked().get_mut(2)
        {
            *to = address.into_word();
        }
        self.merge(logs);
    }

    fn selfdestruct(&mut self, contract: Address, target: Address, value: U256) {
        self.transfer(contract, target, value);
    }
}
