/** The service's REST doors as a stranger would call them: plain fetch, nothing of the SDK. */
import type { Ready } from "../../packages/cli/src/sandbox/ready.ts";
import { until } from "./until.ts";

export interface ProofResource {
  readonly id: string;
  readonly state: string;
  readonly duplicate?: boolean;
  readonly error?: { readonly code: string } | null;
  readonly code?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ProofResource & Readonly<Record<string, unknown>>;
}

const ORDER = ["received", "verified", "batched", "settled", "anchored", "final"];

/** Calls with the sandbox's token unless headers say otherwise. */
export async function call(ready: Ready, path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${ready.service_token}`, ...init.headers };
  const response = await fetch(new URL(path, ready.service_url), { ...init, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
}

/** Submits one proof. */
export function submit(ready: Ready, body: object, path = "/v1/submit-proof"): Promise<Answer> {
  return call(ready, path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Waits until a submission has come at least that far, or was rejected. */
export function reached(ready: Ready, id: string, state: string, deadlineMs = 60_000): Promise<ProofResource> {
  return until(
    `${id} is ${state}`,
    async () => {
      const { body } = await call(ready, `/v1/proofs/${id}`);
      return (body.state === "rejected" || ORDER.indexOf(body.state) >= ORDER.indexOf(state)) && body;
    },
    deadlineMs,
  );
}
