//! Consensus encodings of receipts, and the roots over a block's lists.

use alloy_primitives::{B256, Bloom, Bytes, logs_bloom};
use alloy_rlp::{BufMut, Encodable, Header as RlpHeader};
use alloy_trie::root::ordered_trie_root_encoded;
use cairn_state::{StoredReceipt, StoredTx};

/// The bloom over a receipt's logs.
pub(crate) fn receipt_bloom(receipt: &StoredReceipt) -> Bloom {
    if receipt.logs.is_empty() {
        Bloom::ZERO
    } else {
        logs_bloom(&receipt.logs)
    }
}

/// EIP-2718 encoding of a receipt: type byte (none for legacy) ‖ rlp([status, cumulative gas, bloom, logs]).
pub(crate) fn encode_receipt(receipt: &StoredReceipt, bloom: &Bloom) -> Bytes {
    let payload_length = receipt.success.length()
        + receipt.cumulative_gas_used.length()
        + bloom.length()
        + receipt.logs.length();
    let mut out = Vec::with_capacity(payload_length + 6);
    if receipt.tx_type != 0 {
        out.put_u8(receipt.tx_type);
    }
    RlpHeader {
        list: true,
        payload_length,
    }
    .encode(&mut out);
    receipt.success.encode(&mut out);
    receipt.cumulative_gas_used.encode(&mut out);
    bloom.encode(&mut out);
    receipt.logs.encode(&mut out);
    out.into()
}

/// `transactionsRoot`.
pub(crate) fn transactions_root(transactions: &[StoredTx]) -> B256 {
    let items: Vec<&[u8]> = transactions.iter().map(|tx| tx.raw.as_ref()).collect();
    ordered_trie_root_encoded(&items)
}

/// `receiptsRoot` and `logsBloom`.
pub(crate) fn receipts_root(receipts: &[StoredReceipt]) -> (B256, Bloom) {
    let mut block_bloom = Bloom::ZERO;
    let mut items = Vec::with_capacity(receipts.len());
    for receipt in receipts {
        let bloom = receipt_bloom(receipt);
        block_bloom |= bloom;
        items.push(encode_receipt(receipt, &bloom));
    }
    (ordered_trie_root_encoded(&items), block_bloom)
}
