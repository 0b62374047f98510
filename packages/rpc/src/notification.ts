/**
 * Owns the text of a notification. A result is made once per event however many subscribe to it; of a large one the
 * bytes too, so that they lie in the queues of all connections once.
 */
import type { SharedMessage } from "@cairn/api";
import type { Hex } from "@cairn/primitives";

/** Results from this length on are shared as bytes: below, copying them costs less. */
const SHARED_FROM = 16 * 1024;

/** The result of an event as JSON text, with its bytes when they are shared. */
export interface Payload {
  readonly json: string;
  readonly bytes?: Uint8Array;
}

/** A payload of finished JSON text. */
export function payload(json: string): Payload {
  return json.length < SHARED_FROM ? { json } : { json, bytes: Buffer.from(json) };
}

/** The notification that carries a payload to one subscription. */
export function notification(id: Hex, { json, bytes }: Payload): string | SharedMessage {
  const head = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`;
  return bytes === undefined ? `${head}${json}}}` : { head, body: bytes, tail: "}}" };
}
