//! Raw transactions to executable ones: decoded, checked without state, their senders recovered.

use super::Chain;
use crate::execution::Ready;
use crate::transaction::{Decoded, Refusal, check, decode, recover};
use alloy_primitives::{Address, Bytes};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

/// Groups below this size are handled on the calling thread.
const PARALLEL_FROM: usize = 16;

impl Chain {
    /// Decodes, checks and recovers many transactions, on the workers when they are many.
    pub(crate) fn prepare(
        &self,
        raws: Vec<Bytes>,
        block_gas_limit: u64,
    ) -> Vec<Result<Ready, Refusal>> {
        let one = |raw: Bytes| self.prepare_one(raw, block_gas_limit);
        if raws.len() < PARALLEL_FROM {
            return raws.into_iter().map(one).collect();
        }
        self.workers
            .install(|| raws.into_par_iter().map(one).collect())
    }

    /// Decodes, checks and recovers one transaction.
    pub(crate) fn prepare_one(&self, raw: Bytes, block_gas_limit: u64) -> Result<Ready, Refusal> {
        let tx = decode(raw)?;
        check(&tx.envelope, &self.spec, block_gas_limit)?;
        let sender = self.sender(&tx)?;
        Ok(Ready { tx, sender })
    }

    /// The sender of a transaction: recovered once, then remembered by transaction hash.
    fn sender(&self, tx: &Decoded) -> Result<Address, Refusal> {
        if let Some(sender) = self.senders.get(&tx.hash) {
            return Ok(sender);
        }
        let sender = recover(&tx.envelope).ok_or_else(Refusal::signature)?;
        self.senders.insert(tx.hash, sender);
        Ok(sender)
    }
}
