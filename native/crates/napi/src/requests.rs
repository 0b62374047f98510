//! What comes in: block references, packed transactions, log queries. Call requests are in `calls`.

use crate::failure::Failure;
use alloy_primitives::{Address, B256, Bytes, U256};
use cairn_evm::BlockRef;
use cairn_state::LogQuery;
use serde::{Deserialize, Deserializer, de};
use std::str::FromStr;

/// A decimal height, a 32-byte hash, or `pending`.
pub(crate) fn block_ref(text: &str) -> Result<BlockRef, Failure> {
    if text.len() == 66 {
        return Ok(BlockRef::Hash(hash(text)?));
    }
    if text == "pending" {
        return Ok(BlockRef::Pending);
    }
    Ok(BlockRef::Number(u64::from_str(text).unwrap_or(u64::MAX)))
}

/// A 32-byte hash.
pub(crate) fn hash(text: &str) -> Result<B256, Failure> {
    B256::from_str(text).map_err(|_| Failure::request("not a 32-byte hash"))
}

/// A 20-byte address.
pub(crate) fn address(text: &str) -> Result<Address, Failure> {
    Address::from_str(text).map_err(|_| Failure::request("not an address"))
}

/// Items packed as little-endian u32 length ‖ bytes.
pub(crate) fn unpack(packed: &[u8]) -> Result<Vec<Bytes>, Failure> {
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
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spelt<T>(pub T);

impl<'de, T: FromStr> Deserialize<'de> for Spelt<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::from_str(&text)
            .map(Self)
            .map_err(|_| de::Error::custom("bad spelling"))
    }
}

/// A decimal number, if there is one.
pub(crate) fn number(text: Option<&str>) -> Result<Option<U256>, Failure> {
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
pub(crate) fn log_query(text: &str) -> Result<LogQuery, Failure> {
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
