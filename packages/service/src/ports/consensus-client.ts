/** The consensus RPC as receipts need it: header and commit of a height, and its validator set. */
import type { JsonObject } from "@cairn/proofs";
import { EndpointError } from "./json-rpc-client.ts";

/** What signs a height, in CometBFT's own JSON. */
export interface SignedHeight {
  readonly header: JsonObject;
  readonly commit: JsonObject;
  readonly validators: readonly JsonObject[];
}

const PER_PAGE = 100;

/** Reads a committed height over URI calls. Throws `EndpointError` when it is not there (yet). */
export async function readSignedHeight(
  o: { readonly url: string; readonly timeoutMs: number; readonly signal: AbortSignal },
  height: number,
): Promise<SignedHeight> {
  const commit = await get(o, `commit?height=${height}`);
  const signed = member(commit, "signed_header");
  return {
    header: member(signed, "header"),
    commit: member(signed, "commit"),
    validators: await readValidators(o, height),
  };
}

async function readValidators(
  o: { readonly url: string; readonly timeoutMs: number; readonly signal: AbortSignal },
  height: number,
): Promise<readonly JsonObject[]> {
  const all: JsonObject[] = [];
  for (let page = 1; ; page += 1) {
    const answer = await get(o, `validators?height=${height}&page=${page}&per_page=${PER_PAGE}`);
    const { validators, total } = answer;
    if (!Array.isArray(validators)) throw new EndpointError("the consensus RPC answered no validators");
    all.push(...validators.filter(isObject));
    if (validators.length === 0 || all.length >= Number(total)) return all;
  }
}

async function get(
  o: { readonly url: string; readonly timeoutMs: number; readonly signal: AbortSignal },
  path: string,
): Promise<JsonObject> {
  const answer = await fetchJson(o, path);
  if (!isObject(answer) || !isObject(answer.result)) {
    throw new EndpointError(`the consensus RPC has no answer to ${path}`);
  }
  return answer.result;
}

async function fetchJson(
  o: { readonly url: string; readonly timeoutMs: number; readonly signal: AbortSignal },
  path: string,
): Promise<unknown> {
  try {
    const response = await fetch(new URL(path, o.url.endsWith("/") ? o.url : `${o.url}/`), {
      signal: AbortSignal.any([o.signal, AbortSignal.timeout(o.timeoutMs)]),
    });
    return await response.json();
  } catch (error) {
    throw new EndpointError("the consensus RPC does not answer", { cause: error });
  }
}

function member(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  if (!isObject(value)) throw new EndpointError(`the consensus RPC answered no ${name}`);
  return value;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
