/** `cairn reader audit`: what could not be decoded or was refused, and trying it again. */
import { type Audit, type DeadLetter, openAudit } from "@cairn/reader";
import type { Command } from "commander";
import { CommandError, EXIT } from "../exit-code.ts";
import { addEnding, type Ending } from "../help-ending.ts";
import { createLog } from "../log.ts";
import { adaptersOf, addReaderFileFlags, type ReaderFileFlags, readReaderConfig, stateDirOf } from "./reader-files.ts";

interface AuditFlags extends ReaderFileFlags {
  readonly chain?: string;
  readonly all?: boolean;
  readonly replay?: string;
  readonly json?: boolean;
}

const ENDING: Ending = {
  examples: [
    "cairn reader audit --home .cairn-sandbox",
    "cairn reader audit --config reader.toml --replay 7",
    "cairn reader audit --config reader.toml --replay all",
  ],
  codes: "0 done, 1 a replay failed, 2 wrong usage or configuration",
};

/** Adds the command below `reader`. */
export function addAuditCommand(reader: Command): void {
  const command = addReaderFileFlags(reader.command("audit"))
    .description("show the dead letters, or replay them")
    .option("--chain <key>", "of one entry only: its name, contract:<name> for a contract entry")
    .option("--all", "replayed ones too")
    .option("--replay <id>", 'submit this one again; "all": every open one')
    .option("--json", "print one JSON object per line")
    .action(() => audit(command.optsWithGlobals()));
  addEnding(command, ENDING);
}

async function audit(flags: AuditFlags): Promise<void> {
  const audit = openAudit({
    stateDir: stateDirOf(flags),
    config: () => readReaderConfig(flags),
    openAdapter: adaptersOf(flags),
    log: createLog("silent"),
  });
  try {
    if (flags.replay === undefined) show(audit, flags);
    else await replay(audit, flags.replay, flags);
  } finally {
    audit.close();
  }
}

function show(audit: Audit, flags: AuditFlags): void {
  let count = 0;
  for (const letter of lettersOf(audit, flags)) {
    count += 1;
    process.stdout.write(flags.json === true ? `${JSON.stringify(jsonOf(letter))}\n` : lineOf(letter));
  }
  if (count === 0 && flags.json !== true) process.stdout.write("no dead letters\n");
}

function lettersOf(audit: Audit, flags: AuditFlags) {
  const chain = flags.chain === undefined ? {} : { chain: flags.chain.toLowerCase() };
  return audit.letters({ ...chain, all: flags.all === true });
}

async function replay(audit: Audit, which: string, flags: AuditFlags): Promise<void> {
  if (which !== "all" && !/^\d{1,15}$/.test(which))
    throw new CommandError('--replay: expected an id or "all"', EXIT.usage);
  const ids = which === "all" ? [...lettersOf(audit, { ...flags, all: false })].map(({ id }) => id) : [Number(which)];
  let failed = 0;
  for (const id of ids) {
    const outcome = await audit.replay(id, new AbortController().signal);
    if (!outcome.ok) failed += 1;
    const said = outcome.ok
      ? `submitted ${outcome.submissionId ?? "(nothing left to submit)"}`
      : `failed: ${outcome.reason}`;
    process.stdout.write(flags.json === true ? `${JSON.stringify({ id, ...outcome })}\n` : `${id}  ${said}\n`);
  }
  if (failed > 0) throw new CommandError(`${failed} of ${ids.length} could not be replayed`);
}

function lineOf(letter: DeadLetter): string {
  const log = letter.logIndex < 0 ? "" : ` log ${letter.logIndex}`;
  const state = letter.replayedMs === undefined ? "" : `  replayed ${new Date(letter.replayedMs).toISOString()}`;
  const at = new Date(letter.atMs).toISOString();
  return `${letter.id}  ${at}  ${letter.chain}  block ${letter.height}${log}  ${letter.code}: ${letter.detail}${state}\n`;
}

function jsonOf(letter: DeadLetter): object {
  return {
    id: letter.id,
    chain: letter.chain,
    block_number: letter.height.toString(),
    log_index: letter.logIndex < 0 ? null : letter.logIndex,
    block_hash: letter.hash === "" ? null : letter.hash,
    code: letter.code,
    detail: letter.detail,
    at: new Date(letter.atMs).toISOString(),
    replayed_at: letter.replayedMs === undefined ? null : new Date(letter.replayedMs).toISOString(),
    submission_id: letter.submissionId ?? null,
  };
}
