/** Webhooks in `delivery.db`: made, read, changed. Secrets stay inside the service except where one is shown once. */
import { blob, type Database, integer, oneOf, optional, type Row, text } from "@cairn/aggregator";
import { type EventType, eventTypes } from "@cairn/api";
import type { EndpointStep } from "./endpoint-life.ts";

/** A webhook. */
export interface Webhook {
  readonly id: string;
  readonly account: string;
  readonly url: string;
  /** Empty: all. */
  readonly types: readonly EventType[];
  /** As sent, and the chain it stands for. */
  readonly chain: { readonly id: string; readonly key: string } | undefined;
  readonly description: string | undefined;
  readonly secret: Uint8Array;
  readonly previous: { readonly secret: Uint8Array; readonly untilMs: number } | undefined;
  readonly state: "enabled" | "disabled";
  readonly disabledReason: "failing" | "gone" | undefined;
  readonly failingSinceMs: number | undefined;
  /** Events up to this number have their deliveries. */
  readonly cursor: number;
  readonly createdAtMs: number;
}

/** A webhook to be stored. */
export type NewWebhook = Pick<
  Webhook,
  "id" | "account" | "url" | "types" | "chain" | "description" | "secret" | "cursor" | "createdAtMs"
>;

/** The webhooks. Changes run inside a transaction of the caller where said. */
export interface WebhookStore {
  /** Stores a webhook; the one that is there when its id is known. */
  insert(webhook: NewWebhook): Webhook;
  find(id: string): Webhook | undefined;
  ofAccount(account: string): readonly Webhook[];
  enabled(): readonly Webhook[];
  countByState(): Readonly<Record<Webhook["state"], number>>;
  remove(id: string): void;
  /** `secret` signs from now on, the one before as well until then. */
  rotate(id: string, secret: Uint8Array, previousUntilMs: number): void;
  setEndpoint(id: string, step: EndpointStep): void;
  setCursor(id: string, cursor: number): void;
}

/** The store over an open database. */
export function createWebhookStore(database: Database): WebhookStore {
  const find = (id: string): Webhook | undefined => {
    const row = database.get("SELECT * FROM webhooks WHERE id = ?", id);
    return row === undefined ? undefined : readWebhook(row);
  };
  return {
    find,
    insert: (webhook) => insert(database, webhook, find),
    ofAccount: (account) =>
      database.all("SELECT * FROM webhooks WHERE account = ? ORDER BY created_at, id", account).map(readWebhook),
    enabled: () => database.all("SELECT * FROM webhooks WHERE state = 'enabled' ORDER BY id").map(readWebhook),
    countByState: () => {
      const counts = { enabled: 0, disabled: 0 };
      for (const row of database.all("SELECT state, count(*) AS n FROM webhooks GROUP BY state")) {
        counts[oneOf(row, "state", ["enabled", "disabled"] as const)] = integer(row, "n");
      }
      return counts;
    },
    remove: (id) => void database.run("DELETE FROM webhooks WHERE id = ?", id),
    rotate: (id, secret, previousUntilMs) =>
      void database.run(
        "UPDATE webhooks SET previous_secret = secret, previous_until = ?, secret = ? WHERE id = ?",
        ...[previousUntilMs, secret, id],
      ),
    setEndpoint: (id, step) =>
      void database.run(
        "UPDATE webhooks SET state = ?, disabled_reason = ?, failing_since = ? WHERE id = ?",
        step.state,
        step.state === "disabled" ? step.reason : null,
        step.state === "enabled" ? (step.failingSinceMs ?? null) : null,
        id,
      ),
    setCursor: (id, cursor) => void database.run("UPDATE webhooks SET cursor = ? WHERE id = ?", cursor, id),
  };
}

function insert(database: Database, w: NewWebhook, find: (id: string) => Webhook | undefined): Webhook {
  database.run(
    `INSERT INTO webhooks (id, account, url, types, chain_id, chain_key, description, secret, state, cursor, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'enabled', ?, ?) ON CONFLICT DO NOTHING`,
    ...[w.id, w.account, w.url, JSON.stringify(w.types), w.chain?.id ?? null, w.chain?.key ?? null],
    ...[w.description ?? null, w.secret, w.cursor, w.createdAtMs],
  );
  const stored = find(w.id);
  if (stored === undefined) throw new Error("a webhook vanished inside its transaction");
  return stored;
}

function readWebhook(row: Row): Webhook {
  const chainId = optional(row, "chain_id", text);
  const previous = optional(row, "previous_secret", blob);
  const types: readonly unknown[] = JSON.parse(text(row, "types"));
  return {
    id: text(row, "id"),
    account: text(row, "account"),
    url: text(row, "url"),
    types: eventTypes.filter((type) => types.includes(type)),
    chain: chainId === undefined ? undefined : { id: chainId, key: text(row, "chain_key") },
    description: optional(row, "description", text),
    secret: blob(row, "secret"),
    previous: previous === undefined ? undefined : { secret: previous, untilMs: integer(row, "previous_until") },
    state: oneOf(row, "state", ["enabled", "disabled"] as const),
    disabledReason: optional(row, "disabled_reason", (from, name) => oneOf(from, name, ["failing", "gone"] as const)),
    failingSinceMs: optional(row, "failing_since", integer),
    cursor: integer(row, "cursor"),
    createdAtMs: integer(row, "created_at"),
  };
}
