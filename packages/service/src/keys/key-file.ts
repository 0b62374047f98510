/**
 * The service's keys on disk: encrypted key files (version 3, scrypt) that only their owner may read. Owns reading and
 * making them; where the passphrase comes from is the caller's.
 */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import {
  decryptKeyFile,
  encryptKeyFile,
  KeystoreError,
  parseKeyFile,
  type ScryptCost,
  STANDARD_COST,
} from "@cairn/keystore";

/** Why a key file is of no use. */
export type ServiceKeyCode =
  | "missing-key-file"
  | "plain-key"
  | "readable-by-others"
  | "invalid-key-file"
  | "wrong-passphrase"
  | "no-passphrase"
  | "key-file-exists";

/** A key that cannot be had; the message names the file and what to do. */
export class ServiceKeyError extends Error {
  override readonly name = "ServiceKeyError";
  readonly code: ServiceKeyCode;
  constructor(code: ServiceKeyCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The 32-byte secret of a key file. Throws `ServiceKeyError`. */
export async function openServiceKey(file: string, passphrase: () => Promise<string>): Promise<Uint8Array> {
  const text = readPrivateText(file);
  if (/^\s*(0x)?[0-9a-fA-F]{64}\s*$/.test(text)) {
    throw new ServiceKeyError(
      "plain-key",
      `${file} holds a key that is not encrypted; make key files with cairn service keys new`,
    );
  }
  try {
    return await decryptKeyFile(parseKeyFile(text), await passphrase());
  } catch (error) {
    if (!(error instanceof KeystoreError)) throw error;
    if (error.code === "wrong-passphrase") {
      throw new ServiceKeyError("wrong-passphrase", `the passphrase does not open ${file}`);
    }
    throw new ServiceKeyError("invalid-key-file", `${file}: ${error.message}`);
  }
}

function readPrivateText(file: string): string {
  let mode: number;
  let text: string;
  try {
    ({ mode } = statSync(file));
    text = readFileSync(file, "utf8");
  } catch {
    throw new ServiceKeyError(
      "missing-key-file",
      `${file} is missing or cannot be read; make it with cairn service keys new`,
    );
  }
  if ((mode & 0o077) !== 0) {
    throw new ServiceKeyError("readable-by-others", `${file} is open to other users: chmod 600 ${file}`);
  }
  return text;
}

/** Makes a new random key, encrypted, mode 0600; the secret is answered. Throws `key-file-exists`. */
export async function makeServiceKey(
  file: string,
  passphrase: string,
  cost: ScryptCost = STANDARD_COST,
): Promise<Uint8Array> {
  const secret = newSecret();
  const text = await encryptKeyFile(secret, passphrase, cost);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeNew(file, `${text}\n`);
  return secret;
}

/** Almost every 32 bytes are a secret key; the encryption refuses the others. */
const newSecret = (): Uint8Array => new Uint8Array(randomBytes(32));

function writeNew(file: string, text: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(file, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new ServiceKeyError("key-file-exists", `${file} is there already and stays as it is`);
  }
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
