/** A receipt whose anchor stands in a block of a running embedded regtest. */
import {
  type AnchorTransaction,
  type AnchorWallet,
  type Coin,
  createAnchorWallet,
  createBitcoinRpc,
  type Regtest,
} from "@cairn/bitcoin-node";
import { hexToBytes } from "@cairn/primitives";
import { anchorPart, type Receipt } from "@cairn/proofs";
import { anchorContent, settledReceipt } from "../../packages/proofs/src/testing/receipt-fixture.ts";

/** The wallet of the tests. */
export function testWallet(): AnchorWallet {
  return createAnchorWallet({ privateKey: new Uint8Array(32).fill(7), network: "regtest" });
}

/** Sends the fixture's anchor, spending `input`; it is in the mempool afterwards. */
export async function sendAnchor(node: Regtest, input: Coin): Promise<AnchorTransaction> {
  const { receipt } = settledReceipt();
  const { data } = anchorContent(hexToBytes(receipt.batch.commitment));
  const anchor = testWallet().buildAnchor({ input, data, feeSat: 500n });
  const outcome = await createBitcoinRpc({ url: node.url }).sendRawTransaction(anchor.rawTx);
  if (!outcome.ok) throw new Error(`anchor refused: ${outcome.message}`);
  return anchor;
}

/** The receipt of a sent anchor that is mined, as the node now tells it. */
export async function receiptOf(node: Regtest, anchor: AnchorTransaction): Promise<Receipt> {
  const rpc = createBitcoinRpc({ url: node.url });
  const known = await rpc.getRawTransaction(anchor.txid);
  const block = known?.blockHash === undefined ? null : await rpc.getBlock(known.blockHash);
  if (block === null) throw new Error("the anchor is not mined");
  const { receipt } = settledReceipt();
  const { commitments, index } = anchorContent(hexToBytes(receipt.batch.commitment));
  const parts = { network: "regtest", sequence: 70_001n, commitments, index, txid: anchor.txid, block } as const;
  return { ...receipt, anchor: anchorPart(parts) };
}
