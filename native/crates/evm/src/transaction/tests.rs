use super::check::minimum_gas;
use super::*;
use alloy_consensus::{SignableTransaction as _, Transaction as _, TxEip1559, TxEip7702};
use alloy_eips::eip2930::{AccessList, AccessListItem};
use alloy_eips::eip7702::{Authorization, SignedAuthorization};
use alloy_primitives::{Signature, TxKind, U256};
use revm::context_interface::cfg::GasParams;
use revm::primitives::hardfork::SpecId;

fn signature() -> Signature {
    Signature::new(U256::from(1), U256::from(1), false)
}

fn message(kind: TxKind, input: Bytes, items: u64, keys: u64) -> Envelope {
    let item = |index: u64| AccessListItem {
        address: Address::with_last_byte(index as u8),
        storage_keys: vec![B256::ZERO; keys as usize],
    };
    let access_list = AccessList((0..items).map(item).collect());
    let tx = TxEip1559 {
        to: kind,
        input,
        access_list,
        ..TxEip1559::default()
    };
    tx.into_signed(signature()).into()
}

fn revm_minimum(tx: &Envelope) -> (u64, u64) {
    let list = tx
        .access_list()
        .map(|list| list.0.as_slice())
        .unwrap_or_default();
    let keys: usize = list.iter().map(|item| item.storage_keys.len()).sum();
    let gas = GasParams::new_spec(SpecId::PRAGUE).initial_tx_gas(
        tx.input(),
        tx.kind().is_create(),
        list.len() as u64,
        keys as u64,
        tx.authorization_list().map_or(0, <[_]>::len) as u64,
        None,
    );
    (gas.initial_regular_gas(), gas.floor_gas)
}

#[test]
fn the_minimum_gas_is_what_the_evm_charges() {
    let inputs = [
        vec![],
        vec![0; 100],
        vec![7; 100],
        vec![0, 1, 2, 0, 0, 9],
        vec![3; 40_000],
    ];
    for input in inputs {
        for kind in [TxKind::Create, TxKind::Call(Address::ZERO)] {
            for (items, keys) in [(0, 0), (1, 0), (3, 5)] {
                let tx = message(kind, input.clone().into(), items, keys);
                assert_eq!(
                    minimum_gas(&tx),
                    revm_minimum(&tx),
                    "{kind:?} {} {items}",
                    input.len()
                );
            }
        }
    }
    let authorization = Authorization {
        chain_id: U256::ZERO,
        address: Address::ZERO,
        nonce: 0,
    };
    let signed = SignedAuthorization::new_unchecked(authorization, 0, U256::from(1), U256::from(1));
    let tx = TxEip7702 {
        authorization_list: vec![signed; 3],
        ..TxEip7702::default()
    };
    let tx: Envelope = tx.into_signed(signature()).into();
    assert_eq!(minimum_gas(&tx), revm_minimum(&tx));
    assert_eq!(minimum_gas(&tx), (21_000 + 75_000, 21_000));
}

#[test]
fn no_bytes_make_the_decoder_panic_and_decoding_is_canonical() {
    let raw = message(TxKind::Call(Address::ZERO), vec![1, 2, 3].into(), 2, 2).encoded_2718();
    assert!(decode(raw.clone().into()).is_ok());
    for index in 0..raw.len() {
        for flip in [0x01u8, 0x80, 0xff] {
            let mut changed = raw.clone();
            if let Some(byte) = changed.get_mut(index) {
                *byte ^= flip;
            }
            if let Ok(tx) = decode(changed.clone().into()) {
                assert_eq!(tx.envelope.encoded_2718(), changed);
            }
        }
        let cut = raw.get(..index).unwrap_or_default().to_vec();
        assert!(decode(cut.into()).is_err());
    }
}
