/** ed25519 keys as CometBFT's files hold them: 64 bytes, seed then public key, in base64. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { base64ToBytes, bytesToBase64, CometError } from "@cairn/comet";

/** Registered name of the key type in JSON. */
export const PRIVATE_KEY_TYPE = "tendermint/PrivKeyEd25519";

/** A key that can sign. */
export interface SigningKey {
  readonly pubKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
  /** The file's spelling. Secret. */
  export(): { readonly type: string; readonly value: string };
}

function fromParts(key: KeyObject, seed: Uint8Array, pubKey: Uint8Array): SigningKey {
  return {
    pubKey,
    sign: (message) => new Uint8Array(sign(null, message, key)),
    export: () => ({ type: PRIVATE_KEY_TYPE, value: bytesToBase64(Uint8Array.of(...seed, ...pubKey)) }),
  };
}

/** A new random key. */
export function generateSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { d = "", x = "" } = privateKey.export({ format: "jwk" });
  return fromParts(privateKey, Buffer.from(d, "base64url"), new Uint8Array(Buffer.from(x, "base64url")));
}

/** Reads the file's spelling; the public half must belong to the seed. Throws CometError `invalid-json`. */
export function importSigningKey(json: { readonly type?: unknown; readonly value?: unknown }): SigningKey {
  if (json.type !== PRIVATE_KEY_TYPE || typeof json.value !== "string") {
    throw new CometError("invalid-json", "expected an ed25519 private key");
  }
  const bytes = base64ToBytes(json.value);
  if (bytes.length !== 64) throw new CometError("invalid-json", "expected 64 key bytes");
  const [seed, pubKey] = [bytes.slice(0, 32), bytes.slice(32)];
  const jwk = { kty: "OKP", crv: "Ed25519", d: base64Url(seed), x: base64Url(pubKey) };
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  const derived = createPrivateKey({ key: pkcs8(seed), format: "der", type: "pkcs8" }).export({ format: "jwk" });
  if (derived.x !== jwk.x) throw new CometError("invalid-json", "the public half is not the seed's");
  return fromParts(key, seed, pubKey);
}

function base64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

/** RFC 8410 PKCS#8 of an ed25519 seed. */
function pkcs8(seed: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
}
