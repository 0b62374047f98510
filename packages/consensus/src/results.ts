/**
 * Results of a block's transactions as they are kept: the JSON texts the RPC splices into its answers, one per
 * transaction, joined and compressed, with their offsets in front.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { AbciEvent, ExecTxResult, FinalizeBlockResponse } from "@cairn/abci";

/** Base64 of bytes, null when empty. */
function nullableBase64(bytes: Uint8Array): string | null {
  return bytes.length === 0 ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}

/** Only the members that the RPC shows, in its order. */
function eventsToJson(events: readonly AbciEvent[]): unknown {
  return events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map(({ key, value, index }) => ({ key, value, index })),
  }));
}

/** CometBFT's JSON text of one result (its jsonpb flavour: every member present). */
export function txResultToText(result: ExecTxResult): string {
  return JSON.stringify({
    code: result.code,
    data: nullableBase64(result.data),
    log: result.log,
    info: result.info,
    gas_wanted: String(result.gasWanted),
    gas_used: String(result.gasUsed),
    events: eventsToJson(result.events),
    codespace: result.codespace,
  });
}

/** Packs the result texts of a block. */
export function packResults(results: readonly ExecTxResult[]): Uint8Array {
  const texts = results.map((result) => Buffer.from(txResultToText(result)));
  const head = Buffer.alloc(4 * (texts.length + 1));
  let at = head.length;
  for (const [i, text] of texts.entries()) {
    head.writeUInt32LE(at, 4 * i);
    at += text.length;
  }
  head.writeUInt32LE(at, 4 * texts.length);
  return zstdCompressSync(Buffer.concat([head, ...texts]), { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}

/** Unpacks all result texts. */
export function unpackResults(packed: Uint8Array): readonly string[] {
  const bytes = zstdDecompressSync(packed);
  const count = bytes.readUInt32LE(0) / 4 - 1;
  return Array.from({ length: count }, (_, i) => {
    return bytes.toString("utf8", bytes.readUInt32LE(4 * i), bytes.readUInt32LE(4 * i + 4));
  });
}

/** The text of one result, undefined when there is no such transaction. */
export function resultAt(packed: Uint8Array, index: number): string | undefined {
  const bytes = zstdDecompressSync(packed);
  const count = bytes.readUInt32LE(0) / 4 - 1;
  if (index < 0 || index >= count) return undefined;
  return bytes.toString("utf8", bytes.readUInt32LE(4 * index), bytes.readUInt32LE(4 * index + 4));
}

/** What a response says beside its transactions, as JSON text. */
export function blockResultToText(response: FinalizeBlockResponse): string {
  return JSON.stringify({ events: eventsToJson(response.events) });
}
