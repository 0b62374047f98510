/** Which price plans a home's settings name: what an operator may agree on. */
import { existsSync } from "node:fs";
import { STANDARD } from "../payment/payments.ts";
import { readPricePlans } from "./price-plans.ts";
import { loadServiceConfig, serviceConfigFile } from "./service-config.ts";

/** Names of the plans; undefined where the settings cannot be read. A home without settings has the standard plan. */
export function configuredPlans(home: string, env: NodeJS.ProcessEnv): readonly string[] | undefined {
  if (!existsSync(serviceConfigFile(home))) return [STANDARD];
  try {
    const file = loadServiceConfig({ home, env, flags: {} })["payment.price-plans"];
    return file === "" ? [STANDARD] : [STANDARD, ...Object.keys(readPricePlans(home, file))];
  } catch {
    return undefined;
  }
}
