/** A process with a sandbox service on the home named by its argument, until it is killed. Prints its address. */
import { writeSync } from "node:fs";
import { startService } from "../service.ts";
import { serviceOptions } from "./fixture.ts";

const [home = ""] = process.argv.slice(2);
const service = await startService({ ...serviceOptions(home), deliveryPolicy: { retryMs: [5, 5, 5], maxPauseMs: 5 } });
writeSync(1, `${service.url}\n`);
