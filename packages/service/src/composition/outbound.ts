/** What the service owes its callers: kept answers, event streams, webhooks, over `delivery.db`. */
import type { Aggregator, Database } from "@cairn/aggregator";
import { createGroupCommit, type GroupCommit } from "../delivery/group-commit.ts";
import { createEventFeed, type EventFeed } from "../events/event-feed.ts";
import { createAnswerStore } from "../idempotency/answer-store.ts";
import { createIdempotency, type Idempotency } from "../idempotency/idempotency.ts";
import type { ServiceOptions } from "../options.ts";
import { failable, type SandboxControls } from "../sandbox/controls.ts";
import { createSendAttempt } from "../webhooks/attempt.ts";
import { DELIVERY_POLICY } from "../webhooks/endpoint-life.ts";
import { startWebhooks, type Webhooks } from "../webhooks/webhooks.ts";
import type { CloseStack } from "./close-stack.ts";

/** Running parts. */
export interface Outbound {
  readonly database: Database;
  readonly idempotency: Idempotency;
  readonly events: EventFeed;
  readonly webhooks: Webhooks;
}

/** Starts them; they end with the stack. */
export async function startOutbound(
  o: ServiceOptions,
  parts: {
    readonly database: Database;
    readonly aggregator: Aggregator;
    readonly controls: SandboxControls | undefined;
    readonly signal: AbortSignal;
  },
  opened: CloseStack["opened"],
): Promise<Outbound> {
  const { database, aggregator, controls, signal } = parts;
  const commits = createGroupCommit(database);
  opened(() => commits.close());
  const idempotency = keepAnswers(o, database, commits);
  opened(() => idempotency.close());
  const events = await createEventFeed({ aggregator, signal, log: o.log });
  opened(() => events.close());
  const policy = { ...DELIVERY_POLICY, ...o.deliveryPolicy };
  const rule = o.environment === "sandbox" ? "loopback" : "public";
  const userAgent = `Cairn-Webhooks/${o.version ?? "0.1.0"} (${o.environment})`;
  const send = createSendAttempt({ rule, timeoutMs: policy.timeoutMs, userAgent });
  const webhooks = startWebhooks({
    ...{ database, commits, feed: events, environment: o.environment, rule, policy, signal, log: o.log },
    send: controls === undefined ? send : failable(send, controls.faults),
    clock: Date.now,
    random: Math.random,
  });
  opened(() => webhooks.close());
  return { database, idempotency, events, webhooks };
}

function keepAnswers(o: ServiceOptions, database: Database, commits: GroupCommit): Idempotency {
  return createIdempotency({
    store: createAnswerStore(database),
    commits,
    clock: Date.now,
    onFailure: (error) => o.log.warn({ error: String(error) }, "old answers could not be removed"),
  });
}
