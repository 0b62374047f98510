//! The index of accounts: for each account and block the transactions that touched it. A row also names the account, so
//! that the state trie's keys lead back to addresses; accounts that appear without a transaction (in the genesis, as the
//! receiver of fees) have one row without transactions. Owns the rows' making and form; looking up is `touches`'s.

use alloy_primitives::map::HashMap;
use alloy_primitives::{Address, keccak256};

use crate::bytes_reader::{BytesReader, put_varint};
use crate::error::StateError;
use crate::keys::{Row, touch_key};

/// The rows a block adds, by ascending keys.
pub(crate) fn rows(
    number: u64,
    touched: &[Vec<Address>],
    created: &[Address],
) -> Result<Vec<Row>, StateError> {
    let mut accounts: HashMap<Address, Vec<u32>> = HashMap::default();
    for (tx, addresses) in touched.iter().enumerate() {
        let tx = u32::try_from(tx).map_err(|_| StateError::TooLarge("transactions"))?;
        for address in addresses {
            let transactions = accounts.entry(*address).or_default();
            if transactions.last() != Some(&tx) {
                transactions.push(tx);
            }
        }
    }
    for address in created {
        accounts.entry(*address).or_default();
    }
    let mut rows: Vec<Row> = Vec::with_capacity(accounts.len());
    for (address, transactions) in &accounts {
        let key = touch_key(&keccak256(address), number).to_vec();
        rows.push((key, encode(address, transactions)));
    }
    rows.sort_unstable();
    rows.dedup_by(|next, row| {
        // Accounts whose keys begin alike share a row.
        let shared = next.0 == row.0;
        if shared {
            row.1.append(&mut next.1);
        }
        shared
    });
    Ok(rows)
}

fn encode(address: &Address, transactions: &[u32]) -> Vec<u8> {
    let mut row = Vec::with_capacity(22 + transactions.len());
    row.extend_from_slice(address.as_slice());
    put_varint(&mut row, transactions.len() as u32);
    let mut last = 0;
    for tx in transactions {
        put_varint(&mut row, tx - last);
        last = *tx;
    }
    row
}

/// The accounts of a row with their transactions.
pub(crate) fn decode(row: &[u8]) -> Result<Vec<(Address, Vec<u32>)>, StateError> {
    let mut reader = BytesReader::new(row);
    let mut accounts = Vec::with_capacity(1);
    while !reader.is_empty() {
        let address = reader.address()?;
        let count: u32 = reader.varint_as()?;
        let mut transactions = Vec::new();
        let mut last = 0u32;
        for _ in 0..count {
            let step: u32 = reader.varint_as()?;
            last = last
                .checked_add(step)
                .ok_or_else(|| StateError::corrupt("transaction index out of range"))?;
            transactions.push(last);
        }
        accounts.push((address, transactions));
    }
    Ok(accounts)
}
