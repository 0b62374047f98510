/** `cairn doctor`: checks what a user would look at first when something does not work, and says what to do. */
import { statfsSync } from "node:fs";
import { createServiceClient, type StatusResource } from "@cairn/sdk";
import type { Command } from "commander";
import { addConnectionFlags, type ConnectionFlags, sandboxOf } from "../connection.ts";
import { CommandError, EXIT } from "../exit-code.ts";
import { addEnding, type Ending } from "../help-ending.ts";

interface DoctorFlags extends ConnectionFlags {
  readonly json?: boolean;
}

/** One check. `advice` says what to do when it is not `ok`. */
export interface Finding {
  readonly check: string;
  readonly verdict: "ok" | "warning" | "fault";
  readonly found: string;
  readonly advice?: string;
}

const ENDING: Ending = {
  examples: ["cairn doctor", 'cairn doctor --url https://proofs.example --token "$CAIRN_TOKEN" --json'],
  codes: "0 nothing is at fault, 1 something is, 2 wrong usage",
};

const TIMEOUT_MS = 5_000;
const MAX_SKEW_MS = 30_000;
const LOW_DISK_BYTES = 2 * 1024 ** 3;
const OLDEST_NODE = [22, 18] as const;

/** Adds the command to the program. */
export function addDoctorCommand(program: Command): void {
  const command = addConnectionFlags(program.command("doctor"))
    .description("check runtime, disk, service, chain and Bitcoin, and say what to do")
    .option("--json", "print a JSON array")
    .action(doctor);
  addEnding(command, ENDING);
}

async function doctor(flags: DoctorFlags): Promise<void> {
  const findings = await examine(flags);
  process.stdout.write(flags.json === true ? `${JSON.stringify(findings, null, 2)}\n` : render(findings));
  process.exitCode = findings.some(({ verdict }) => verdict === "fault") ? EXIT.failed : EXIT.done;
}

async function examine(flags: DoctorFlags): Promise<readonly Finding[]> {
  const { home, ready } = sandboxOf(flags);
  const url = flags.url ?? process.env.CAIRN_URL ?? ready?.service_url;
  const token = flags.token ?? process.env.CAIRN_TOKEN ?? ready?.service_token;
  if (url !== undefined && !URL.canParse(url)) throw new CommandError(`--url ${url}: not a URL`, EXIT.usage);
  const local = [runtime(), ...(ready === undefined ? [] : [disk(home)])];
  if (url === undefined) {
    const advice = "start a sandbox (cairn sandbox) or name a service with --url and --token";
    return [...local, { check: "service", verdict: "fault", found: `none named, none has run in ${home}`, advice }];
  }
  const service = await examineService(url, token);
  const chain = ready === undefined || flags.url !== undefined ? [] : [await examineNode(ready.json_rpc_url)];
  return [...local, ...service, ...chain];
}

function runtime(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const found = `Node.js ${process.versions.node} on ${process.platform}-${process.arch}`;
  if (isNew) return { check: "runtime", verdict: "ok", found };
  return { check: "runtime", verdict: "fault", found, advice: `Node.js ${OLDEST_NODE.join(".")} or newer is needed` };
}

function disk(home: string): Finding {
  try {
    const { bavail, bsize } = statfsSync(home);
    const free = bavail * bsize;
    const found = `${(free / 1024 ** 3).toFixed(1)} GiB free in ${home}`;
    if (free > LOW_DISK_BYTES) return { check: "disk", verdict: "ok", found };
    return { check: "disk", verdict: "warning", found, advice: "free some space: writing stops when the disk is full" };
  } catch {
    return { check: "disk", verdict: "fault", found: `${home} cannot be read`, advice: "check its owner and mode" };
  }
}

async function examineService(url: string, token: string | undefined): Promise<readonly Finding[]> {
  const asked = await ask(new URL("healthz", slashed(url)));
  if (asked === undefined || asked.status !== 200) {
    const found = asked === undefined ? `${url} does not answer` : `${url} answers ${asked.status}`;
    return [{ check: "service", verdict: "fault", found, advice: "is it running, and is this its address?" }];
  }
  const findings: Finding[] = [{ check: "service", verdict: "ok", found: `${url} answers` }, clock(asked.date)];
  findings.push(await readiness(url));
  if (token === undefined) {
    return [...findings, { check: "token", verdict: "fault", found: "none", advice: "give --token or CAIRN_TOKEN" }];
  }
  return [...findings, ...(await examineStatus(url, token))];
}

async function readiness(url: string): Promise<Finding> {
  const asked = await ask(new URL("readyz", slashed(url)));
  if (asked?.status === 200)
    return { check: "readiness", verdict: "ok", found: "database, chain and Bitcoin node are usable" };
  const advice = "the named parts are not usable now; the service's log has the reason";
  return { check: "readiness", verdict: "fault", found: asked?.text.slice(0, 500) ?? "no answer", advice };
}

function clock(date: string | null): Finding {
  const skewMs = date === null ? Number.NaN : Date.now() - Date.parse(date);
  if (Number.isNaN(skewMs)) return { check: "clock", verdict: "warning", found: "the service names no time" };
  const found = `${(Math.abs(skewMs) / 1_000).toFixed(0)} s apart from the service's`;
  if (Math.abs(skewMs) < MAX_SKEW_MS) return { check: "clock", verdict: "ok", found };
  return {
    check: "clock",
    verdict: "warning",
    found,
    advice: "set the clock: webhooks and quotes are refused by time",
  };
}

async function examineStatus(url: string, token: string): Promise<readonly Finding[]> {
  try {
    return statusFindings(await createServiceClient({ url, token, timeoutMs: TIMEOUT_MS }).status());
  } catch (error) {
    const found = error instanceof Error ? error.message : "no answer";
    return [{ check: "token", verdict: "fault", found, advice: "check the token: it is printed or issued once" }];
  }
}

function statusFindings(status: StatusResource): readonly Finding[] {
  const token: Finding = { check: "token", verdict: "ok", found: `accepted, environment ${status.environment}` };
  return [
    token,
    side("chain", status.chain.reachable, `chain ${status.chain.evm_chain_id} at height ${status.chain.height ?? "?"}`),
    side("bitcoin", status.anchor.reachable, `${status.anchor.network} at height ${status.anchor.height ?? "?"}`),
  ];
}

function side(check: string, reachable: boolean, found: string): Finding {
  if (reachable) return { check, verdict: "ok", found };
  return {
    check,
    verdict: "fault",
    found: "the service does not reach it",
    advice: "its operator sees why in the log",
  };
}

async function examineNode(url: string): Promise<Finding> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
  const asked = await ask(new URL(url), { method: "POST", headers: { "content-type": "application/json" }, body });
  const height = /"result":"(0x[0-9a-f]+)"/.exec(asked?.text ?? "")?.[1];
  if (height !== undefined) return { check: "node", verdict: "ok", found: `${url} at block ${Number(height)}` };
  return { check: "node", verdict: "fault", found: `${url} does not answer`, advice: "is the sandbox running?" };
}

interface Asked {
  readonly status: number;
  readonly date: string | null;
  readonly text: string;
}

async function ask(url: URL, init: RequestInit = {}): Promise<Asked | undefined> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
    return { status: response.status, date: response.headers.get("date"), text: await response.text() };
  } catch {
    return undefined;
  }
}

function slashed(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}

const MARKS: Readonly<Record<Finding["verdict"], string>> = { ok: "ok  ", warning: "WARN", fault: "FAIL" };

function render(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ check, verdict, found, advice }) => [
    `${MARKS[verdict]} ${check.padEnd(10)} ${found}`,
    ...(advice === undefined ? [] : [`     ${" ".repeat(10)} -> ${advice}`]),
  ]);
  return `${lines.join("\n")}\n`;
}
