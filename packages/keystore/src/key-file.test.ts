import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bytesToHex, hexToBytes } from "@cairn/primitives";
import { decryptKeystoreJson, encryptKeystoreJson, Wallet } from "ethers";
import { keyAddress } from "./account-key.ts";
import { LIGHT_COST, STANDARD_COST } from "./key-derivation.ts";
import { decryptKeyFile, encryptKeyFile, parseKeyFile } from "./key-file.ts";
import { KeystoreError } from "./keystore-error.ts";

const TINY = { n: 2, r: 1, p: 1 };
const refused = (code: string) => (error: unknown) => error instanceof KeystoreError && error.code === code;

/** The test vectors of the Web3 Secret Storage definition. */
const SECRET = "0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d";
const VECTORS = {
  pbkdf2: {
    cipher: "aes-128-ctr",
    cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
    ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
    kdf: "pbkdf2",
    kdfparams: {
      ...{ c: 262_144, dklen: 32, prf: "hmac-sha256" },
      salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
    },
    mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
  },
  scrypt: {
    cipher: "aes-128-ctr",
    cipherparams: { iv: "83dbcc02d8ccb40e466191a123791e0e" },
    ciphertext: "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
    kdf: "scrypt",
    kdfparams: {
      ...{ dklen: 32, n: 262_144, r: 1, p: 8 },
      salt: "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19",
    },
    mac: "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
  },
};

const fileOf = (crypto: object) => JSON.stringify({ crypto, id: "3198bc9c-6672-5ab3-d995-4942343ae5b6", version: 3 });

describe("key files", () => {
  for (const [name, crypto] of Object.entries(VECTORS)) {
    it(`reads the definition's ${name} vector`, async () => {
      const key = await decryptKeyFile(parseKeyFile(fileOf(crypto)), "testpassword");
      assert.equal(bytesToHex(key), SECRET);
      assert.equal(keyAddress(key), "0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b");
    });
  }

  it("reads what ethers writes, which spells Crypto", async () => {
    const wallet = new Wallet(SECRET);
    const text = await encryptKeystoreJson(wallet, "päss wörd 🔑", { scrypt: { N: 4096, r: 8, p: 6 } });
    assert.match(text, /"Crypto"/);
    const file = parseKeyFile(text);
    assert.equal(bytesToHex(await decryptKeyFile(file, "päss wörd 🔑")), wallet.privateKey);
    assert.equal(file.address, wallet.address.toLowerCase());
  });

  it("writes what ethers reads, at both of geth's costs", async () => {
    for (const cost of [STANDARD_COST, LIGHT_COST]) {
      const text = await encryptKeyFile(hexToBytes(SECRET), "testpassword", cost);
      const account = await decryptKeystoreJson(text, "testpassword");
      assert.equal(account.privateKey, SECRET);
      const { crypto, version, address } = JSON.parse(text);
      assert.deepEqual([version, address], [3, keyAddress(hexToBytes(SECRET)).slice(2)]);
      assert.deepEqual({ ...crypto.kdfparams, salt: "" }, { dklen: 32, ...cost, salt: "" });
      assert.equal(crypto.kdfparams.salt.length, 64);
    }
  });

  it("reads a file of version 1, as the first wallets wrote it", async () => {
    const v1 = {
      address: "cb61d5a9c4896fb9658090b597ef0e7be6f7b67e",
      Crypto: {
        cipher: "aes-128-cbc",
        ciphertext: "6143d3192db8b66eabd693d9c4e414dcfaee52abda451af79ccf474dafb35f1bfc7ea013aa9d2ee35969a1a2e8d752d0",
        cipherparams: { iv: "35337770fc2117994ecdcad026bccff4" },
        kdf: "scrypt",
        kdfparams: {
          ...{ n: 262_144, r: 8, p: 1, dklen: 32 },
          salt: "9afcddebca541253a2f4053391c673ff9fe23097cd8555d149d929e4ccf1257f",
        },
        mac: "3f3d5af884b17a100b0b3232c0636c230a54dc2ac8d986227219b0dd89197644",
        version: "1",
      },
      id: "e25f7c1f-d318-4f29-b62c-687190d4d299",
      version: "1",
    };
    const file = parseKeyFile(JSON.stringify(v1));
    const key = await decryptKeyFile(file, "g");
    assert.equal(bytesToHex(key), "0xd1b1178d3529626a1a93e073f65028370d14c7eb0936eb42abef05db6f37ad7d");
    await assert.rejects(decryptKeyFile(file, "h"), refused("wrong-passphrase"));
    const crypto = { ...v1.Crypto, cipher: "aes-128-ctr" };
    assert.throws(() => parseKeyFile(JSON.stringify({ ...v1, Crypto: crypto })), refused("invalid-key-file"));
  });

  it("refuses a wrong passphrase, and a file whose address is another key's", async () => {
    const text = await encryptKeyFile(hexToBytes(SECRET), "right", TINY);
    await assert.rejects(decryptKeyFile(parseKeyFile(text), "wrong"), refused("wrong-passphrase"));
    await assert.rejects(decryptKeyFile(parseKeyFile(text), ""), refused("wrong-passphrase"));
    const forged = JSON.stringify({ ...JSON.parse(text), address: "11".repeat(20) });
    await assert.rejects(decryptKeyFile(parseKeyFile(forged), "right"), refused("invalid-key-file"));
  });

  it("refuses what is no V3 file, and derivations without bounds", async () => {
    const text = await encryptKeyFile(hexToBytes(SECRET), "right", TINY);
    const file = JSON.parse(text);
    const kdfparams = (changed: object) => ({
      ...file,
      crypto: { ...file.crypto, kdfparams: { ...file.crypto.kdfparams, ...changed } },
    });
    const crypto = (changed: object) => ({ ...file, crypto: { ...file.crypto, ...changed } });
    const bad = [
      ...[null, [], 3, {}, { ...file, version: 1 }, { ...file, crypto: null }, { ...file, address: "12" }],
      ...[
        crypto({ cipher: "aes-128-cbc" }),
        crypto({ mac: "00" }),
        crypto({ kdf: "none" }),
        crypto({ ciphertext: "" }),
      ],
      ...[kdfparams({ n: 2 ** 30 }), kdfparams({ n: 3 }), kdfparams({ n: -2 }), kdfparams({ n: "many" })],
      ...[kdfparams({ r: 2 ** 24 }), kdfparams({ p: 2 ** 25 }), kdfparams({ p: 0 }), kdfparams({ dklen: 64 })],
      crypto({ kdf: "pbkdf2", kdfparams: { c: 2 ** 40, dklen: 32, prf: "hmac-sha256", salt: "00" } }),
      crypto({ kdf: "pbkdf2", kdfparams: { c: 1, dklen: 32, prf: "hmac-sha512", salt: "00" } }),
    ];
    for (const document of bad) {
      assert.throws(
        () => parseKeyFile(JSON.stringify(document)),
        refused("invalid-key-file"),
        JSON.stringify(document),
      );
    }
    assert.throws(() => parseKeyFile("{"), refused("invalid-key-file"));
  });

  it("refuses keys outside the group", () => {
    for (const key of [new Uint8Array(32), new Uint8Array(32).fill(0xff), new Uint8Array(31).fill(1)]) {
      assert.throws(() => keyAddress(key), refused("invalid-key"));
    }
  });
});
