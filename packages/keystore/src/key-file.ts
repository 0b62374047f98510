/**
 * Owns the form of key files, Web3 Secret Storage as geth reads and writes it: parsing and decrypting versions 3 and 1,
 * encrypting version 3. Not where files stand.
 */
import { createCipheriv, createDecipheriv, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { type Address, bytesToHex, concatBytes, hexToBytes, keccak256 } from "@cairn/primitives";
import { keyAddress } from "./account-key.ts";
import { checkDerivation, deriveKey, type KeyDerivation, type ScryptCost } from "./key-derivation.ts";
import { KeystoreError } from "./keystore-error.ts";

/** A parsed key file. */
export interface KeyFile {
  /** 1: AES-CBC with a hashed key, of the first wallets; read only. */
  readonly version: 1 | 3;
  /** As the file claims it; absent in files that do not tell. */
  readonly address?: Address;
  readonly iv: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly mac: Uint8Array;
  readonly derivation: KeyDerivation;
}

type Json = Readonly<Record<string, unknown>>;

function invalid(what: string): KeystoreError {
  return new KeystoreError("invalid-key-file", `not a key file of version 3 or 1: ${what}`);
}

function objectAt(object: Json, ...names: readonly string[]): Json {
  for (const name of names) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (typeof value === "object" && value !== null) return value as Json;
  }
  throw invalid(`no ${names[0]}`);
}

function hexAt(object: Json, name: string, bytes?: number): Uint8Array {
  const value = object[name];
  const digits = typeof value === "string" ? value.replace(/^0x/, "") : "";
  if (!/^([0-9a-fA-F]{2})+$/.test(digits)) throw invalid(name);
  if (bytes !== undefined && digits.length !== 2 * bytes) throw invalid(name);
  return hexToBytes(`0x${digits}`);
}

function derivationOf(crypto: Json): KeyDerivation {
  const params = objectAt(crypto, "kdfparams");
  if (params.dklen !== 32) throw invalid("dklen");
  const salt = hexAt(params, "salt");
  const number = (name: string) => Number(params[name]);
  if (crypto.kdf === "scrypt") return { kdf: "scrypt", n: number("n"), r: number("r"), p: number("p"), salt };
  if (crypto.kdf !== "pbkdf2") throw invalid("kdf");
  if (params.prf !== "hmac-sha256") throw invalid("prf");
  return { kdf: "pbkdf2", c: number("c"), salt };
}

const CIPHERS = { 1: "aes-128-cbc", 3: "aes-128-ctr" } as const;
/** A key of 32 bytes is padded by a whole block (PKCS #7). */
const PADDED_KEY_BYTES = 48;

function versionOf(version: unknown): 1 | 3 {
  if (version === 3) return 3;
  if (version === "1" || version === 1) return 1;
  throw invalid("version");
}

/** Reads a key file's text; `crypto` is also known as `Crypto`. Throws `KeystoreError` `invalid-key-file`. */
export function parseKeyFile(text: string): KeyFile {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw invalid("no JSON");
  }
  if (typeof file !== "object" || file === null) throw invalid("no object");
  const document = file as Json;
  const version = versionOf(document.version);
  const crypto = objectAt(document, "crypto", "Crypto");
  if (crypto.cipher !== CIPHERS[version]) throw invalid("cipher");
  const derivation = derivationOf(crypto);
  checkDerivation(derivation);
  return {
    version,
    ...(document.address === undefined ? {} : { address: bytesToHex(hexAt(document, "address", 20)) as Address }),
    iv: hexAt(objectAt(crypto, "cipherparams"), "iv", 16),
    ciphertext: hexAt(crypto, "ciphertext", version === 1 ? PADDED_KEY_BYTES : 32),
    mac: hexAt(crypto, "mac", 32),
    derivation,
  };
}

function decipher({ version, iv, ciphertext }: KeyFile, secret: Uint8Array): Uint8Array {
  if (version === 3) return new Uint8Array(createDecipheriv(CIPHERS[3], secret, iv).update(ciphertext));
  const padded = createDecipheriv(CIPHERS[1], keccak256(secret).subarray(0, 16), iv);
  try {
    const key = concatBytes(padded.update(ciphertext), padded.final());
    if (key.length === 32) return key;
  } catch {
    // A padding that is none: the file was changed.
  }
  throw invalid("ciphertext");
}

/** The 32-byte private key of a file; the caller wipes it. Throws `KeystoreError` `wrong-passphrase`. */
export async function decryptKeyFile(file: KeyFile, passphrase: string): Promise<Uint8Array> {
  const derived = await deriveKey(passphrase, file.derivation);
  try {
    const mac = keccak256(concatBytes(derived.subarray(16, 32), file.ciphertext));
    if (!timingSafeEqual(mac, file.mac)) {
      throw new KeystoreError("wrong-passphrase", "could not decrypt key with given password");
    }
    const key = decipher(file, derived.subarray(0, 16));
    if (file.address === undefined || keyAddress(key) === file.address) return key;
    key.fill(0);
    throw invalid("address of another key");
  } finally {
    derived.fill(0);
  }
}

const bare = (bytes: Uint8Array): string => bytesToHex(bytes).slice(2);

/** The text of a new key file with random salt, vector and id. */
export async function encryptKeyFile(key: Uint8Array, passphrase: string, cost: ScryptCost): Promise<string> {
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const derived = await deriveKey(passphrase, { kdf: "scrypt", ...cost, salt });
  try {
    const ciphertext = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv).update(key);
    const mac = keccak256(concatBytes(derived.subarray(16, 32), ciphertext));
    const kdfparams = { dklen: 32, n: cost.n, p: cost.p, r: cost.r, salt: bare(salt) };
    const crypto = {
      ...{ cipher: "aes-128-ctr", ciphertext: bare(ciphertext), cipherparams: { iv: bare(iv) } },
      ...{ kdf: "scrypt", kdfparams, mac: bare(mac) },
    };
    return JSON.stringify({ address: keyAddress(key).slice(2), crypto, id: randomUUID(), version: 3 });
  } finally {
    derived.fill(0);
  }
}
