//! What comes in: block references, packed transactions, call requests, log queries.

use crate::failure::Failure;
use alloy_eips::eip2930::{AccessList, AccessListItem};
use alloy_primitives::{Address, B256, Bytes, U256};
use cairn_evm::{BlockRef, CallRequest};
use cairn_state::LogQuery;
use serde::{Deserialize, Deserializer, de};
use std::str::FromStr;

/// A decimal height, or a 32-byte hash.
pub fn block_ref(text: &str) -> Result<BlockRef, Failure> {
    if text.len() == 66 {
        return Ok(BlockRef::Hash(hash(text)?));
    }
    Ok(BlockRef::Number(u64::from_str(text).unwrap_or(u64::MAX)))
}

/// A 32-byte hash.
pub fn hash(text: &str) -> Result<B256, Failure> {
    B256::from_str(text).map_err(|_| Failure::request("not a 32-byte hash"))
}

/// A 20-byte address.
pub fn address(text: &str) -> Result<Address, Failure> {
    Address::from_str(text).map_err(|_| Failure::request("not an address"))
}

/// Items packed as little-endian u32 length ‖ bytes.
pub fn unpack(packed: &[u8]) -> Result<Vec<Bytes>, Failure> {
    let mut items = Vec::new();
    let mut rest = packed;
    while !rest.is_empty() {
        let (length, tail) = rest
            .split_first_chunk::<4>()
            .ok_or_else(|| Failure::request("bad packing"))?;
        let length = u32::from_le_bytes(*length) as usize;
        let (item, tail) = tail
            .split_at_checked(length)
            .ok_or_else(|| Failure::request("bad packing"))?;
        items.push(Bytes::copy_from_slice(item));
        rest = tail;
    }
    Ok(items)
}

/// A value spelt as text.
struct Spelt<T>(T);

impl<'de, T: FromStr> Deserialize<'de> for Spelt<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::from_str(&text)
            .map(Self)
            .map_err(|_| de::Error::custom("bad spelling"))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallText {
    from: Option<Spelt<Address>>,
    to: Option<Spelt<Address>>,
    gas: Option<String>,
    gas_price: Option<String>,
    max_fee_per_gas: Option<String>,
    max_priority_fee_per_gas: Option<String>,
    value: Option<String>,
    nonce: Option<String>,
    #[serde(default)]
    access_list: Vec<AccessText>,
    block: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AccessText {
    address: Spelt<Address>,
    storage_keys: Vec<Spelt<B256>>,
}

/// A call request: JSON text with decimal numbers, and its data. Numbers too wide for their field saturate.
pub fn call_request(text: &str, data: &[u8]) -> Result<CallRequest, Failure> {
    let call: CallText =
        serde_json::from_str(text).map_err(|_| Failure::request("bad call request"))?;
    let item = |item: AccessText| AccessListItem {
        address: item.address.0,
        storage_keys: item.storage_keys.into_iter().map(|key| key.0).collect(),
    };
    Ok(CallRequest {
        from: call.from.map(|from| from.0),
        to: call.to.map(|to| to.0),
        gas: number(call.gas.as_deref())?.map(|gas| gas.saturating_to()),
        gas_price: number(call.gas_price.as_deref())?.map(|fee| fee.saturating_to()),
        max_fee_per_gas: number(call.max_fee_per_gas.as_deref())?.map(|fee| fee.saturating_to()),
        max_priority_fee_per_gas: number(call.max_priority_fee_per_gas.as_deref())?
            .map(|fee| fee.saturating_to()),
        value: number(call.value.as_deref())?.unwrap_or_default(),
        nonce: number(call.nonce.as_deref())?.map(|nonce| nonce.saturating_to()),
        data: Bytes::copy_from_slice(data),
        access_list: AccessList(call.access_list.into_iter().map(item).collect()),
        block: block_ref(&call.block)?,
    })
}

fn number(text: Option<&str>) -> Result<Option<U256>, Failure> {
    let parse =
        |text| U256::from_str_radix(text, 10).map_err(|_| Failure::request("not a decimal number"));
    text.map(parse).transpose()
}

#[derive(Deserialize)]
struct LogText {
    from: String,
    to: String,
    addresses: Vec<Spelt<Address>>,
    topics: Vec<Vec<Spelt<B256>>>,
    max: usize,
}

/// A log query: JSON text.
pub fn log_query(text: &str) -> Result<LogQuery, Failure> {
    let query: LogText =
        serde_json::from_str(text).map_err(|_| Failure::request("bad log query"))?;
    let height = |text: &str| u64::from_str(text).map_err(|_| Failure::request("not a height"));
    Ok(LogQuery {
        from: height(&query.from)?,
        to: height(&query.to)?,
        addresses: query
            .addresses
            .into_iter()
            .map(|address| address.0)
            .collect(),
        topics: query
            .topics
            .into_iter()
            .map(|any| any.into_iter().map(|topic| topic.0).collect())
            .collect(),
        max: query.max,
    })
}
