/** Where the client commands find the service: flags, then environment, then the sandbox of this directory. */
import type { Command } from "commander";
import { CommandError, EXIT } from "./exit-code.ts";
import { DEFAULT_SANDBOX_HOME, type Ready, readReady } from "./sandbox/ready.ts";

/** Options that name a service. */
export interface ConnectionFlags {
  readonly url?: string;
  readonly token?: string;
  readonly home?: string;
}

/** A service: its URL and a bearer token. */
export interface Connection {
  readonly url: string;
  readonly token: string;
}

/** Adds the flags that name a service. */
export function addConnectionFlags(command: Command): Command {
  return command
    .option("--url <url>", "of the service (or CAIRN_URL; default: the sandbox of --home)")
    .option("--token <token>", "bearer token (or CAIRN_TOKEN; default: the sandbox's)")
    .option("--home <dir>", "home of a sandbox on this machine (or CAIRN_HOME)");
}

/** The home whose sandbox is meant, and what it wrote when it last started. */
export function sandboxOf(flags: ConnectionFlags): { readonly home: string; readonly ready: Ready | undefined } {
  const home = flags.home ?? process.env.CAIRN_HOME ?? DEFAULT_SANDBOX_HOME;
  return { home, ready: readReady(home) };
}

/** The service to talk to. Throws CommandError when nothing names one. */
export function connectionOf(flags: ConnectionFlags): Connection {
  const { home, ready } = sandboxOf(flags);
  const url = flags.url ?? process.env.CAIRN_URL ?? ready?.service_url;
  const token = flags.token ?? process.env.CAIRN_TOKEN ?? ready?.service_token;
  if (url === undefined || token === undefined) {
    throw new CommandError(
      `no service: give --url and --token, or start a sandbox (none has run in ${home})`,
      EXIT.usage,
    );
  }
  return { url, token };
}
