/** A production service for one test: a Bitcoin regtest outside of it, keys of its own, no token, nobody pays. */
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createRegtest } from "@cairn/bitcoin-node";
import type { ServiceOptions } from "../options.ts";
import { atEnd, serviceOptions, testLog } from "./fixture.ts";
import { KEYS } from "./node-fixture.ts";

/** Options of a production service whose node is not there. */
export async function staging(t: TestContext, home: string): Promise<ServiceOptions> {
  const regtest = await createRegtest({
    ...{ dir: join(home, "outside"), user: "operator", password: "secret", blockIntervalMs: 200, log: testLog },
  });
  atEnd(t, () => regtest.close());
  const { token: _, ...rest } = serviceOptions(home);
  const bitcoin = { kind: "rpc", network: "regtest", urls: [regtest.url], acceptRegtest: true } as const;
  return { ...rest, ...KEYS, environment: "production", payment: "none", bitcoin };
}
