/** Asking for a passphrase: from a file, from a terminal without showing it, or from piped input. Never an argument. */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { CommandError, EXIT } from "./exit-code.ts";

/** Where a passphrase comes from. */
export interface PassphraseSource {
  /** A file whose first line is the passphrase. */
  readonly file: string | undefined;
  /** Whether a terminal asks twice. */
  readonly isNew: boolean;
}

/** The passphrase, which may be empty. */
export async function readPassphrase({ file, isNew }: PassphraseSource): Promise<string> {
  if (file !== undefined) return firstLine(readText(file));
  if (!process.stdin.isTTY) return firstLine(await readPipe());
  const passphrase = await ask("Password: ");
  if (isNew && (await ask("Repeat password: ")) !== passphrase) {
    throw new CommandError("the passwords differ", EXIT.usage);
  }
  return passphrase;
}

const MAX_BYTES = 65_536;

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? "";
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new CommandError(`${file} cannot be read`, EXIT.usage);
  }
}

async function readPipe(): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BYTES) throw new CommandError("the input is too long for a password", EXIT.usage);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function ask(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  const { promise: cancelled, reject } = Promise.withResolvers<never>();
  terminal.once("SIGINT", () => reject(new CommandError("cancelled")));
  terminal.once("close", () => reject(new CommandError("cancelled")));
  process.stderr.write(question);
  try {
    return await Promise.race([terminal.question(""), cancelled]);
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}
