/** `POST /v1/access-requests` and `GET /v1/access-requests/{id}`: the way to a first key. */
import { type AccessAck, type AccessResource, accessRequestSchema, decodeBody } from "@cairn/api";
import type { AccessRequest } from "../accounts/access-requests.ts";
import type { IssuedKey } from "../accounts/keys.ts";
import type { RestContext, RestHandler } from "./context.ts";
import { time } from "./present.ts";
import { ProblemError } from "./problem-error.ts";

/** Seconds after which a full list of requests may have room. */
const RETRY_SECONDS = "3600";

/** Notes a request for access; its claim secret is in this answer only. */
export function requestAccess({ accounts, nameClaim }: RestContext): RestHandler {
  return async ({ http, reply, requestName }): Promise<AccessAck> => {
    const decoded = decodeBody(accessRequestSchema, http.body);
    if (!decoded.ok) throw new ProblemError("invalid-body", { errors: decoded.errors });
    const noted = accounts.noteRequest(decoded.value, nameClaim(requestName), Date.now());
    if (!noted.ok) {
      const detail = "too many requests for access are open";
      throw new ProblemError("queue-full", { detail, headers: { "retry-after": RETRY_SECONDS } });
    }
    const resource = accessResource(noted.request);
    reply.code(201).headers({ location: resource.status_url, "cache-control": "no-store" });
    return { ...resource, claim_secret: noted.claimSecret };
  };
}

/** The state of a request; the first GET after its approval makes and shows the key. */
export function getAccessRequest({ accounts }: RestContext): RestHandler {
  return async ({ http, reply, params }): Promise<AccessResource> => {
    const secret = /^bearer +([\x21-\x7e]+) *$/i.exec(http.headers.authorization ?? "")?.[1];
    if (secret === undefined) {
      const detail = "the request's claim secret is required as bearer token";
      throw new ProblemError("unauthorized", { detail, headers: { "www-authenticate": 'Bearer realm="cairn"' } });
    }
    // A HEAD has no body to show the key in.
    const claim = { id: params.id ?? "", secret, take: http.method === "GET" };
    const found = accounts.readRequest(claim, Date.now());
    if (found === undefined)
      throw new ProblemError("not-found", { detail: "no access request with this id and secret" });
    reply.header("cache-control", "no-store");
    return { ...accessResource(found.request), ...(found.issued === undefined ? {} : issuedPart(found.issued)) };
  };
}

function accessResource(request: AccessRequest) {
  const { id, state, account, keyId, scopes } = request;
  const isGranted = state === "approved" || state === "claimed";
  return {
    id,
    state,
    created_at: time(request.createdAtMs),
    expires_at: time(request.expiresAtMs),
    status_url: `/v1/access-requests/${id}`,
    ...(isGranted && account !== undefined ? { account, scopes: [...scopes] } : {}),
    ...(keyId === undefined ? {} : { key_id: keyId }),
  };
}

function issuedPart({ key, expiresAtMs }: IssuedKey) {
  return { key, ...(expiresAtMs === undefined ? {} : { key_expires_at: time(expiresAtMs) }) };
}
