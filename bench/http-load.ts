/**
 * A load generator for HTTP that leaves the machine to the server: N raw keep-alive sockets, each with one prepared
 * request under way, replies framed by Content-Length or chunks and never parsed.
 */
import { createConnection, type Socket } from "node:net";
import { round } from "./load.ts";

/** What to send. */
export interface HttpLoad {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** JSON text of request i. */
  readonly body: (i: number) => string;
}

/** What came of it; latencies in milliseconds. */
export interface HttpLoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sends for the given time. Rejects when an answer is no HTTP 200 or a connection breaks. */
export async function httpLoad(options: HttpLoad): Promise<HttpLoadResult> {
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + options.seconds * 1000;
  let next = 0;
  const request = () => requestBytes(options.url, options.body(next++));
  await Promise.all(Array.from({ length: options.connections }, () => runSocket(options.url, request, end, latencies)));
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => round(latencies[Math.floor((latencies.length - 1) * share)] ?? 0);
  return {
    requests: latencies.length,
    perSecond: Math.round(latencies.length / seconds),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

function requestBytes(url: string, body: string): string {
  const { host } = new URL(url);
  const head = `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function runSocket(url: string, request: () => string, end: number, latencies: number[]): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: hostname, port: Number(port), noDelay: true });
    let sent = 0;
    const send = () => {
      sent = performance.now();
      socket.write(request());
    };
    const onReply = () => {
      const now = performance.now();
      latencies.push(now - sent);
      if (now < end) return send();
      socket.destroy();
      resolve();
    };
    readReplies(socket, onReply, reject);
    socket.on("error", reject);
    socket.on("connect", send);
  });
}

/** Calls back once per whole reply. */
function readReplies(socket: Socket, onReply: () => void, onFault: (error: Error) => void): void {
  let head = "";
  let missing = -1;
  let chunked = false;
  let tail = "";
  socket.on("data", (data: Buffer) => {
    if (missing < 0 && !chunked) {
      head += data.toString("latin1");
      const at = head.indexOf("\r\n\r\n");
      if (at < 0) return;
      if (!head.startsWith("HTTP/1.1 200")) return onFault(new Error(head.slice(0, 300)));
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      chunked = length === undefined;
      missing = Number(length ?? 0) - (head.length - at - 4);
      tail = head.slice(-7);
      head = "";
    } else {
      missing -= data.length;
      if (chunked) tail = (tail + data.subarray(-7).toString("latin1")).slice(-7);
    }
    if (chunked ? tail.endsWith("\r\n0\r\n\r\n") : missing <= 0) {
      missing = -1;
      chunked = false;
      onReply();
    }
  });
}
