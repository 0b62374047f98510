/** Routes of the registry of verification keys. */
import { route } from "../route.ts";
import { verificationKeyBodySchema, verificationKeySchema } from "../verification-key.ts";
import { bodyErrors, scopeErrors } from "./parameters.ts";

/** The routes. Keys name the operations. */
export const verificationKeyRoutes = {
  registerVerificationKey: route({
    method: "POST",
    path: "/v1/verification-keys",
    access: "token",
    scope: "proofs:write",
    summary:
      "Register a verification key once, so that proofs name it by `vkHash`. The hash is that of the canonical key, " +
      "whatever encoding it came in. A submission refused with `unknown-vk` is taken again when it is repeated.",
    body: verificationKeyBodySchema,
    responses: {
      201: { summary: "Registered; `Location` names it.", schema: verificationKeySchema },
      200: { summary: "Known already.", schema: verificationKeySchema },
    },
    errors: bodyErrors,
  }),
  getVerificationKey: route({
    method: "GET",
    path: "/v1/verification-keys/{hash}",
    access: "token",
    scope: "proofs:read",
    summary: "A registered key; keys that came with verified proofs are registered too.",
    parameters: [{ in: "path", name: "hash", summary: "`vk_hash` of the key, 0x-hex.", required: true }],
    responses: { 200: { summary: "The key.", schema: verificationKeySchema } },
    errors: [...scopeErrors, "not-found", "unavailable"],
  }),
} as const;
