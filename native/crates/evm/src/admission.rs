//! Admission: what the transaction pool needs to know of raw transactions, one call for many.

use crate::chain::Chain;
use crate::error::ChainError;
use crate::execution::Ready;
use crate::transaction::Refusal;
use alloy_consensus::Transaction;
use alloy_primitives::{Address, Bytes, U256};
use rayon::prelude::*;
use std::collections::HashMap;

/// An admissible transaction and its sender's account at head.
#[derive(Debug, Clone)]
pub struct Admission {
    /// Fields, bytes, hash, sender.
    pub ready: Ready,
    /// The sender's nonce at head.
    pub sender_nonce: u64,
    /// The sender's balance at head, in wei.
    pub sender_balance: U256,
    /// Who signed its authorizations (EIP-7702), each once; those that name nobody are left out.
    pub authorities: Vec<Address>,
}

impl Chain {
    /// Checks raw transactions; an outcome per item in the given order.
    pub fn admit(&self, raws: Vec<Bytes>) -> Result<Vec<Result<Admission, Refusal>>, ChainError> {
        let head = self.head();
        let prepared = self.prepare(raws, head.header.gas_limit);
        let state = self.state_at(head.header.number)?;
        let mut accounts: HashMap<Address, (u64, U256)> = HashMap::new();
        let mut outcomes = Vec::with_capacity(prepared.len());
        for item in prepared {
            outcomes.push(match item {
                Err(refusal) => Err(refusal),
                Ok(ready) => {
                    let (sender_nonce, sender_balance) = match accounts.get(&ready.sender) {
                        Some(known) => *known,
                        None => {
                            let account = state.account(&ready.sender)?;
                            let known = account.map_or((0, U256::ZERO), |account| {
                                (account.nonce, account.balance)
                            });
                            accounts.insert(ready.sender, known);
                            known
                        }
                    };
                    let authorities = self.authorities(&ready);
                    Ok(Admission {
                        ready,
                        authorities,
                        sender_nonce,
                        sender_balance,
                    })
                }
            });
        }
        Ok(outcomes)
    }

    fn authorities(&self, ready: &Ready) -> Vec<Address> {
        let Some(list) = ready.tx.envelope.authorization_list() else {
            return Vec::new();
        };
        let recover = || -> Vec<Address> {
            let signed = list.par_iter();
            signed
                .filter_map(|item| item.recover_authority().ok())
                .collect()
        };
        let mut authorities = self.workers.install(recover);
        authorities.sort_unstable();
        authorities.dedup();
        authorities
    }
}
