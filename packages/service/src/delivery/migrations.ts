/**
 * The schema of `delivery.db` as forward migrations; `PRAGMA user_version` counts the applied ones. Never edit one that
 * was released, add one: a file of its own, appended here.
 */
import { IDEMPOTENCY } from "./migrations/0001-idempotency.ts";
import { WEBHOOKS } from "./migrations/0002-webhooks.ts";
import { SEALED_ANSWERS } from "./migrations/0003-sealed-answers.ts";

/** SQL text of each version, in order. */
export const DELIVERY_MIGRATIONS: readonly string[] = [IDEMPOTENCY, WEBHOOKS, SEALED_ANSWERS];
