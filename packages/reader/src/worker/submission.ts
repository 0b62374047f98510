/** Handing an item to the service, through the same door as everybody: `POST /v1/submit-proof`. */
import type { Entry } from "../config/entry.ts";
import type { Item } from "../items.ts";

export type Submitted =
  | { readonly ok: true; readonly id: string }
  /** Refused for good: goes to the dead letters. */
  | { readonly ok: false; readonly retry: false; readonly code: string }
  /** To be tried again. */
  | { readonly ok: false; readonly retry: true; readonly code: string };

export interface SubmissionPort {
  /** `body`: JSON text of a submission. Rejects only with the signal's reason. */
  submit(body: string, signal: AbortSignal): Promise<Submitted>;
}

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_CHARACTERS = 65_536;

/** The service's HTTP door. */
export function createHttpSubmissions(options: { readonly url: string; readonly token: string }): SubmissionPort {
  const target = new URL("/v1/submit-proof", options.url);
  return {
    async submit(body, signal) {
      try {
        const response = await fetch(target, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${options.token}` },
          body,
          redirect: "error",
          signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        });
        return readAnswer(response.status, (await response.text()).slice(0, MAX_ANSWER_CHARACTERS));
      } catch {
        signal.throwIfAborted();
        return { ok: false, retry: true, code: "service-unreachable" };
      }
    },
  };
}

/** The body of an item's submission (formats: `source` = kind:name|height|block hash|log index). */
export function submissionBody(entry: Entry, item: Item, reorgOf: string | undefined): string {
  const { height, logIndex, hash } = item;
  return JSON.stringify({
    proof_data: item.proofData,
    chain_id: entry.submitAs,
    block_number: height.toString(),
    source: `${entry.kind}:${entry.name}|${height}|${hash}|${logIndex < 0 ? "" : logIndex}`,
    evidence: item.evidence,
    ...(reorgOf === undefined ? {} : { reorg_of: reorgOf }),
  });
}

/** Statuses that mean: this very submission will never be taken. */
const FOR_GOOD = new Set([400, 413, 415, 422]);

function readAnswer(status: number, text: string): Submitted {
  const body = parseObject(text);
  if ((status === 200 || status === 202) && typeof body.id === "string") return { ok: true, id: body.id };
  const code = typeof body.code === "string" && /^[a-z0-9-]{1,64}$/.test(body.code) ? body.code : `http-${status}`;
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
