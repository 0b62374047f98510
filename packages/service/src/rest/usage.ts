/** `GET /v1/account/usage`: what an account used. */
import type { Store, UsageRow } from "@cairn/aggregator";
import type { AccountResource, FieldError, UsageResource } from "@cairn/api";
import type { RestContext, RestHandler } from "./context.ts";
import { ProblemError } from "./problem-error.ts";
import { oneText } from "./query.ts";

/** Days of a statement, first and last. */
export interface UsagePeriod {
  readonly fromMs: number;
  readonly toMs: number;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

/** The statement of the caller's account. */
export function getUsage({ aggregator }: RestContext): RestHandler {
  return async ({ http, caller }) => usageStatement(aggregator.store, caller.account, period(http.query, Date.now()));
}

/** A statement with its totals. */
export async function usageStatement(
  store: Pick<Store, "usage">,
  account: string,
  { fromMs, toMs }: UsagePeriod,
): Promise<UsageResource> {
  const rows = await store.usage(account, { fromMs, toMs });
  const from = dayText(fromMs);
  return { account, from, to: dayText(toMs), totals: totalOf(rows), days: rows.map(usageOfDay) };
}

/** Today and the last days, as an account's resource has it. */
export async function recentUsage(
  store: Pick<Store, "usage">,
  account: string,
  nowMs: number,
): Promise<AccountResource["usage"]> {
  const fromMs = nowMs - DEFAULT_DAYS * DAY_MS;
  const rows = await store.usage(account, { fromMs, toMs: nowMs });
  const to = dayText(nowMs);
  return { from: dayText(fromMs), to, today: totalOf(rows.filter(({ day }) => day === to)), totals: totalOf(rows) };
}

function totalOf(rows: readonly UsageRow[]): UsageResource["totals"] {
  const total = (name: keyof UsageResource["totals"]): number => rows.reduce((sum, row) => sum + row[name], 0);
  return {
    submissions: total("submissions"),
    verified: total("verified"),
    rejected: total("rejected"),
    settled: total("settled"),
  };
}

function usageOfDay({ day, chainKey, ...counts }: UsageRow) {
  return { day, chain_id: chainKey, ...counts };
}

function period(query: unknown, nowMs: number): UsagePeriod {
  const asked = (query ?? {}) as Readonly<Record<string, unknown>>;
  const faults: FieldError[] = [];
  const toMs = readDay(asked, "to", faults) ?? nowMs;
  const fromMs = readDay(asked, "from", faults) ?? toMs - DEFAULT_DAYS * DAY_MS;
  if (faults.length === 0 && (fromMs > toMs || toMs - fromMs > MAX_DAYS * DAY_MS)) {
    faults.push({
      parameter: "from",
      code: "invalid",
      detail: `must not be after to, and at most ${MAX_DAYS} days before it`,
    });
  }
  if (faults.length > 0) throw new ProblemError("invalid-query", { errors: faults });
  return { fromMs, toMs };
}

function readDay(query: Readonly<Record<string, unknown>>, name: string, faults: FieldError[]): number | undefined {
  const value = oneText(query, name, faults);
  if (value === undefined) return undefined;
  const ms = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  // A day that the calendar has not comes back as another one.
  if (!Number.isNaN(ms) && dayText(ms) === value) return ms;
  faults.push({ parameter: name, code: "invalid", detail: "must be a day as 2026-11-21" });
  return undefined;
}

function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
