/**
 * A service in a process of its own, until it is killed: a production one over a vault unless the options say otherwise.
 * Options come as JSON in the first argument (keys in hex); it writes its URL to standard output once it listens.
 */
import { writeSync } from "node:fs";
import { hexToBytes } from "@cairn/primitives";
import { startService } from "../service.ts";
import { testLog } from "./fixture.ts";

const { settlerKey, anchorKey, ...options } = JSON.parse(process.argv[2] ?? "{}");
const keys = { settlerKey: hexToBytes(settlerKey), anchorKey: hexToBytes(anchorKey) };
const service = await startService({ environment: "production", payment: "vault", ...options, ...keys, log: testLog });
writeSync(1, `${service.url}\n`);
