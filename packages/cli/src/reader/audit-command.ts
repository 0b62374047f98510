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
  readonly discard?: string;
  readonly json?: boolean;
}

const ENDING: Ending = {
  examples: [
    "cairn reader audit  # the open ones",
    "cairn reader audit --chain linea --json  # of one entry, for jq",
    "cairn reader audit --config reader.toml --replay 7",
    "cairn reader audit --config reader.toml --replay all  # interrupted, the same command goes on",
    "cairn reader audit --discard 7",
    "cairn reader audit --home .cairn-sandbox --all  # replayed and discarded ones too",
  ],
  notes: [
    "A dead letter is an item that could not be decoded in three attempts, or that the service refused for good; its code",
    "says why. Mend the cause, then replay; what will never be right can be discarded. A reader may be running meanwhile.",
    "",
  ],
  codes: "0 done, 1 a replay failed, 2 wrong usage or configuration",
};

/** Adds the command below `reader`. */
export function addAuditCommand(reader: Command): void {
  const command = addReaderFileFlags(reader.command("audit"))
    .description("show the dead letters, or replay them")
    .option("--chain <name>", "of one entry only; contract:<name> for the contract entry of a name used twice")
    .option("--all", "replayed and discarded ones too")
    .option("--replay <id>", 'submit this one again; "all": every open one')
    .option("--discard <id>", 'give this one up; "all": every open one')
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
    if (flags.replay !== undefined && flags.discard !== undefined)
      throw new CommandError("--replay and --discard exclude each other", EXIT.usage);
    if (flags.replay !== undefined) await replay(audit, idsOf(audit, "--replay", flags.replay, flags), flags);
    else if (flags.discard !== undefined) discard(audit, idsOf(audit, "--discard", flags.discard, flags), flags);
    else show(audit, flags);
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

/** Of one letter, or of every open one. */
function idsOf(audit: Audit, option: string, which: string, flags: AuditFlags): readonly number[] {
  if (which !== "all" && !/^\d{1,15}$/.test(which))
    throw new CommandError(`${option}: expected an id or "all"`, EXIT.usage);
  if (which !== "all") return [Number(which)];
  const ids: number[] = [];
  for (const { id } of lettersOf(audit, { ...flags, all: false })) ids.push(id);
  return ids;
}

function discard(audit: Audit, ids: readonly number[], flags: AuditFlags): void {
  for (const id of ids) {
    audit.discard(id);
    process.stdout.write(flags.json === true ? `${JSON.stringify({ id, discarded: true })}\n` : `${id}  discarded\n`);
  }
}

async function replay(audit: Audit, ids: readonly number[], flags: AuditFlags): Promise<void> {
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
  const ended = letter.replayedMs ?? letter.discardedMs;
  const how = letter.replayedMs === undefined ? "discarded" : "replayed";
  const state = ended === undefined ? "" : `  ${how} ${new Date(ended).toISOString()}`;
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
    discarded_at: letter.discardedMs === undefined ? null : new Date(letter.discardedMs).toISOString(),
    submission_id: letter.submissionId ?? null,
  };
}
