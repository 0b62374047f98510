/** An operator's acknowledgement of an alarm that stays, on the store of a home whose service may run. */
import { join } from "node:path";
import { openThreadedStore } from "@cairn/aggregator";
import { acknowledge, isLatchedCode } from "./latched-alarms.ts";

/** False: no such alarm holds. Throws RangeError for a code that needs no acknowledgement. */
export async function acknowledgeAlarm(home: string, code: string): Promise<boolean> {
  if (!isLatchedCode(code)) throw new RangeError(`${code} is no alarm that stays: it ends with its cause`);
  const store = await openThreadedStore(join(home, "service/service.db"));
  try {
    return await acknowledge(store, code);
  } finally {
    await store.close();
  }
}
