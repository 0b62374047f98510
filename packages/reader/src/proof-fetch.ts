/** Fetches a proof by reference and puts it into the form in which it is submitted. */
import { bytesToHex, equalBytes, type Hex, hexToBytes, isHex } from "@cairn/primitives";
import { AbiMismatch, type AbiValue, decodeParameters } from "./abi/abi-decode.ts";
import type { AbiParameter } from "./abi/abi-type.ts";
import { signatureHash } from "./abi/signature.ts";
import { fetchBounded } from "./bounded-fetch.ts";
import { parseBoundedJson } from "./bounded-json.ts";
import { EndpointError } from "./endpoint-error.ts";
import type { EndpointPool } from "./endpoint-pool.ts";
import type { Json } from "./foreign-block.ts";
import { atPointer } from "./json-pointer.ts";
import type { ProofForm, ProofReference } from "./proof-reference.ts";

/** What a reference may refer to. */
export interface ProofContext {
  readonly height: bigint;
  readonly hash: Hex;
  readonly arguments: Readonly<Record<string, AbiValue>>;
  /** Of the transaction that emitted the event. */
  readonly transactionHash: Hex | undefined;
}

/** Largest proof the service takes. */
const MAX_PROOF_BYTES = 1024 * 1024;
const TIMEOUT_MS = 20_000;

/**
 * The `proof_data` of the proof. Throws AbiMismatch when what was found is no such proof, EndpointError when it could
 * not be fetched now.
 */
export async function fetchProof(
  reference: ProofReference,
  context: ProofContext,
  pool: EndpointPool,
  signal: AbortSignal,
): Promise<string> {
  const proof = await find(reference, context, pool, signal);
  const text = proofData(proof, reference.form, context);
  if (Buffer.byteLength(text) > MAX_PROOF_BYTES) throw new AbiMismatch("the proof is larger than 1 MiB");
  return text;
}

function find(
  reference: ProofReference,
  context: ProofContext,
  pool: EndpointPool,
  signal: AbortSignal,
): Promise<Json> {
  switch (reference.from) {
    case "arg":
      return Promise.resolve(textOf(context.arguments[reference.argument]));
    case "calldata":
      return fromCall(reference, context, pool, signal);
    default:
      return fromUrl(reference, context, signal);
  }
}

function textOf(value: AbiValue | undefined): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "bigint")) {
    return `0x${value.map((item) => item.toString(16).padStart(64, "0")).join("")}`;
  }
  throw new AbiMismatch("the proof is neither bytes nor a list of numbers");
}

async function fromCall(
  { signature, steps }: ProofReference & { readonly from: "calldata" },
  { transactionHash }: ProofContext,
  pool: EndpointPool,
  signal: AbortSignal,
): Promise<Json> {
  const transaction = await pool.first((endpoint) => {
    return endpoint.rpc("eth_getTransactionByHash", [transactionHash ?? "0x"], signal);
  }, signal);
  if (transaction === null) throw new EndpointError("missing", "the endpoint has no such transaction yet");
  const input = (transaction as { readonly input?: unknown }).input;
  if (typeof input !== "string" || !isHex(input)) {
    throw new EndpointError("undecodable", "the transaction has no input");
  }
  const data = hexToBytes(input);
  if (!equalBytes(data.subarray(0, 4), signatureHash(signature).subarray(0, 4))) {
    throw new AbiMismatch(`the transaction calls ${bytesToHex(data.subarray(0, 4))}, not ${signature.name}`);
  }
  return textOf(descend(decodeParameters(signature.parameters, data.subarray(4)), signature.parameters, steps));
}

/** Follows names into tuples and indexes into lists. */
function descend(value: AbiValue, fields: readonly AbiParameter[], steps: readonly string[]): AbiValue {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  const list = Array.isArray(value) ? (value as readonly AbiValue[]) : [];
  const named = fields.findIndex((field) => field.name === step);
  const index = named >= 0 ? named : /^\d{1,5}$/.test(step) ? Number(step) : -1;
  const next = list[index];
  if (next === undefined) throw new AbiMismatch(`the call has no ${step.slice(0, 80)}`);
  const type = fields[index]?.type;
  return descend(next, type?.kind === "tuple" ? type.fields : [], rest);
}

async function fromUrl(
  { template, pointer }: ProofReference & { readonly from: "url" },
  context: ProofContext,
  signal: AbortSignal,
): Promise<Json> {
  const words: Readonly<Record<string, AbiValue>> = {
    height: context.height,
    hash: context.hash,
    ...context.arguments,
  };
  const url = template.replaceAll(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(String(words[name])));
  const address = { url, auth: undefined };
  const bounds = { timeoutMs: TIMEOUT_MS, maxBytes: 2 * MAX_PROOF_BYTES };
  const answer = await fetchBounded(address, { method: "GET", url }, bounds, signal);
  const { host } = new URL(url);
  if (!answer.ok) {
    // What the host has not got is no proof; what it cannot serve now is asked again.
    if (answer.status < 500 && answer.status !== 429) throw new AbiMismatch(`${host} answered HTTP ${answer.status}`);
    throw new EndpointError("http-status", `${host} answered HTTP ${answer.status}`, { status: answer.status });
  }
  if (pointer === "" && !/^\s*[{["]/.test(answer.body)) return answer.body.trim();
  const found = atPointer(parseBoundedJson(answer.body, host), pointer);
  if (found === undefined) throw new AbiMismatch(`the document has nothing at ${pointer}`);
  return found as Json;
}

/** The envelope, or the bare artifact where no system is named. */
function proofData(proof: Json, form: ProofForm, context: ProofContext): string {
  if (form.system === undefined) return typeof proof === "string" ? proof : JSON.stringify(proof);
  const inputs = form.publicInputs.map((name) => String(context.arguments[name]));
  return JSON.stringify({
    system: form.system,
    ...(form.curve === undefined ? {} : { curve: form.curve }),
    encoding: form.encoding ?? (typeof proof === "string" ? "hex" : "snarkjs"),
    proof,
    ...(inputs.length === 0 ? {} : { publicInputs: inputs }),
    ...keyOf(form.vk),
  });
}

function keyOf(vk: string | undefined): Readonly<Record<string, Json>> {
  if (vk === undefined) return {};
  if (/^0x[0-9a-fA-F]{64}$/.test(vk)) return { vkHash: vk.toLowerCase() };
  return { vk: vk.startsWith("{") ? (parseBoundedJson(vk, "the configured key") as Json) : vk };
}
