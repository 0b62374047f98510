/**
 * Unary gRPC calls to strangers over HTTP/2: bounded in size and time, uncompressed. A connection serves one endpoint and
 * is closed when nothing was asked for a while. Owns no meaning of what is answered.
 */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { FetchBounds } from "./bounded-fetch.ts";
import { connectionReason } from "./connection-reason.ts";
import { EndpointError } from "./endpoint-error.ts";
import { authHeaders, type EndpointAddress, quoted, secretsOf } from "./endpoint-secrets.ts";

/** Calls to one endpoint: `path` is `/package.Service/Method`; both messages are bytes. */
export type GrpcCall = (path: string, message: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>;

const IDLE_MS = 30_000;
/** A flag and a length stand in front of a message. */
const PREFIX_BYTES = 5;

interface Line {
  readonly session: ClientHttp2Session;
  /** Calls under way. */
  active: number;
}

/** Calls over a connection that is opened when it is needed. Every call throws EndpointError, or the signal's reason. */
export function createGrpcCall(address: EndpointAddress, bounds: FetchBounds): GrpcCall {
  const { origin, host, pathname } = new URL(address.url);
  let line: Line | undefined;

  function opened(): Line {
    if (line !== undefined && !line.session.closed && !line.session.destroyed) return line;
    const session = connect(origin);
    // Told by the stream that waits for it; nobody else has to hear of it.
    session.on("error", () => {});
    session.setTimeout(IDLE_MS, () => session.close());
    line = { session, active: 0 };
    return line;
  }

  /** The connection keeps the process alive while something is asked, and only then. */
  async function asked(headers: OutgoingHttpHeaders, message: Uint8Array, deadline: AbortSignal): Promise<Answer> {
    const own = opened();
    own.active += 1;
    own.session.ref();
    try {
      const stream = own.session.request(headers, { signal: deadline });
      stream.end(framed(message));
      return await collect(stream, bounds.maxBytes, host);
    } finally {
      own.active -= 1;
      if (own.active === 0) own.session.unref();
    }
  }

  return async (path, message, signal) => {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(bounds.timeoutMs)]);
    const headers = {
      ":method": "POST",
      ":path": `${pathname.replace(/\/+$/, "")}${path}`,
      "content-type": "application/grpc",
      te: "trailers",
      "grpc-timeout": `${bounds.timeoutMs}m`,
      ...authHeaders(address),
    };
    try {
      deadline.throwIfAborted();
      return unframed(await asked(headers, message, deadline), host, path, secretsOf(address));
    } catch (error) {
      if (error instanceof EndpointError) throw error;
      signal.throwIfAborted();
      const late = deadline.aborted;
      const why = late ? `no answer within ${bounds.timeoutMs} ms` : connectionReason(error);
      throw new EndpointError("unreachable", `${host}: ${why}`, { timedOut: late });
    }
  };
}

function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Reads to the end; bytes are counted while they arrive. */
function collect(stream: ClientHttp2Stream, maxBytes: number, host: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let headers: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    stream.on("response", (received) => {
      headers = received;
    });
    stream.on("trailers", (received) => {
      trailers = received;
    });
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= maxBytes) return;
      stream.close(constants.NGHTTP2_CANCEL);
      reject(new EndpointError("too-large", `${host}: the answer is larger than ${maxBytes} bytes (option max_bytes)`));
    });
    stream.on("end", () => resolve({ headers, trailers, body: Buffer.concat(chunks) }));
    stream.on("error", reject);
    stream.on("close", () => reject(new Error("closed")));
  });
}

const RESOURCE_EXHAUSTED = 8;
const UNAVAILABLE = 14;

function unframed({ headers, trailers, body }: Answer, host: string, path: string, secrets: readonly string[]): Buffer {
  const http = Number(headers[":status"]);
  const status = headers["grpc-status"] ?? trailers["grpc-status"];
  if (http >= 300 && http < 400)
    throw new EndpointError("redirect", `${host} redirects; name the target's URL instead`);
  if (http !== 200) {
    const throttled = http === 429 || http === 503;
    throw new EndpointError("http-status", `${host} answered HTTP ${http}`, { status: http, throttled });
  }
  if (typeof status !== "string" || !/^\d{1,3}$/.test(status)) {
    throw new EndpointError("not-json", `${host} did not answer with gRPC`);
  }
  const code = Number(status);
  if (code !== 0) {
    const said = decoded(headers["grpc-message"] ?? trailers["grpc-message"]);
    const text = `${host} refused ${path.split("/").at(-1)}: ${quoted(said === "" ? `status ${code}` : said, secrets)}`;
    const throttled = code === RESOURCE_EXHAUSTED || code === UNAVAILABLE;
    throw new EndpointError("rpc-error", text, { status: code, said: said.slice(0, 4_096), throttled });
  }
  const isOneMessage =
    body.length >= PREFIX_BYTES && body[0] === 0 && body.readUInt32BE(1) === body.length - PREFIX_BYTES;
  if (!isOneMessage) throw new EndpointError("not-json", `${host} did not answer with one uncompressed message`);
  return body.subarray(PREFIX_BYTES);
}

/** `grpc-message` is percent-encoded. */
function decoded(text: string | readonly string[] | undefined): string {
  const one = typeof text === "string" ? text : "";
  try {
    return decodeURIComponent(one);
  } catch {
    return one;
  }
}
