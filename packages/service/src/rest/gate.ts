/**
 * The gate before the routes: who calls, what the key allows, how much of its rate is left; and while a request lasts,
 * whether its key still holds. Owns the order of these checks; not their rules.
 */
import type { Route, Scope } from "@cairn/api";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Environment } from "../accounts/api-key.ts";
import type { Authenticate } from "../accounts/authenticate.ts";
import { type Caller, NOBODY } from "../accounts/caller.ts";
import type { KeyUses } from "../accounts/key-uses.ts";
import type { FollowedKey, KeyWatch } from "../accounts/key-watch.ts";
import type { Quotas } from "../accounts/quotas.ts";
import type { AddressAct, AddressLimit } from "./address-limit.ts";
import { callerOf, isAllowed, requireAgreement, requireScope } from "./bearer.ts";
import { ProblemError } from "./problem-error.ts";
import { type RateDecision, type RateHeaders, type RateLimit, rateHeaders } from "./rate-limit.ts";

/** What the gate is made of. */
export interface GateOptions {
  readonly authenticate: Authenticate;
  readonly rateLimit: RateLimit;
  readonly addressLimit: AddressLimit;
  readonly quotas: Quotas;
  readonly environment: Environment;
  readonly keyWatch: KeyWatch;
  readonly keyUses: KeyUses;
  /** Ends what lasts when the service closes. */
  readonly closing: AbortSignal;
}

/** Who was let in, and for what. */
export interface Entered {
  readonly caller: Caller;
  readonly scope: Scope | undefined;
}

/** A request that may last. */
export interface Lasting {
  /** Aborts when the caller's key ends, the connection is gone or the service closes. */
  whileLive(): AbortSignal;
  /** Is the caller still let in, with the scope of the route? */
  stillAllowed(): boolean;
  /** Throws the problem `unauthorized` when the key ended while the request lasted. */
  confirm(): void;
}

/** A route as the gate sees it. */
export interface Door {
  readonly route: Route;
  /** A request takes one from the rate of its key. */
  readonly isLimited: boolean;
  /** What a request without key takes from its address. */
  readonly addressAct: AddressAct | undefined;
}

/** The gate. */
export interface Gate {
  /** Lets a request in: 401, then 403, then 429 where the route is limited; public routes by their address. */
  enter(http: FastifyRequest, reply: FastifyReply, door: Door): Caller;
  /** Takes up to so many further submissions from the caller's rate; answers how many there were. */
  takeMore(caller: Caller, wanted: number, reply: FastifyReply): number;
  lasting(http: FastifyRequest, reply: FastifyReply, entered: Entered): Lasting;
}

/** Makes the gate. */
export function createGate(o: GateOptions): Gate {
  return {
    enter: (http, reply, { route, isLimited, addressAct }) => {
      if (route.access === "public") {
        if (addressAct !== undefined) requireAllowed(o.addressLimit(http.ip, addressAct), reply);
        return NOBODY;
      }
      const admission = o.authenticate(http.headers.authorization);
      if (!admission.ok) requireAllowed(o.addressLimit(http.ip, "attempt"), reply);
      const caller = callerOf(admission);
      requireScope(caller, route.scope);
      requireAgreement(caller, route.scope, o.environment);
      if (isLimited) take(o, caller, reply, { wanted: 1, isSubmission: route.scope === "proofs:write" });
      o.keyUses.seen(caller);
      return caller;
    },
    takeMore: (caller, wanted, reply) => {
      return wanted === 0 ? 0 : take(o, caller, reply, { wanted, isSubmission: true, some: true });
    },
    lasting: (http, reply, entered) => createLasting(o, http, reply, entered),
  };
}

function rateOf({ limits }: Caller) {
  return { perWindow: limits.perMinute, burst: limits.burst };
}

/** Takes from rate and quota what both have; throws when that is not all, unless some will do. */
function take(
  o: GateOptions,
  caller: Caller,
  reply: FastifyReply,
  ask: { readonly wanted: number; readonly isSubmission: boolean; readonly some?: boolean },
): number {
  const rate = o.rateLimit(caller.keyId, rateOf(caller), ask.wanted);
  const perDay = ask.isSubmission && !caller.exempt ? (caller.agreement?.perDay ?? 0) : 0;
  const reserved = perDay === 0 ? rate.taken : o.quotas.reserve(caller.account, perDay, rate.taken);
  if (perDay !== 0) reply.raw.once("close", () => o.quotas.release(caller.account, reserved));
  const isShort = reserved < rate.taken;
  reply.headers(rateHeaders([rate.headers, ...quotaFields(o, caller, perDay, isShort)]));
  if (ask.some !== true && !rate.allowed) throw new ProblemError("rate-limited");
  if (ask.some !== true && isShort) throw new ProblemError("quota-exceeded");
  return reserved;
}

function quotaFields(o: GateOptions, { account }: Caller, perDay: number, isShort: boolean): readonly RateHeaders[] {
  if (perDay === 0) return [];
  const { remaining, secondsLeft } = o.quotas.state(account, perDay);
  const fields = { policy: `"daily";q=${perDay};w=86400`, state: `"daily";r=${remaining};t=${secondsLeft}` };
  return [isShort ? { ...fields, retryAfterSeconds: secondsLeft } : fields];
}

function requireAllowed({ allowed, headers }: RateDecision, reply: FastifyReply): void {
  reply.headers(rateHeaders([headers]));
  if (!allowed) throw new ProblemError("rate-limited");
}

function createLasting(o: GateOptions, http: FastifyRequest, reply: FastifyReply, entered: Entered): Lasting {
  const { caller, scope } = entered;
  let followed: FollowedKey | undefined;
  let signal: AbortSignal | undefined;
  return {
    whileLive: () => {
      signal ??= followUntilClosed();
      return signal;
    },
    stillAllowed: () => isAllowed(o.authenticate(http.headers.authorization), caller, scope),
    confirm: () => {
      if (followed?.signal.aborted === true) callerOf(o.authenticate(http.headers.authorization));
    },
  };

  function followUntilClosed(): AbortSignal {
    const gone = new AbortController();
    followed = caller === NOBODY ? undefined : o.keyWatch.follow(caller);
    reply.raw.once("close", () => {
      followed?.close();
      gone.abort();
    });
    const ends = followed === undefined ? [] : [followed.signal];
    return AbortSignal.any([o.closing, gone.signal, ...ends]);
  }
}
