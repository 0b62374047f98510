/**
 * Several endpoints of one chain: the first that answers serves, and where there is more than one their answers are
 * compared. Owns order and comparison; not what is asked.
 */
import type { Endpoint } from "./endpoint.ts";
import { EndpointError } from "./endpoint-error.ts";
import { type EndpointHealth, endpointFailed, isResting, WELL } from "./endpoint-health.ts";

/** `available`: compared when another endpoint answers; `required`: nothing is taken from one alone; `off`: never. */
export type CrossCheck = "available" | "required" | "off";

export interface EndpointPool {
  readonly endpoints: readonly Endpoint[];
  /** The answer of the first endpoint that gives one. Throws the last EndpointError when none does. */
  first<T>(ask: (endpoint: Endpoint) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** An answer that two endpoints give, as the rule of cross-checking asks. Throws `disagreement`. */
  agreed<T>(ask: (endpoint: Endpoint) => Promise<T>, digest: (value: T) => string, signal: AbortSignal): Promise<T>;
}

export interface EndpointPoolOptions {
  readonly endpoints: readonly Endpoint[];
  readonly crossCheck: CrossCheck;
  readonly now: () => number;
}

/** A pool over at least one endpoint. */
export function createEndpointPool(options: EndpointPoolOptions): EndpointPool {
  const { endpoints, crossCheck, now } = options;
  const health = new Map<Endpoint, EndpointHealth>();
  let preferred: Endpoint | undefined;
  const of = (endpoint: Endpoint) => health.get(endpoint) ?? WELL;

  function order(): readonly Endpoint[] {
    const rank = (endpoint: Endpoint) => (isResting(of(endpoint), now()) ? 2 : endpoint === preferred ? 0 : 1);
    return endpoints.toSorted((a, b) => rank(a) - rank(b));
  }

  /** Answers one by one, failures noted; ends after the last endpoint. */
  async function* answers<T>(ask: (endpoint: Endpoint) => Promise<T>, signal: AbortSignal) {
    for (const endpoint of order()) {
      try {
        const value = await ask(endpoint);
        health.set(endpoint, WELL);
        yield { endpoint, value };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof EndpointError)) throw error;
        health.set(endpoint, endpointFailed(of(endpoint), now()));
        yield { endpoint, error };
      }
    }
  }

  async function first<T>(ask: (endpoint: Endpoint) => Promise<T>, signal: AbortSignal): Promise<T> {
    let failure = new EndpointError("unreachable", "no endpoint");
    for await (const answer of answers(ask, signal)) {
      if (answer.error !== undefined) failure = answer.error;
      else {
        preferred = answer.endpoint;
        return answer.value;
      }
    }
    throw failure;
  }

  return {
    endpoints,
    first,
    async agreed(ask, digest, signal) {
      if (endpoints.length === 1 || crossCheck === "off") return first(ask, signal);
      const seen = new Set<string>();
      let lone: { readonly value: Awaited<ReturnType<typeof ask>> } | undefined;
      let failure = new EndpointError("unreachable", "no endpoint");
      for await (const answer of answers(ask, signal)) {
        if (answer.error !== undefined) failure = answer.error;
        else {
          const key = digest(answer.value);
          if (seen.has(key)) return answer.value;
          seen.add(key);
          if (lone === undefined) preferred = answer.endpoint;
          lone ??= { value: answer.value };
        }
      }
      if (lone === undefined) throw failure;
      if (seen.size > 1) throw new EndpointError("disagreement", "the endpoints disagree; none is believed");
      if (crossCheck === "available") return lone.value;
      throw new EndpointError("missing", "cross-checking is required and only one endpoint answers");
    },
  };
}
