//! What can be traced, as JSON text brings it.

use super::options::TraceOptions;
use crate::call::CallRequest;
use crate::overrides::{BlockOverrides, StateOverrides};
use crate::read::BlockRef;
use crate::scene::CallLimits;
use alloy_eips::eip2930::AccessList;
use alloy_eips::eip7702::SignedAuthorization;
use alloy_primitives::{Address, B256, Bytes, U256};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::str::FromStr;

/// One request.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum TraceRequest {
    /// One committed transaction.
    Transaction {
        /// Its hash.
        hash: B256,
        /// How.
        #[serde(default)]
        options: TraceOptions,
    },
    /// All transactions of a block.
    Block {
        /// Which.
        block: NamedBlock,
        /// How.
        #[serde(default)]
        options: TraceOptions,
    },
    /// A block's transactions in geth's standard form, into files.
    Files {
        /// Which.
        block: NamedBlock,
        /// The file of each transaction, existing and empty; an empty name: not traced.
        files: Vec<String>,
        /// How.
        #[serde(default)]
        options: TraceOptions,
    },
    /// A message that is no transaction.
    Call(Box<CallTrace>),
    /// Messages one after the other, each on what the ones before left.
    Calls {
        /// Which.
        calls: Vec<OneCall>,
        /// On the state after this block.
        block: NamedBlock,
    },
    /// A signed transaction that is not committed.
    Raw {
        /// EIP-2718 bytes.
        raw: Bytes,
        /// On the state after this block.
        block: NamedBlock,
        /// How.
        #[serde(default)]
        options: TraceOptions,
    },
}

/// One of several messages.
#[derive(Debug, Serialize, Deserialize)]
pub struct OneCall {
    /// The message.
    pub call: Message,
    /// How.
    #[serde(default)]
    pub options: TraceOptions,
}

impl TraceRequest {
    /// Reads JSON text.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}

/// A message to trace.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallTrace {
    /// The message.
    pub call: Message,
    /// On the state after this block.
    pub block: NamedBlock,
    /// On the state before this transaction of the block.
    #[serde(default)]
    pub tx_index: Option<usize>,
    /// Accounts as if.
    #[serde(default)]
    pub state_overrides: StateOverrides,
    /// The block as if.
    #[serde(default)]
    pub block_overrides: BlockOverrides,
    /// How.
    #[serde(default)]
    pub options: TraceOptions,
}

/// A message's fields, absent as in a call object.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Message {
    /// Sender.
    pub from: Option<Address>,
    /// Absent: creation.
    pub to: Option<Address>,
    /// Gas limit.
    pub gas: Option<U256>,
    /// Price in wei.
    pub gas_price: Option<U256>,
    /// Fee cap in wei.
    pub max_fee_per_gas: Option<U256>,
    /// Priority fee in wei.
    pub max_priority_fee_per_gas: Option<U256>,
    /// Wei.
    pub value: Option<U256>,
    /// Nonce, shown and never checked.
    pub nonce: Option<U256>,
    /// Calldata or init code.
    pub data: Option<Bytes>,
    /// EIP-2930 access list.
    pub access_list: AccessList,
    /// EIP-7702 authorizations.
    pub authorization_list: Option<Vec<SignedAuthorization>>,
}

impl Message {
    /// The same as a call; where it runs is the trace's business.
    pub fn to_call(&self) -> CallRequest {
        CallRequest {
            from: self.from,
            to: self.to,
            gas: self.gas.map(|gas| gas.saturating_to()),
            gas_price: self.gas_price.map(|price| price.saturating_to()),
            max_fee_per_gas: self.max_fee_per_gas.map(|fee| fee.saturating_to()),
            max_priority_fee_per_gas: self.max_priority_fee_per_gas.map(|tip| tip.saturating_to()),
            value: self.value.unwrap_or_default(),
            nonce: self.nonce.map(|nonce| nonce.saturating_to()),
            data: self.data.clone().unwrap_or_default(),
            access_list: self.access_list.clone(),
            authorizations: self.authorization_list.clone(),
            block: BlockRef::Number(0),
            overrides: StateOverrides::default(),
            block_overrides: BlockOverrides::default(),
            limits: CallLimits::default(),
        }
    }
}

/// A block by decimal height or hash.
#[derive(Debug, Clone, Copy)]
pub struct NamedBlock(pub BlockRef);

impl<'de> Deserialize<'de> for NamedBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let block = if text.len() == 66 {
            B256::from_str(&text).ok().map(BlockRef::Hash)
        } else {
            u64::from_str(&text).ok().map(BlockRef::Number)
        };
        block
            .map(Self)
            .ok_or_else(|| de::Error::custom("not a block"))
    }
}

impl Serialize for NamedBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            BlockRef::Number(number) => serializer.serialize_str(&number.to_string()),
            BlockRef::Hash(hash) => serializer.serialize_str(&hash.to_string()),
            BlockRef::Pending => serializer.serialize_str("pending"),
        }
    }
}
