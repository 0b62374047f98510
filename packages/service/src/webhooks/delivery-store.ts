/** Deliveries in `delivery.db`: what is owed to each webhook, and what became of it. */
import { type Database, hex, integer, oneOf, optional, type Row, text } from "@cairn/aggregator";
import { deliveryStates, type EventType, eventTypes } from "@cairn/api";
import { type Hash, hexToBytes } from "@cairn/primitives";
import type { AttemptOutcome } from "./attempt.ts";

/** A delivery. */
export interface Delivery {
  readonly webhook: string;
  /** Number of the event; with the webhook it names the delivery. */
  readonly event: number;
  readonly type: EventType;
  readonly submission: Hash;
  readonly body: string;
  readonly state: (typeof deliveryStates)[number];
  readonly attempts: number;
  readonly nextAtMs: number;
  readonly lastStatus: number | undefined;
  readonly lastError: string | undefined;
  readonly createdAtMs: number;
  readonly doneAtMs: number | undefined;
}

/** A delivery to be stored. */
export type NewDelivery = Pick<Delivery, "webhook" | "event" | "type" | "submission" | "body">;

/** Filters of a listing, newest first. */
export interface DeliveryQuery {
  readonly webhook: string;
  readonly state?: Delivery["state"];
  readonly before?: number;
  readonly limit: number;
}

/** The deliveries. Changes run inside a transaction of the caller. */
export interface DeliveryStore {
  /** What is there already stays as it is. */
  insert(delivery: NewDelivery, nowMs: number): void;
  /** May be sent now: due, and none of its submission waits before it. */
  due(webhook: string, nowMs: number, limit: number): readonly Delivery[];
  /** When the next one is due. */
  nextDueAtMs(webhook: string): number | undefined;
  count(webhook: string, state: Delivery["state"]): number;
  /** Of all webhooks. */
  totals(): { readonly waiting: number; readonly dead: number };
  list(query: DeliveryQuery): readonly Delivery[];
  delivered(d: Delivery, status: number, nowMs: number): void;
  /** Waits until `nextAtMs`; undefined: a dead letter. */
  failed(
    d: Delivery,
    outcome: Exclude<AttemptOutcome, { kind: "delivered" }>,
    nextAtMs: number | undefined,
    nowMs: number,
  ): void;
  /** Everything that waits becomes a dead letter. */
  giveUp(webhook: string, reason: string, nowMs: number): void;
  /** Everything that waits for later is due now. */
  hurry(webhook: string, nowMs: number): void;
  /** Waits again from its first attempt on; answers how many. */
  requeue(webhook: string, what: { readonly event: number } | "dead", nowMs: number): number;
  /** Forgets what was done with events after a number, so that they are delivered again. */
  forgetAfter(webhook: string, event: number): number;
  /** Removes what was done long ago. */
  prune(deliveredBeforeMs: number, deadBeforeMs: number): void;
}

const PENDING_FREE = `state = 'pending' AND NOT EXISTS (SELECT 1 FROM deliveries p WHERE p.webhook = d.webhook
  AND p.submission = d.submission AND p.state = 'pending' AND p.event < d.event)`;

/** The store over an open database. */
export function createDeliveryStore(database: Database): DeliveryStore {
  return {
    insert: (d, nowMs) =>
      void database.run(
        `INSERT INTO deliveries (webhook, event, type, submission, body, state, attempts, next_at, created_at)
         VALUES (?, ?, ?, ?, ?, 'pending', 0, ?, ?) ON CONFLICT DO NOTHING`,
        ...[d.webhook, d.event, d.type, hexToBytes(d.submission), d.body, nowMs, nowMs],
      ),
    due: (webhook, nowMs, limit) =>
      database
        .all(
          `SELECT * FROM deliveries d WHERE webhook = ? AND next_at <= ? AND ${PENDING_FREE} ORDER BY next_at, event LIMIT ?`,
          ...[webhook, nowMs, limit],
        )
        .map(readDelivery),
    nextDueAtMs: (webhook) => {
      const row = database.get(
        `SELECT min(next_at) AS at FROM deliveries d WHERE webhook = ? AND ${PENDING_FREE}`,
        webhook,
      );
      return row === undefined ? undefined : optional(row, "at", integer);
    },
    count: (webhook, state) => {
      const sql = "SELECT count(*) AS n FROM deliveries WHERE webhook = ? AND state = ?";
      return integer(database.get(sql, webhook, state) ?? {}, "n");
    },
    totals: () => {
      const waiting = "SELECT count(*) FROM deliveries WHERE state = 'pending'";
      const dead = "SELECT count(*) FROM deliveries WHERE state = 'dead' AND done_at IS NOT NULL";
      const row = database.get(`SELECT (${waiting}) AS waiting, (${dead}) AS dead`) ?? {};
      return { waiting: integer(row, "waiting"), dead: integer(row, "dead") };
    },
    list: ({ webhook, state, before, limit }) =>
      database
        .all(
          `SELECT * FROM deliveries WHERE webhook = ? AND event < ? ${state === undefined ? "" : "AND state = ?"}
           ORDER BY event DESC LIMIT ?`,
          ...[webhook, before ?? Number.MAX_SAFE_INTEGER, ...(state === undefined ? [] : [state]), limit],
        )
        .map(readDelivery),
    ...outcomes(database),
    requeue: (webhook, what, nowMs) =>
      database.run(
        `UPDATE deliveries SET state = 'pending', attempts = 0, next_at = ?, done_at = NULL
         WHERE webhook = ? AND ${what === "dead" ? "state = 'dead'" : "event = ? AND state <> 'pending'"}`,
        ...[nowMs, webhook, ...(what === "dead" ? [] : [what.event])],
      ),
    forgetAfter: (webhook, event) =>
      database.run("DELETE FROM deliveries WHERE webhook = ? AND event > ? AND state <> 'pending'", webhook, event),
    prune: (deliveredBeforeMs, deadBeforeMs) => {
      database.run("DELETE FROM deliveries WHERE state = 'delivered' AND done_at < ?", deliveredBeforeMs);
      database.run("DELETE FROM deliveries WHERE state = 'dead' AND done_at < ?", deadBeforeMs);
    },
  };
}

/** What attempts make of deliveries. A delivery that is gone or was requeued meanwhile is left alone. */
function outcomes(database: Database): Pick<DeliveryStore, "delivered" | "failed" | "giveUp" | "hurry"> {
  return {
    delivered: (d, status, nowMs) =>
      void database.run(
        `UPDATE deliveries SET state = 'delivered', attempts = attempts + 1, last_status = ?, last_error = NULL,
           done_at = ? WHERE webhook = ? AND event = ? AND state = 'pending'`,
        ...[status, nowMs, d.webhook, d.event],
      ),
    failed: (d, outcome, nextAtMs, nowMs) =>
      void database.run(
        `UPDATE deliveries SET state = ?, attempts = attempts + 1, next_at = ?, last_status = ?, last_error = ?,
           done_at = ? WHERE webhook = ? AND event = ? AND state = 'pending'`,
        ...[nextAtMs === undefined ? "dead" : "pending", nextAtMs ?? nowMs, outcome.status ?? null, outcome.error],
        ...[nextAtMs === undefined ? nowMs : null, d.webhook, d.event],
      ),
    giveUp: (webhook, reason, nowMs) =>
      void database.run(
        `UPDATE deliveries SET state = 'dead', done_at = ?, last_error = coalesce(last_error, ?)
         WHERE webhook = ? AND state = 'pending'`,
        ...[nowMs, reason, webhook],
      ),
    hurry: (webhook, nowMs) =>
      void database.run(
        "UPDATE deliveries SET next_at = ? WHERE webhook = ? AND state = 'pending' AND next_at > ?",
        ...[nowMs, webhook, nowMs],
      ),
  };
}

function readDelivery(row: Row): Delivery {
  return {
    webhook: text(row, "webhook"),
    event: integer(row, "event"),
    type: oneOf(row, "type", eventTypes),
    submission: hex(row, "submission"),
    body: text(row, "body"),
    state: oneOf(row, "state", deliveryStates),
    attempts: integer(row, "attempts"),
    nextAtMs: integer(row, "next_at"),
    lastStatus: optional(row, "last_status", integer),
    lastError: optional(row, "last_error", text),
    createdAtMs: integer(row, "created_at"),
    doneAtMs: optional(row, "done_at", integer),
  };
}

/** The `webhook-id` of a delivery: the same for every attempt and every replay. */
export function deliveryId(d: Pick<Delivery, "webhook" | "event">): string {
  return `msg_${d.webhook.replace(/^wh_/, "")}_${d.event}`;
}

/** Number of the event of a delivery's id; undefined: no delivery of this webhook. */
export function eventOfDeliveryId(webhook: string, id: string): number | undefined {
  const event = /_([1-9][0-9]{0,14})$/.exec(id)?.[1];
  return event !== undefined && deliveryId({ webhook, event: Number(event) }) === id ? Number(event) : undefined;
}
