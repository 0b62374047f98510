//! What can be traced, as JSON text brings it.

use super::options::TraceOptions;
use crate::read::BlockRef;
use alloy_eips::eip2930::AccessList;
use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_rpc_types_eth::BlockOverrides;
use alloy_rpc_types_eth::state::StateOverride;
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
    /// A message that is no transaction.
    Call(Box<CallTrace>),
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
    pub state_overrides: Option<StateOverride>,
    /// The block as if.
    #[serde(default)]
    pub block_overrides: Option<BlockOverrides>,
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
