/**
 * The SQLite schema as forward migrations; `PRAGMA user_version` counts the applied ones. Never edit one that was
 * released, add one: a file of its own, appended here.
 */
import { SUBMISSIONS } from "./migrations/0001-submissions.ts";
import { LISTING } from "./migrations/0002-listing.ts";
import { LEDGER } from "./migrations/0003-ledger.ts";
import { ANCHOR_VARIANTS } from "./migrations/0004-anchor-variants.ts";
import { VERIFICATION_KEYS } from "./migrations/0005-verification-keys.ts";
import { USAGE } from "./migrations/0006-usage.ts";
import { REQUEST_MARKS } from "./migrations/0007-request-marks.ts";

/** SQL text of each version, in order. */
export const MIGRATIONS: readonly string[] = [
  SUBMISSIONS,
  LISTING,
  LEDGER,
  ANCHOR_VARIANTS,
  VERIFICATION_KEYS,
  USAGE,
  REQUEST_MARKS,
];
