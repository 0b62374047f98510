//! Call requests as they come in: JSON text with decimal numbers and hex bytes. Numbers too wide for their field
//! saturate.

mod many;
mod overrides;

pub(crate) use many::{call_many_request, simulate_request};

use crate::failure::Failure;
use crate::requests::{Spelt, block_ref, number};
use alloy_eips::eip2930::{AccessList, AccessListItem};
use alloy_eips::eip7702::{Authorization, SignedAuthorization};
use alloy_primitives::{Address, B256, Bytes};
use cairn_evm::{BlockOverrides, CallLimits, CallRequest, StateOverrides};
use overrides::{BlockText, StateText, block_overrides, state_overrides};
use serde::Deserialize;
use std::time::Duration;

/// A message.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallText {
    from: Option<Spelt<Address>>,
    to: Option<Spelt<Address>>,
    gas: Option<String>,
    gas_price: Option<String>,
    max_fee_per_gas: Option<String>,
    max_priority_fee_per_gas: Option<String>,
    value: Option<String>,
    nonce: Option<String>,
    data: Option<Spelt<Bytes>>,
    #[serde(default)]
    access_list: Vec<AccessText>,
    authorization_list: Option<Vec<AuthorizationText>>,
}

/// Where messages run.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlaceText {
    block: String,
    #[serde(default)]
    state_overrides: StateText,
    #[serde(default)]
    block_overrides: BlockText,
    gas_cap: Option<String>,
    #[serde(default)]
    timeout_ms: u64,
}

#[derive(Deserialize)]
struct OneCall {
    #[serde(flatten)]
    call: CallText,
    #[serde(flatten)]
    place: PlaceText,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AccessText {
    address: Spelt<Address>,
    storage_keys: Vec<Spelt<B256>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AuthorizationText {
    chain_id: String,
    address: Spelt<Address>,
    nonce: String,
    y_parity: u8,
    r: String,
    s: String,
}

fn limits(place: &PlaceText) -> Result<CallLimits, Failure> {
    Ok(CallLimits {
        gas_cap: number(place.gas_cap.as_deref())?.map(|gas| gas.saturating_to()),
        timeout: Duration::from_millis(place.timeout_ms),
    })
}

/// A call request with its data.
pub(crate) fn call_request(text: &str, data: &[u8]) -> Result<CallRequest, Failure> {
    let OneCall { call, place } = parse(text)?;
    let mut request = message(call, &place)?;
    request.data = Bytes::copy_from_slice(data);
    request.overrides = state_overrides(place.state_overrides)?;
    request.block_overrides = block_overrides(place.block_overrides)?;
    Ok(request)
}

/// Parses a request's text.
pub(crate) fn parse<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|_| Failure::request("bad call request"))
}

/// A message at a place, without the place's overrides.
pub(crate) fn message(call: CallText, place: &PlaceText) -> Result<CallRequest, Failure> {
    let item = |item: AccessText| AccessListItem {
        address: item.address.0,
        storage_keys: item.storage_keys.into_iter().map(|key| key.0).collect(),
    };
    let small = |text: &Option<String>| -> Result<Option<u64>, Failure> {
        Ok(number(text.as_deref())?.map(|number| number.saturating_to()))
    };
    let wide = |text: &Option<String>| -> Result<Option<u128>, Failure> {
        Ok(number(text.as_deref())?.map(|number| number.saturating_to()))
    };
    Ok(CallRequest {
        from: call.from.map(|from| from.0),
        to: call.to.map(|to| to.0),
        gas: small(&call.gas)?,
        gas_price: wide(&call.gas_price)?,
        max_fee_per_gas: wide(&call.max_fee_per_gas)?,
        max_priority_fee_per_gas: wide(&call.max_priority_fee_per_gas)?,
        value: number(call.value.as_deref())?.unwrap_or_default(),
        nonce: small(&call.nonce)?,
        data: call.data.map(|data| data.0).unwrap_or_default(),
        access_list: AccessList(call.access_list.into_iter().map(item).collect()),
        authorizations: match call.authorization_list {
            Some(list) => Some(
                list.into_iter()
                    .map(authorization)
                    .collect::<Result<_, _>>()?,
            ),
            None => None,
        },
        block: block_ref(&place.block)?,
        overrides: StateOverrides::new(),
        block_overrides: BlockOverrides::default(),
        limits: limits(place)?,
    })
}

fn authorization(text: AuthorizationText) -> Result<SignedAuthorization, Failure> {
    let wanted = |text: &str| Ok::<_, Failure>(number(Some(text))?.unwrap_or_default());
    let inner = Authorization {
        chain_id: wanted(&text.chain_id)?,
        address: text.address.0,
        nonce: wanted(&text.nonce)?.saturating_to(),
    };
    let (r, s) = (wanted(&text.r)?, wanted(&text.s)?);
    Ok(SignedAuthorization::new_unchecked(
        inner,
        text.y_parity,
        r,
        s,
    ))
}
