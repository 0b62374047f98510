/** Handing an item to the service, through the same door as everybody: `POST /v1/submit-proof`. */
import { fetchBounded } from "../bounded-fetch.ts";
import type { CallLimits } from "../call-limits.ts";
import type { Entry } from "../config/entry.ts";
import { EndpointError } from "../endpoint-error.ts";
import { quoted } from "../endpoint-secrets.ts";
import type { Item } from "../items.ts";

/** What the service said to a submission. */
export type Submitted =
  | { readonly ok: true; readonly id: string }
  /** Refused for good: goes to the dead letters. */
  | { readonly ok: false; readonly retry: false; readonly code: string; readonly detail: string }
  /** To be tried again, not before `retryAfterMs`. */
  | {
      readonly ok: false;
      readonly retry: true;
      readonly code: string;
      readonly detail: string;
      readonly retryAfterMs: number;
    };

/** The service's door, as the reader sees it. */
export interface SubmissionPort {
  /** `body`: JSON text of a submission. Rejects only with the signal's reason. */
  submit(body: string, signal: AbortSignal): Promise<Submitted>;
}

const BOUNDS = { timeoutMs: 15_000, maxBytes: 1024 * 1024 };

/** The service's HTTP door. */
export function createHttpSubmissions(options: {
  readonly url: string;
  readonly token: string;
  readonly limits?: CallLimits | undefined;
}): SubmissionPort {
  const url = new URL("/v1/submit-proof", options.url).href;
  const { host } = new URL(url);
  const address = { url, auth: { header: "authorization", value: `Bearer ${options.token}` } };
  return {
    async submit(body, signal) {
      try {
        const call = () => fetchBounded(address, { method: "POST", url, body }, BOUNDS, signal);
        const answer = await (options.limits === undefined ? call() : options.limits.run(host, call, signal));
        return readAnswer(answer.status, answer.body, answer.retryAfterMs ?? 0, options.token);
      } catch (error) {
        signal.throwIfAborted();
        const detail = error instanceof EndpointError ? error.message : "";
        return { ok: false, retry: true, code: "service-unreachable", detail, retryAfterMs: 0 };
      }
    },
  };
}

/** The body of an item's submission (docs/formats.md: `source` = kind:name|height|block hash|log index). */
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

function readAnswer(status: number, text: string, retryAfterMs: number, token: string): Submitted {
  const body = parseObject(text);
  if ((status === 200 || status === 202) && typeof body.id === "string") return { ok: true, id: body.id };
  const code = typeof body.code === "string" && /^[a-z0-9-]{1,64}$/.test(body.code) ? body.code : `http-${status}`;
  const detail = amountsIn(body) ?? (typeof body.detail === "string" ? quoted(body.detail, [token]) : "");
  if (FOR_GOOD.has(status)) return { ok: false, retry: false, code, detail };
  return { ok: false, retry: true, code, detail, retryAfterMs };
}

/** Of a refused payment: what is missing says more than the sentence about it. */
function amountsIn({ required, available }: Readonly<Record<string, unknown>>): string | undefined {
  const isAmount = (value: unknown) => typeof value === "string" && /^\d{1,40}$/.test(value);
  return isAmount(required) && isAmount(available) ? `${required} wei required, ${available} available` : undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
