//! Call requests as they come in: JSON text with decimal numbers and hex bytes. Numbers too wide for their field
//! saturate.

use crate::failure::Failure;
use crate::requests::{Spelt, block_ref, number};
use alloy_eips::eip2930::{AccessList, AccessListItem};
use alloy_eips::eip7702::{Authorization, SignedAuthorization};
use alloy_primitives::{Address, B256, Bytes, U256};
use cairn_evm::{
    AccountOverride, BlockOverrides, Bundle, CallLimits, CallManyRequest, CallRequest,
    SimulateBlock, SimulateRequest, StateOverrides,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// A message.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallText {
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
pub struct PlaceText {
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

/// Overridden accounts by address.
pub type StateText = BTreeMap<Spelt<Address>, AccountText>;

/// One overridden account.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountText {
    nonce: Option<String>,
    code: Option<Spelt<Bytes>>,
    balance: Option<String>,
    state: Option<BTreeMap<Spelt<B256>, Spelt<B256>>>,
    state_diff: Option<BTreeMap<Spelt<B256>, Spelt<B256>>>,
    move_precompile_to: Option<Spelt<Address>>,
}

/// Overridden header fields.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct BlockText {
    number: Option<String>,
    time: Option<String>,
    gas_limit: Option<String>,
    fee_recipient: Option<Spelt<Address>>,
    prev_randao: Option<Spelt<B256>>,
    base_fee_per_gas: Option<String>,
    blob_base_fee: Option<String>,
    beacon_root: Option<Spelt<B256>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SimulateText {
    blocks: Vec<SimulateBlockText>,
    trace_transfers: bool,
    validation: bool,
    full_transactions: bool,
    #[serde(flatten)]
    place: PlaceText,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SimulateBlockText {
    #[serde(default)]
    state_overrides: StateText,
    #[serde(default)]
    block_overrides: BlockText,
    calls: Vec<CallText>,
}

/// A simulation.
pub fn simulate_request(text: &str) -> Result<SimulateRequest, Failure> {
    let simulation: SimulateText = parse(text)?;
    let place = &simulation.place;
    let block = |block: SimulateBlockText| -> Result<SimulateBlock, Failure> {
        let calls = block.calls.into_iter().map(|call| message(call, place));
        Ok(SimulateBlock {
            overrides: state_overrides(block.state_overrides)?,
            block_overrides: block_overrides(block.block_overrides)?,
            calls: calls.collect::<Result<_, _>>()?,
        })
    };
    let blocks = simulation.blocks.into_iter().map(block);
    Ok(SimulateRequest {
        blocks: blocks.collect::<Result<_, _>>()?,
        trace_transfers: simulation.trace_transfers,
        validation: simulation.validation,
        full_transactions: simulation.full_transactions,
        block: block_ref(&place.block)?,
        limits: limits(place)?,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallManyText {
    bundles: Vec<BundleText>,
    transactions: Option<usize>,
    #[serde(flatten)]
    place: PlaceText,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BundleText {
    #[serde(default)]
    block_overrides: BlockText,
    calls: Vec<CallText>,
}

/// Bundles of messages.
pub fn call_many_request(text: &str) -> Result<CallManyRequest, Failure> {
    let CallManyText {
        bundles,
        transactions,
        place,
    } = parse(text)?;
    let bundle = |bundle: BundleText| -> Result<Bundle, Failure> {
        let calls = bundle.calls.into_iter().map(|call| message(call, &place));
        Ok(Bundle {
            block_overrides: block_overrides(bundle.block_overrides)?,
            calls: calls.collect::<Result<_, _>>()?,
        })
    };
    Ok(CallManyRequest {
        bundles: bundles
            .into_iter()
            .map(bundle)
            .collect::<Result<_, Failure>>()?,
        block: block_ref(&place.block)?,
        transactions,
        limits: limits(&place)?,
        overrides: state_overrides(place.state_overrides)?,
    })
}

fn limits(place: &PlaceText) -> Result<CallLimits, Failure> {
    Ok(CallLimits {
        gas_cap: number(place.gas_cap.as_deref())?.map(|gas| gas.saturating_to()),
        timeout: Duration::from_millis(place.timeout_ms),
    })
}

/// A call request with its data.
pub fn call_request(text: &str, data: &[u8]) -> Result<CallRequest, Failure> {
    let OneCall { call, place } = parse(text)?;
    let mut request = message(call, &place)?;
    request.data = Bytes::copy_from_slice(data);
    request.overrides = state_overrides(place.state_overrides)?;
    request.block_overrides = block_overrides(place.block_overrides)?;
    Ok(request)
}

/// Parses a request's text.
pub fn parse<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|_| Failure::request("bad call request"))
}

/// A message at a place, without the place's overrides.
pub fn message(call: CallText, place: &PlaceText) -> Result<CallRequest, Failure> {
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

/// Overridden accounts.
pub fn state_overrides(text: StateText) -> Result<StateOverrides, Failure> {
    let slots = |map: BTreeMap<Spelt<B256>, Spelt<B256>>| {
        let word = |word: Spelt<B256>| U256::from_be_bytes(word.0.0);
        map.into_iter()
            .map(|(key, value)| (word(key), word(value)))
            .collect()
    };
    text.into_iter()
        .map(|(address, account)| {
            let nonce = number(account.nonce.as_deref())?;
            let change = AccountOverride {
                nonce: nonce.map(|nonce| nonce.saturating_to()),
                code: account.code.map(|code| code.0),
                balance: number(account.balance.as_deref())?,
                state: account.state.map(slots),
                state_diff: account.state_diff.map(slots),
                move_precompile_to: account.move_precompile_to.map(|to| to.0),
            };
            Ok((address.0, change))
        })
        .collect()
}

/// Overridden header fields.
pub fn block_overrides(text: BlockText) -> Result<BlockOverrides, Failure> {
    let small = |text: &Option<String>| -> Result<Option<u64>, Failure> {
        Ok(number(text.as_deref())?.map(|number| number.saturating_to()))
    };
    let blob_base_fee = number(text.blob_base_fee.as_deref())?;
    Ok(BlockOverrides {
        number: number(text.number.as_deref())?,
        time: small(&text.time)?,
        gas_limit: small(&text.gas_limit)?,
        fee_recipient: text.fee_recipient.map(|address| address.0),
        prev_randao: text.prev_randao.map(|hash| hash.0),
        base_fee_per_gas: small(&text.base_fee_per_gas)?,
        blob_base_fee: blob_base_fee.map(|fee| fee.saturating_to()),
        beacon_root: text.beacon_root.map(|hash| hash.0),
    })
}
