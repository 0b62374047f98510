//! `eth_feeHistory`.

use super::writer::JsonWriter;
use crate::chain::Chain;
use crate::error::ChainError;
use crate::pending::Pending;
use crate::read::BlockRef;
use alloy_consensus::Header;
use cairn_state::StoredReceipt;
use std::sync::Arc;

type History = (u64, Vec<Header>, Option<Arc<Pending>>);

impl Chain {
    /// Base fees, gas ratios and rewards of the `count` blocks up to `newest` (clamped to the head, or the pending block)
    /// as JSON text. `percentiles` must ascend within 0–100; a count of 0 answers the empty form of geth.
    pub fn fee_history_json(
        &self,
        count: u64,
        newest: BlockRef,
        percentiles: &[f64],
    ) -> Result<String, ChainError> {
        if count == 0 {
            return Ok(r#"{"oldestBlock":"0x0","gasUsedRatio":null}"#.to_owned());
        }
        let (oldest, headers, pending) = self.history(count, newest)?;
        let mut json = JsonWriter::with_capacity(256 + headers.len() * 64);
        json.open_object();
        json.quantity_field("oldestBlock", oldest);
        if !percentiles.is_empty() {
            let receipts = pending.as_ref().map(|pending| pending.receipts.as_slice());
            self.write_rewards(&mut json, &headers, receipts, percentiles)?;
        }
        self.write_base_fees(&mut json, &headers);
        json.key("gasUsedRatio");
        let ratio = |header: &Header| header.gas_used as f64 / header.gas_limit as f64;
        write_ratios(&mut json, headers.iter().map(ratio));
        json.key("baseFeePerBlobGas");
        json.open_array();
        for _ in 0..=headers.len() {
            json.quantity(1);
        }
        json.close_array();
        json.key("blobGasUsedRatio");
        write_ratios(&mut json, headers.iter().map(|_| 0.0));
        json.close_object();
        Ok(json.finish())
    }

    /// Of the blocks and of the one after them.
    fn write_base_fees(&self, json: &mut JsonWriter, headers: &[Header]) {
        json.key("baseFeePerGas");
        json.open_array();
        for header in headers {
            json.quantity(header.base_fee_per_gas.unwrap_or_default());
        }
        if let Some(last) = headers.last() {
            json.quantity(self.spec().next_base_fee(last));
        }
        json.close_array();
    }

    /// Where the `count` blocks up to `newest` begin, their headers, and the pending block if it is the last of them.
    fn history(&self, count: u64, newest: BlockRef) -> Result<History, ChainError> {
        let head = self.head().header.number;
        let (last, pending) = match newest {
            BlockRef::Number(number) => (number.min(head), None),
            _ => (head, self.pending()),
        };
        let newest = pending
            .as_ref()
            .map_or(last, |pending| pending.header.header.number);
        let oldest = newest + 1 - count.min(newest + 1);
        let mut headers = self.headers(oldest, newest.min(last))?;
        let pending = pending.filter(|_| newest > last);
        headers.extend(pending.iter().map(|pending| pending.header.header.clone()));
        Ok((oldest, headers, pending))
    }

    fn headers(&self, from: u64, to: u64) -> Result<Vec<Header>, ChainError> {
        let mut headers = Vec::new();
        for number in from..=to {
            let missing = || ChainError::Sequence(format!("no header of block {number}"));
            headers.push(
                self.header_of(BlockRef::Number(number))?
                    .ok_or_else(missing)?,
            );
        }
        Ok(headers)
    }

    fn write_rewards(
        &self,
        json: &mut JsonWriter,
        headers: &[Header],
        pending: Option<&[StoredReceipt]>,
        percentiles: &[f64],
    ) -> Result<(), ChainError> {
        json.key("reward");
        json.open_array();
        for header in headers {
            let stored = self.store.receipts(header.number)?;
            let receipts = stored.as_deref().or(pending).unwrap_or_default();
            json.open_array();
            for reward in rewards(header, receipts, percentiles) {
                json.quantity128(reward);
            }
            json.close_array();
        }
        json.close_array();
        Ok(())
    }
}

/// The priority fee at each gas-weighted percentile; zeros for an empty block.
fn rewards(header: &Header, receipts: &[StoredReceipt], percentiles: &[f64]) -> Vec<u128> {
    let base_fee = u128::from(header.base_fee_per_gas.unwrap_or_default());
    let mut tips: Vec<(u128, u64)> = receipts
        .iter()
        .map(|receipt| {
            (
                receipt.effective_gas_price.saturating_sub(base_fee),
                receipt.gas_used,
            )
        })
        .collect();
    tips.sort_by_key(|(tip, _)| *tip);
    let mut cumulative = 0u64;
    let mut rest = tips.iter();
    let mut current = rest.next();
    if let Some((_, gas)) = current {
        cumulative += gas;
    }
    percentiles
        .iter()
        .map(|percentile| {
            let threshold = (header.gas_used as f64 * percentile / 100.0) as u64;
            while cumulative < threshold {
                match rest.next() {
                    Some(next) => {
                        cumulative += next.1;
                        current = Some(next);
                    }
                    None => break,
                }
            }
            current.map_or(0, |(tip, _)| *tip)
        })
        .collect()
}

fn write_ratios(json: &mut JsonWriter, ratios: impl Iterator<Item = f64>) {
    json.open_array();
    for ratio in ratios {
        let text = if ratio.is_finite() {
            format!("{ratio}")
        } else {
            "0".to_owned()
        };
        json.raw(&text);
    }
    json.close_array();
}
