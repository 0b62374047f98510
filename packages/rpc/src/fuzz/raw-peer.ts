/** For the fuzz suite: a peer that writes bytes to a port as it likes and goes away. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";

/** How long a peer that ended its side waits for the other. */
const STAY_MS = 30;

/** Writes `bytes`, then ends or breaks the connection; resolves when it is gone. */
export async function rawPeer(url: string, bytes: Uint8Array | string, breaks: boolean): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.resume();
  const closed = once(socket, "close");
  const leave = setTimeout(() => socket.destroy(), STAY_MS);
  socket.write(bytes, () => (breaks ? socket.resetAndDestroy() : socket.end()));
  await closed;
  clearTimeout(leave);
}

/** The upgrade request of a WebSocket connection, followed by `frames`. */
export function upgradeWith(url: string, frames: Uint8Array): Uint8Array {
  const { host } = new URL(url);
  const key = randomBytes(16).toString("base64");
  const head = `GET / HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), frames]);
}

/** A masked frame; the length it names may lie. */
export function frame(o: {
  readonly opcode: number;
  readonly fin: boolean;
  readonly payload: Uint8Array;
  readonly length?: number;
}): Uint8Array {
  const length = o.length ?? o.payload.length;
  const head = Buffer.alloc(8);
  head[0] = (o.fin ? 0x80 : 0) | o.opcode;
  head[1] = 0x80 | 126;
  head.writeUInt16BE(length & 0xffff, 2);
  // The mask of zeros leaves the payload as it is.
  return Buffer.concat([head, o.payload]);
}
