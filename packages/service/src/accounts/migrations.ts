/**
 * The schema of `accounts.db` as forward migrations. Never edit one that was released, add one: a file of its own,
 * appended here.
 */
import { ACCOUNTS } from "./migrations/0001-accounts.ts";
import { AUDIT } from "./migrations/0002-audit.ts";
import { ACCESS_REQUESTS } from "./migrations/0003-access-requests.ts";
import { EXEMPT_KEYS } from "./migrations/0004-exempt-keys.ts";

/** SQL text of each version, in order. */
export const MIGRATIONS: readonly string[] = [ACCOUNTS, AUDIT, ACCESS_REQUESTS, EXEMPT_KEYS];
