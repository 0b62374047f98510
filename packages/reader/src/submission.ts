/** Handing a block's hash to the service, through the same door as everybody: `POST /v1/submit-proof`. */
import { bytesToHex, type Hex } from "@cairn/primitives";
import type { ForeignBlock } from "./evm-block.ts";

/** What is submitted for a block. */
export interface Signal {
  readonly entryName: string;
  readonly chainId: string;
  readonly block: ForeignBlock;
  /** Id of the submission this one replaces after a reorganisation. */
  readonly reorgOf: string | undefined;
}

export type Submitted =
  | { readonly ok: true; readonly id: string }
  /** Refused for good: goes to the dead letters. */
  | { readonly ok: false; readonly retry: false; readonly code: string }
  /** To be tried again. */
  | { readonly ok: false; readonly retry: true; readonly code: string };

export interface SubmissionPort {
  submit(signal: Signal, abort: AbortSignal): Promise<Submitted>;
}

/** The service's HTTP door. */
export function createHttpSubmissions(options: { readonly url: string; readonly token: string }): SubmissionPort {
  const target = new URL("/v1/submit-proof", options.url);
  return {
    async submit(signal, abort) {
      try {
        const response = await fetch(target, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${options.token}` },
          body: JSON.stringify(submissionBody(signal)),
          redirect: "error",
          signal: AbortSignal.any([abort, AbortSignal.timeout(15_000)]),
        });
        return readAnswer(response.status, await response.text());
      } catch {
        abort.throwIfAborted();
        return { ok: false, retry: true, code: "service-unreachable" };
      }
    },
  };
}

/** The body of the submission (formats: `source` = kind:name|height|block hash|log index). */
export function submissionBody(signal: Signal): Readonly<Record<string, unknown>> {
  const { block, entryName, chainId, reorgOf } = signal;
  return {
    proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: block.hash }),
    chain_id: chainId,
    block_number: block.height.toString(),
    source: sourceOf(entryName, block.height, block.hash),
    evidence: bytesToHex(block.headerRlp),
    ...(reorgOf === undefined ? {} : { reorg_of: reorgOf }),
  };
}

function sourceOf(name: string, height: bigint, hash: Hex): string {
  return `rpc:${name}|${height}|${hash}|`;
}

/** Statuses that mean: this very submission will never be taken. */
const FOR_GOOD = new Set([400, 413, 415, 422]);

function readAnswer(status: number, text: string): Submitted {
  const body = parseObject(text);
  if ((status === 200 || status === 202) && typeof body.id === "string") return { ok: true, id: body.id };
  const code = typeof body.code === "string" ? body.code : `http-${status}`;
  return { ok: false, retry: !FOR_GOOD.has(status), code };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
