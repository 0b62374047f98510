//! `eth_getProof`.

use super::writer::JsonWriter;
use crate::chain::Chain;
use crate::error::ChainError;
use crate::read::BlockRef;
use alloy_primitives::{Address, Bytes, U256};
use cairn_state::Snapshot;

impl Chain {
    /// Account and storage proofs as JSON text; `None` for an unknown block. An absent account has zero hashes, as in
    /// geth. A key of 32 bytes is echoed as such, a shorter one as a quantity.
    pub fn proof_json(
        &self,
        address: &Address,
        keys: &[Bytes],
        block: BlockRef,
    ) -> Result<Option<String>, ChainError> {
        let Some(state) = self.state_of(block)? else {
            return Ok(None);
        };
        let account = state.account(address)?;
        let mut json = JsonWriter::with_capacity(8192);
        json.open_object();
        json.bytes_field("address", address.as_slice());
        json.key("accountProof");
        write_nodes(&mut json, &state.account_proof(address)?);
        json.key("balance");
        json.quantity256(&account.map_or(U256::ZERO, |account| account.balance));
        json.bytes_field(
            "codeHash",
            account
                .map_or_else(Default::default, |account| account.code_hash)
                .as_slice(),
        );
        json.quantity_field("nonce", account.map_or(0, |account| account.nonce));
        json.bytes_field(
            "storageHash",
            account
                .map_or_else(Default::default, |account| account.storage_root)
                .as_slice(),
        );
        json.key("storageProof");
        json.open_array();
        for key in keys {
            write_slot(&mut json, &state, address, key, account.is_some())?;
        }
        json.close_array();
        json.close_object();
        Ok(Some(json.finish()))
    }
}

fn write_slot(
    json: &mut JsonWriter,
    state: &Snapshot,
    address: &Address,
    key: &Bytes,
    exists: bool,
) -> Result<(), ChainError> {
    let slot = U256::try_from_be_slice(key).unwrap_or_default();
    json.open_object();
    json.key("key");
    if key.len() == 32 {
        json.bytes(key);
    } else {
        json.quantity256(&slot);
    }
    json.key("value");
    json.quantity256(&state.storage(address, &slot)?);
    json.key("proof");
    let nodes = if exists {
        state.storage_proof(address, &slot)?
    } else {
        Vec::new()
    };
    write_nodes(json, &nodes);
    json.close_object();
    Ok(())
}

fn write_nodes(json: &mut JsonWriter, nodes: &[Bytes]) {
    json.open_array();
    for node in nodes {
        json.bytes(node);
    }
    json.close_array();
}
