/** Alarms that outlive a restart: kept in the store until an operator acknowledges them. */
import type { Store } from "@cairn/aggregator";
import { LATCHED } from "./alarm-rules.ts";

/** Code of a latched alarm. */
export type LatchedCode = (typeof LATCHED)[number];

/** A latched alarm as it is kept. */
export interface LatchedAlarm {
  readonly code: LatchedCode;
  readonly sinceMs: number;
  readonly detail: string;
}

type SettingPart = Pick<Store, "setting" | "set">;

/** Whether a text is the code of a latched alarm. */
export function isLatchedCode(text: string): text is LatchedCode {
  return LATCHED.some((code) => code === text);
}

/** The alarms in a store that nobody acknowledged. */
export async function latchedAlarms(store: SettingPart): Promise<readonly LatchedAlarm[]> {
  const text = await store.setting("alarms");
  return text === undefined ? [] : JSON.parse(text);
}

/** Keeps an alarm; one that is kept already stays as it first was. */
export async function latch(store: SettingPart, alarm: LatchedAlarm): Promise<void> {
  const known = await latchedAlarms(store);
  if (known.some(({ code }) => code === alarm.code)) return;
  await store.set("alarms", JSON.stringify([...known, alarm]));
}

/** Takes an alarm out; false: it did not hold. */
export async function acknowledge(store: SettingPart, code: LatchedCode): Promise<boolean> {
  const known = await latchedAlarms(store);
  const others = known.filter((alarm) => alarm.code !== code);
  if (others.length === known.length) return false;
  await store.set("alarms", JSON.stringify(others));
  return true;
}
