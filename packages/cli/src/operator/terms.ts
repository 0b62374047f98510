/** Options that say what an account is granted: quota, plan, rates, chains with aliases and profile. */
import type { AccessRequest, Account, NewChain, Terms } from "@cairn/service";
import { type Command, InvalidArgumentError, Option } from "commander";
import { CommandError, EXIT } from "../exit-code.ts";
import { integerOption } from "../integer-option.ts";
import type { DeskFlags } from "./desk.ts";

/** Flags of the terms. */
export interface TermFlags extends DeskFlags {
  readonly quota?: number;
  readonly plan?: string;
  readonly settlementDays?: number;
  readonly rate?: number | "service";
  readonly burst?: number;
  readonly chain: readonly string[];
  readonly alias: readonly Alias[];
  readonly profile: readonly Profile[];
}

interface Alias {
  readonly name: string;
  /** Undefined: of the only chain. */
  readonly chain: string | undefined;
}

interface Profile {
  readonly chain: string | undefined;
  readonly profile: NonNullable<NewChain["profile"]>;
}

const CHAIN = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;
const PLAN = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const DEFAULT_BURST = 300;

const PROFILE = "what a bare artifact of a chain is: system=…,encoding=…[,curve=…][,version=…][,vk=0x…][,chain=…]";

/** Adds the options. */
export function addTermFlags(command: Command): Command {
  const repeatable = <T>(flags: string, doc: string, parse: (text: string) => T, otherwise: string): Option =>
    new Option(flags, `${doc}; repeatable`)
      .argParser((text: string, all: readonly T[]): readonly T[] => [...all, parse(text)])
      .default([], otherwise);
  return command
    .option("--quota <n/day>", "submissions of a UTC day, as 10000/day, or unlimited", parseQuota)
    .option("--plan <name>", "price plan", parsePlan)
    .option("--settlement-days <n>", "days of a settlement period", integerOption(1, 366))
    .option("--rate <n/min>", "submissions a minute, as 600/min, or service: as its settings say", parseRate)
    .option("--burst <n>", `how many at once, with --rate (default ${DEFAULT_BURST})`, integerOption(1, 10_000_000))
    .addOption(repeatable("--chain <id>", "register a chain", parseChain, "those the request names"))
    .addOption(repeatable("--alias <name[=chain]>", "another name for a chain", parseAlias, "none"))
    .addOption(repeatable("--profile <fields>", PROFILE, parseProfile, "none"));
}

/** The terms that flags give an account; what they do not name stays as it is. `asked` are the chains of its request. */
export function termsOf(
  account: string,
  flags: TermFlags,
  { before, asked }: { readonly before: Account | undefined; readonly asked: AccessRequest["chainIds"] },
): Terms {
  const { rate, burst } = flags;
  const isCounted = typeof rate === "number";
  if (burst !== undefined && !isCounted) throw new CommandError("--burst goes with --rate", EXIT.usage);
  const limits = isCounted ? { perMinute: rate, burst: burst ?? DEFAULT_BURST } : rate;
  return { account, agreement: agreementOf(flags, before), limits, chains: chainsOf(flags, asked) };
}

function agreementOf(flags: TermFlags, before: Account | undefined): Terms["agreement"] {
  const given = [flags.quota, flags.plan, flags.settlementDays].some((value) => value !== undefined);
  if (!given) return before?.agreement;
  const perDay = flags.quota ?? before?.agreement?.perDay;
  const plan = flags.plan ?? before?.agreement?.plan;
  const settlementDays = flags.settlementDays ?? before?.agreement?.settlementDays;
  if (perDay === undefined || plan === undefined || settlementDays === undefined) {
    throw new CommandError("an agreement has all of --quota, --plan and --settlement-days", EXIT.usage);
  }
  return { perDay, plan, settlementDays };
}

function chainsOf(flags: TermFlags, asked: readonly string[]): readonly NewChain[] {
  const ids = flags.chain.length > 0 ? flags.chain : asked;
  const only = ids.length === 1 ? ids[0] : undefined;
  const targetOf = (what: string, chain: string | undefined): string => {
    const target = chain ?? only;
    if (target !== undefined && ids.some((id) => isSame(id, target))) return target;
    throw new CommandError(
      `${what} must say which of the chains it is for: ${ids.join(", ") || "there is none"}`,
      EXIT.usage,
    );
  };
  const aliases = flags.alias.map((alias) => ({ ...alias, chain: targetOf(`--alias ${alias.name}`, alias.chain) }));
  const profiles = flags.profile.map((entry) => ({ ...entry, chain: targetOf("--profile", entry.chain) }));
  return ids.map((id) => ({
    chainId: id,
    aliases: aliases.filter(({ chain }) => isSame(chain, id)).map(({ name }) => name),
    profile: profiles.find(({ chain }) => isSame(chain, id))?.profile,
  }));
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function parseQuota(text: string): number {
  if (text === "unlimited") return 0;
  return parsePer(text, "day");
}

function parseRate(text: string): number | "service" {
  if (text === "service") return text;
  return text === "unlimited" ? 0 : parsePer(text, "min");
}

function parsePer(text: string, unit: string): number {
  const count = Number(new RegExp(`^([1-9][0-9]{0,9})/${unit}$`).exec(text)?.[1]);
  if (Number.isNaN(count)) throw new InvalidArgumentError(`expected a number as 600/${unit}, or unlimited`);
  return count;
}

function parsePlan(text: string): string {
  if (!PLAN.test(text)) throw new InvalidArgumentError("expected a name of a-z, 0-9, dot, dash, underscore");
  return text;
}

function parseChain(text: string): string {
  if (!CHAIN.test(text)) throw new InvalidArgumentError("expected a decimal chain id, a CAIP-2 id or a name");
  return text;
}

function parseAlias(text: string): Alias {
  const [name = "", chain] = text.split("=");
  return { name: parseChain(name), chain: chain === undefined ? undefined : parseChain(chain) };
}

const PROFILE_FIELDS = new Set(["system", "encoding", "curve", "version", "vk", "chain"]);
const WORD = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

function parseProfile(text: string): Profile {
  const fields = Object.fromEntries(text.split(",").map(parseField));
  const { system, encoding, curve, version, vk, chain } = fields;
  if (system === undefined || encoding === undefined) {
    throw new InvalidArgumentError("expected at least system=… and encoding=…");
  }
  if (vk !== undefined && !/^0x[0-9a-f]{64}$/.test(vk)) throw new InvalidArgumentError("vk is 32 bytes of 0x-hex");
  const words = [system, encoding, curve, version].filter((word) => word !== undefined);
  if (!words.every((word) => WORD.test(word))) throw new InvalidArgumentError("values are words of letters and digits");
  return {
    chain: chain === undefined ? undefined : parseChain(chain),
    profile: {
      system,
      encoding,
      ...(curve === undefined ? {} : { curve }),
      ...(version === undefined ? {} : { version }),
      ...(vk === undefined ? {} : { vkHash: `0x${vk.slice(2)}` as const }),
    },
  };
}

function parseField(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  const name = text.slice(0, at);
  if (at === -1 || !PROFILE_FIELDS.has(name)) {
    throw new InvalidArgumentError(`expected fields of ${[...PROFILE_FIELDS].join(", ")}, each as name=value`);
  }
  return [name, text.slice(at + 1)];
}
