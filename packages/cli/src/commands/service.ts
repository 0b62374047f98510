/** `cairn service`: the proof service on its own, beside a chain node and a Bitcoin node that run elsewhere. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { toChecksumAddress } from "@cairn/primitives";
import {
  acknowledgeAlarm,
  backupService,
  checkService,
  createApiKey,
  makeServiceKey,
  ProductionError,
  prepareService,
  renderServiceConfig,
  resolveServiceConfig,
  restoreService,
  type ServiceConfig,
  ServiceListenError,
  serviceConfigFile,
  settlerAddress,
  startRefusals,
  startService,
} from "@cairn/service";
import { type Command, Option } from "commander";
import { readOrCreate, writeDurableFile } from "../durable-file.ts";
import { CommandError, EXIT } from "../exit-code.ts";
import { addEnding, type Ending } from "../help-ending.ts";
import { addHomeOption } from "../home-option.ts";
import { createLog, switchLevelOnSignal } from "../log.ts";
import {
  addServiceFlags,
  anchorAddressOf,
  givenServiceFlags,
  openServiceKeys,
  passphraseOf,
  SETTINGS_NOTE,
  serviceConfig,
} from "../service/settings.ts";
import { untilStopped } from "../stop.ts";
import { refuseOtherWords } from "../usage.ts";
import { VERSION } from "../version.ts";

interface ServiceFlags extends Readonly<Record<string, unknown>> {
  readonly home: string;
  readonly readyFile?: string;
  readonly json?: boolean;
}

const ending = (...examples: readonly string[]): Ending => ({
  examples,
  codes: "0 done or stopped, 1 failed or refused, 2 wrong usage",
});

/** Adds the command to the program. */
export function addServiceCommand(program: Command): void {
  const service = program
    .command("service")
    .description("run the proof service beside a chain node and a Bitcoin node");
  refuseOtherWords(addServiceFlags(service.command("run", { isDefault: true }), { listed: true }), service)
    .description("run the service of a home (the default)")
    .option("--ready-file <path>", "write a JSON object with the service's URL once it listens")
    .option("--json", "print that object instead of a line of text")
    .action(run);
  addServiceFlags(service.command("init"), { listed: true })
    .description("write a commented config/service.toml")
    .option("--json", "print a JSON object")
    .action(init);
  addServiceFlags(service.command("check"), { listed: false })
    .description("check settings, keys and nodes without starting")
    .option("--json", "print a JSON object")
    .action(check);
  addStoreCommands(service);
  addKeyCommands(service.command("keys").description("the keys that sign settlements and anchors"));
  addEndings(service);
}

function addEndings(service: Command): void {
  const endings: Readonly<Record<string, Ending>> = {
    run: ending("cairn service run --home ./service", "cairn service --home ./service --batch.interval 5s"),
    init: ending("cairn service init --home ./service --bitcoin signet --bitcoin-rpc http://u:p@127.0.0.1:38332"),
    check: { ...ending("cairn service check --home ./service"), notes: [SETTINGS_NOTE] },
    backup: { ...ending("cairn service backup /backup/cairn.tar --home ./service"), notes: ["The service may run."] },
    restore: ending("cairn service restore /backup/cairn.tar --home ./service"),
    acknowledge: ending("cairn service acknowledge final-anchor-lost --home ./service"),
    keys: ending("cairn service keys new --home ./service", "cairn service keys show --home ./service"),
    new: {
      ...ending("cairn service keys new --home ./service --keys.passphrase-file ./passphrase"),
      notes: [SETTINGS_NOTE],
    },
    show: { ...ending("cairn service keys show --home ./service"), notes: [SETTINGS_NOTE] },
  };
  const first = "cairn service init --home ./service && cairn service keys new --home ./service";
  addEnding(service, ending(first, "cairn service --home ./service"));
  const below = service.commands.flatMap((command) => [command, ...command.commands]);
  for (const command of below) {
    const own = endings[command.name()];
    if (own !== undefined) addEnding(command, own);
  }
}

/** Home and archive of the commands that work on a home's files. */
interface StoreFlags {
  readonly home: string;
  readonly json?: boolean;
}

function addStoreCommands(service: Command): void {
  const onHome = (command: Command): Command =>
    addHomeOption(command, "service").option("--json", "print a JSON object");
  onHome(service.command("backup <file>"))
    .description("write databases, settings and key files into one archive (tar)")
    .action(async (file: string, flags: StoreFlags) => {
      const { files } = await backupService(resolve(flags.home), resolve(file));
      report(flags, { backup: resolve(file), files: String(Object.keys(files).length) });
    });
  onHome(service.command("restore <file>"))
    .description("unpack a backup into a home without a service")
    .action((file: string, flags: StoreFlags) => {
      const { made_at } = restoreService(resolve(flags.home), resolve(file));
      report(flags, { restored: resolve(flags.home), of: made_at });
    });
  onHome(service.command("acknowledge <alarm>"))
    .description("end an alarm that stays until somebody has seen it")
    .action(async (alarm: string, flags: StoreFlags) => {
      const held = await acknowledgeAlarm(resolve(flags.home), alarm);
      if (!held) throw new CommandError(`the alarm ${alarm} does not hold`);
      report(flags, { acknowledged: alarm });
    });
}

function addKeyCommands(keys: Command): void {
  addServiceFlags(keys.command("new"), { listed: false })
    .description("make encrypted key files for settler and anchor wallet")
    .addOption(new Option("--only <key>", "make one of them").choices(["settler", "anchor"]))
    .option("--json", "print a JSON object")
    .action(newKeys);
  addServiceFlags(keys.command("show"), { listed: false })
    .description("print their addresses: what the operator funds")
    .option("--json", "print a JSON object")
    .action(showKeys);
}

async function run(flags: ServiceFlags): Promise<void> {
  const home = resolve(flags.home);
  const config = serviceConfig(home, flags);
  const log = createLog(config["log.level"]);
  const passphrase = passphraseOf(config, home);
  const prepared = await prepareService({ home, config, passphrase, version: VERSION, log });
  const { options } = prepared;
  if (options === undefined) {
    throw new ProductionError([...prepared.faults, ...(await startRefusals(prepared.known))], config.environment);
  }
  const service = await startService({ ...options, ...sandboxToken(home, config) }).catch((error: unknown) => {
    if (!(error instanceof ServiceListenError)) throw error;
    throw new CommandError(`${error.message}; choose another address with --listen.address`);
  });
  switchLevelOnSignal(log);
  const facts = { service_url: service.url, environment: config.environment, home };
  if (flags.readyFile !== undefined) writeDurableFile(flags.readyFile, `${JSON.stringify(facts, null, 2)}\n`);
  const line = `${config.environment} service at ${service.url}, Bitcoin ${config["bitcoin.network"]}`;
  process.stdout.write(`${flags.json === true ? JSON.stringify(facts) : line}\n`);
  await untilStopped(service);
}

/** A sandbox's one token, made at the first start; production has none. */
function sandboxToken(home: string, config: ServiceConfig): { readonly token?: string } {
  if (config.environment !== "sandbox") return {};
  return { token: readOrCreate(join(home, "config/sandbox.token"), () => createApiKey("sandbox", randomBytes).text) };
}

function init(flags: ServiceFlags): void {
  const home = resolve(flags.home);
  const file = serviceConfigFile(home);
  if (existsSync(file)) throw new CommandError(`${file} is there already and stays as it is`);
  const values = resolveServiceConfig({ flags: givenServiceFlags(flags) });
  writeDurableFile(file, renderServiceConfig(values));
  const lines = `wrote ${file}\nnext: edit it, then cairn service keys new, then cairn service check\n`;
  process.stdout.write(flags.json === true ? `${JSON.stringify({ wrote: file })}\n` : lines);
}

async function check(flags: ServiceFlags): Promise<void> {
  const home = resolve(flags.home);
  const config = serviceConfig(home, flags);
  const log = createLog("silent");
  const passphrase = passphraseOf(config, home);
  const findings = await checkService(await prepareService({ home, config, passphrase, version: VERSION, log }));
  const facts = { ok: findings.length === 0, environment: config.environment, findings };
  const lines = findings.map(({ level, code, message }) => `${level}  ${code}: ${message}\n`);
  const text = findings.length === 0 ? `ok: the ${config.environment} service can start\n` : lines.join("");
  process.stdout.write(flags.json === true ? `${JSON.stringify(facts)}\n` : text);
  if (!facts.ok) process.exitCode = EXIT.failed;
}

async function newKeys(flags: ServiceFlags & { readonly only?: "settler" | "anchor" }): Promise<void> {
  const home = resolve(flags.home);
  const config = serviceConfig(home, flags);
  const passphrase = await passphraseOf(config, home, true)();
  if (passphrase.length < MIN_PASSPHRASE && config.environment === "production") {
    throw new CommandError(`the passphrase of production keys has at least ${MIN_PASSPHRASE} characters`, EXIT.usage);
  }
  const made: Record<string, string> = {};
  if (flags.only !== "anchor") {
    const key = await makeServiceKey(resolve(home, config["settler.key-file"]), passphrase);
    made.settler = toChecksumAddress(settlerAddress(key));
  }
  if (flags.only !== "settler") {
    const key = await makeServiceKey(resolve(home, config["anchor.key-file"]), passphrase);
    made.anchor = anchorAddressOf(config, key);
  }
  report(flags, made);
}

const MIN_PASSPHRASE = 12;

async function showKeys(flags: ServiceFlags): Promise<void> {
  const home = resolve(flags.home);
  const config = serviceConfig(home, flags);
  const { settlerKey, anchorKey } = await openServiceKeys(config, home);
  const settler = toChecksumAddress(settlerAddress(settlerKey));
  report(flags, { settler, anchor: anchorAddressOf(config, anchorKey) });
}

function report(flags: StoreFlags, facts: Readonly<Record<string, string>>): void {
  const lines = Object.entries(facts).map(([name, value]) => `${name.padEnd(8)} ${value}\n`);
  process.stdout.write(flags.json === true ? `${JSON.stringify(facts)}\n` : lines.join(""));
}
