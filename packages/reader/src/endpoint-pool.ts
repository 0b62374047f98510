/**
 * Several endpoints of one chain: the first that answers serves, and where there is more than one their answers are
 * compared. Owns order, comparison and who was outvoted; not what is asked.
 *
 * What two endpoints say is believed. What one says alone is believed only while the others are down (`available`), or
 * never (`required`): an endpoint that answers "there is no such block yet" is not down, it contradicts.
 */
import type { CrossCheck } from "./cross-check.ts";
import type { Endpoint } from "./endpoint.ts";
import { EndpointError } from "./endpoint-error.ts";
import { type EndpointHealth, endpointFailed, isResting, WELL } from "./endpoint-health.ts";

type Ask<T> = (endpoint: Endpoint) => Promise<T>;

/** Checks an endpoint before its first use. Throws EndpointError when it must not be used. */
export type Admission = (endpoint: Endpoint, signal: AbortSignal) => Promise<void>;

/** When two answers say the same. */
export interface Comparison<T> {
  /** Equal for answers that say the same. */
  readonly digest: (value: T) => string;
  /** A failure that is about the question and not about the endpoint: thrown in place of a lone answer. */
  readonly telling?: (error: EndpointError) => boolean;
}

/** The endpoints of an entry as one: in turn, or held against each other. */
export interface EndpointPool {
  readonly endpoints: readonly Endpoint[];
  /** The answer of the first endpoint that gives one. Throws the last EndpointError when none does. */
  first<T>(ask: Ask<T>, signal: AbortSignal): Promise<T>;
  /** An answer that two endpoints give, as the rule of cross-checking asks. Throws `disagreement`. */
  agreed<T>(ask: Ask<T>, comparison: Comparison<T>, signal: AbortSignal): Promise<T>;
  /** The highest height that two endpoints have reached, as the rule of cross-checking asks. */
  reached(ask: Ask<bigint>, signal: AbortSignal): Promise<bigint>;
  /** From now on an endpoint is used only once it was admitted. */
  admitBy(admission: Admission): void;
  /** How often each endpoint (by host) contradicted two others, or served another chain. */
  dissents(): ReadonlyMap<string, number>;
}

/** The endpoints and the rule by which they check each other. */
export interface EndpointPoolOptions {
  readonly endpoints: readonly Endpoint[];
  readonly crossCheck: CrossCheck;
  /** In ms; must not jump. */
  readonly now: () => number;
}

type Answer<T> =
  | { readonly ok: true; readonly endpoint: Endpoint; readonly value: T }
  | { readonly ok: false; readonly endpoint: Endpoint; readonly error: EndpointError };

/** A pool over at least one endpoint. */
export function createEndpointPool({ endpoints, crossCheck, now }: EndpointPoolOptions): EndpointPool {
  const health = new Map<Endpoint, EndpointHealth>();
  const admitted = new Set<Endpoint>();
  const dissents = new Map<string, number>();
  const alone = endpoints.length === 1 || crossCheck === "off";
  let admission: Admission = async () => {};
  let preferred: Endpoint | undefined;
  const isTired = (endpoint: Endpoint) => isResting(health.get(endpoint) ?? WELL, now());

  function order(): readonly Endpoint[] {
    const rank = (endpoint: Endpoint) => (isTired(endpoint) ? 2 : endpoint === preferred ? 0 : 1);
    return endpoints.toSorted((a, b) => rank(a) - rank(b));
  }

  function blame(hosts: readonly Endpoint[]): void {
    for (const { host } of hosts) dissents.set(host, (dissents.get(host) ?? 0) + 1);
  }

  async function attempt<T>(
    endpoint: Endpoint,
    ask: Ask<T>,
    signal: AbortSignal,
    telling: Comparison<T>["telling"],
  ): Promise<Answer<T>> {
    try {
      if (!admitted.has(endpoint)) await admission(endpoint, signal);
      admitted.add(endpoint);
      const value = await ask(endpoint);
      health.set(endpoint, WELL);
      return { ok: true, endpoint, value };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof EndpointError)) throw error;
      if (error.code === "other-chain") blame([endpoint]);
      const isItsFault = error.code !== "missing" && telling?.(error) !== true;
      if (isItsFault) health.set(endpoint, endpointFailed(health.get(endpoint) ?? WELL, now()));
      return { ok: false, endpoint, error };
    }
  }

  async function first<T>(ask: Ask<T>, signal: AbortSignal): Promise<T> {
    let failure = new EndpointError("unreachable", "no endpoint");
    for (const endpoint of order()) {
      const answer = await attempt(endpoint, ask, signal, undefined);
      if (answer.ok) {
        preferred = endpoint;
        return answer.value;
      }
      failure = answer.error;
    }
    throw failure;
  }

  /** Asks until two say the same; those who said otherwise are remembered. */
  async function agreed<T>(ask: Ask<T>, { digest, telling }: Comparison<T>, signal: AbortSignal): Promise<T> {
    if (alone) return first(ask, signal);
    const said = new Map<string, Endpoint[]>();
    const answers: Answer<T>[] = [];
    for (const endpoint of order()) {
      // One that rests is down: it is not waited for while another one speaks.
      if (said.size === 1 && crossCheck === "available" && isTired(endpoint)) break;
      const answer = await attempt(endpoint, ask, signal, telling);
      answers.push(answer);
      if (!answer.ok) continue;
      if (said.size === 0) preferred = endpoint;
      const key = digest(answer.value);
      if (said.has(key)) {
        blame([...said].flatMap(([other, hosts]) => (other === key ? [] : hosts)));
        return answer.value;
      }
      said.set(key, [endpoint]);
    }
    return lone(answers, telling);
  }

  function lone<T>(answers: readonly Answer<T>[], telling: Comparison<T>["telling"]): T {
    const given = answers.filter((answer) => answer.ok);
    const failures = answers.flatMap((answer) => (answer.ok ? [] : [answer.error]));
    const spoken = failures.find((error) => telling?.(error) === true);
    if (given.length > 1) {
      const hosts = given.map(({ endpoint }) => endpoint.host).join(", ");
      throw new EndpointError("disagreement", `the endpoints disagree (${hosts}); none is believed`);
    }
    if (spoken !== undefined) throw spoken;
    const [only] = given;
    const contradiction = failures.find(({ code }) => code === "missing");
    const last = contradiction ?? failures.at(-1);
    if (only === undefined) throw last ?? new EndpointError("unreachable", "no endpoint");
    if (contradiction !== undefined) throw contradiction;
    if (crossCheck === "available") return only.value;
    throw new EndpointError("missing", `cross-checking is required and only ${only.endpoint.host} answers`);
  }

  async function reached(ask: Ask<bigint>, signal: AbortSignal): Promise<bigint> {
    if (alone) return first(ask, signal);
    const awake = endpoints.filter((endpoint) => !isTired(endpoint));
    const all = (some: readonly Endpoint[]) => Promise.all(some.map((one) => attempt(one, ask, signal, undefined)));
    const answers = await all(awake);
    const enough = crossCheck === "available" ? 1 : 2;
    if (answers.filter(({ ok }) => ok).length < enough) {
      answers.push(...(await all(endpoints.filter((endpoint) => !awake.includes(endpoint)))));
    }
    const heights = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
    const [, second] = heights.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0));
    return second ?? lone(answers, undefined);
  }

  return {
    endpoints,
    first,
    agreed,
    reached,
    admitBy(next) {
      admission = next;
      admitted.clear();
    },
    dissents: () => dissents,
  };
}
