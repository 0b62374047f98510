/** `POST /v1/verification-keys`, `GET /v1/verification-keys/{hash}`. */
import { keyShape, type VerificationKey } from "@cairn/aggregator";
import {
  decodeBody,
  MAX_CANONICAL_KEY_BYTES,
  type VerificationKeyResource,
  verificationKeyBodySchema,
} from "@cairn/api";
import { bytesToHex } from "@cairn/primitives";
import type { RestContext, RestHandler } from "./context.ts";
import { time } from "./present.ts";
import { ProblemError } from "./problem-error.ts";

const HASH = /^0x[0-9a-f]{64}$/;

/** Registers a key whose points are all of their groups: 201 the first time, 200 for a known one. */
export function registerVerificationKey(context: RestContext): RestHandler {
  return async ({ http, reply, requestName }): Promise<VerificationKeyResource> => {
    const decoded = decodeBody(verificationKeyBodySchema, http.body);
    if (!decoded.ok) throw new ProblemError("invalid-body", { errors: decoded.errors });
    const verdict = await context.keys.decode(decoded.value);
    if (!verdict.ok) throw refusal(verdict.code, verdict.detail);
    if (verdict.canonicalKey.length > MAX_CANONICAL_KEY_BYTES) {
      throw refusal("malformed", `vk: its canonical form is larger than ${MAX_CANONICAL_KEY_BYTES} bytes`);
    }
    const { store } = context.aggregator;
    const isNew = await store.registerKey(verdict, Date.now(), requestName);
    const key = await store.verificationKey(verdict.vkHash);
    if (key === undefined) throw new Error("a key that was just registered is gone");
    reply.code(isNew ? 201 : 200).header("location", `/v1/verification-keys/${key.vkHash}`);
    return resource(key);
  };
}

/** A registered key. */
export function getVerificationKey(context: RestContext): RestHandler {
  return async ({ params }): Promise<VerificationKeyResource> => {
    const hash = params.hash?.toLowerCase() ?? "";
    const key = HASH.test(hash) ? await context.aggregator.store.verificationKey(`0x${hash.slice(2)}`) : undefined;
    if (key === undefined) throw new ProblemError("not-found", { detail: "no verification key with this hash" });
    return resource(key);
  };
}

/** Points at the member that the detail begins with; the key itself where it names none. */
function refusal(code: string, detail: string): ProblemError {
  const [, member, problem] = /^(system|encoding|curve): (.+)$/s.exec(detail) ?? [];
  const error =
    member === undefined ? { pointer: "/vk", code, detail } : { pointer: `/${member}`, code, detail: problem };
  return new ProblemError("invalid-body", { errors: [{ ...error, detail: error.detail ?? detail }] });
}

function resource({ vkHash, system, curve, canonicalKey, registeredAtMs }: VerificationKey): VerificationKeyResource {
  const { publicInputs, commitments } = keyShape(curve, canonicalKey);
  return {
    vk_hash: vkHash,
    system,
    curve,
    public_inputs: publicInputs,
    commitments,
    canonical_key: bytesToHex(canonicalKey),
    registered_at: time(registeredAtMs),
  };
}
