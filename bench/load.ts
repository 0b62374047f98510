/** A small HTTP load generator: N keep-alive connections, each with one request under way. */
import { Agent, request } from "node:http";

export interface LoadResult {
  readonly requests: number;
  readonly failures: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface LoadOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Body of request i; undefined ends the run. */
  readonly body: (i: number) => string | undefined;
  /** Whether an answer counts as success. */
  readonly accept: (status: number, body: string) => boolean;
  readonly maxSeconds: number;
}

/** Sends until the bodies or the time run out. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const latencies: number[] = [];
  let next = 0;
  let failures = 0;
  const started = performance.now();
  const end = started + options.maxSeconds * 1000;
  const connection = async () => {
    while (performance.now() < end) {
      const body = options.body(next);
      next += 1;
      if (body === undefined) return;
      const sent = performance.now();
      const answer = await post(options, agent, body);
      latencies.push(performance.now() - sent);
      if (!options.accept(answer.status, answer.body)) failures += 1;
    }
  };
  await Promise.all(Array.from({ length: options.connections }, connection));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  latencies.sort((a, b) => a - b);
  const at = (share: number) => round(latencies[Math.floor((latencies.length - 1) * share)] ?? 0);
  return {
    requests: latencies.length,
    failures,
    seconds: round(seconds),
    perSecond: Math.round((latencies.length - failures) / seconds),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

function post(options: LoadOptions, agent: Agent, body: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...options.headers,
    };
    const call = request(options.url, { method: "POST", agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      response.on("error", reject);
    });
    call.on("error", reject);
    call.end(body);
  });
}

/** Two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
