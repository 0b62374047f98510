import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Address, bytesToHex, type Hash, hexToBytes } from "@cairn/primitives";
import { TypedDataEncoder } from "ethers";
import fc from "fast-check";
import { hashTypedData, parseTransaction, type TransactionSerializable, type TypedDataDefinition } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { keyAddress, signHash } from "./account-key.ts";
import { TypedDataError, typedDataHash } from "./index.ts";
import { encodeSignature, recoverMessageSigner, signMessage } from "./sign-message.ts";
import { signTransaction, type UnsignedTransaction } from "./sign-transaction.ts";
import { parseWalletUrl } from "./wallet-url.ts";

const KEY = hexToBytes(`0x${"42".repeat(32)}`);
const account = privateKeyToAccount(bytesToHex(KEY));
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const address = bytes(20).map((value): Address => bytesToHex(value));
const word = bytes(32).map((value): Hash => bytesToHex(value));
const wei = fc.bigInt({ min: 0n, max: 2n ** 128n });

describe("personal messages", () => {
  it("are signed as viem signs them, and recover", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (message) => {
        const signature = signMessage(KEY, message);
        assert.equal(bytesToHex(signature), await account.signMessage({ message: { raw: message } }));
        assert.equal(recoverMessageSigner(message, signature), keyAddress(KEY));
      }),
      { numRuns: 50 },
    );
  });

  it("recover nobody from what is no signature", () => {
    const signature = new Uint8Array(65).fill(0xff);
    signature[64] = 27;
    assert.equal(recoverMessageSigner(new Uint8Array(0), signature), undefined);
    assert.equal(recoverMessageSigner(new Uint8Array(0), new Uint8Array(65)), undefined);
  });
});

describe("transactions", () => {
  const accessList = fc.array(fc.record({ address, storageKeys: fc.array(word, { maxLength: 2 }) }), { maxLength: 2 });
  const common = {
    chainId: fc.bigInt({ min: 1n, max: 2n ** 40n }),
    nonce: fc.nat().map(BigInt),
    gasLimit: fc.nat().map(BigInt),
    valueWei: wei,
    data: fc.uint8Array({ maxLength: 100 }),
  };
  const to = fc.option(address);
  const fees = { maxPriorityFeePerGasWei: wei, extraWei: wei };
  const dynamic = ({ extraWei, ...tx }: { extraWei: bigint; maxPriorityFeePerGasWei: bigint }) => ({
    ...tx,
    maxFeePerGasWei: tx.maxPriorityFeePerGasWei + extraWei,
  });
  const unsigned: fc.Arbitrary<UnsignedTransaction> = fc.oneof(
    fc.record({ type: fc.constant(0 as const), ...common, to, gasPriceWei: wei }),
    fc.record({ type: fc.constant(1 as const), ...common, to, gasPriceWei: wei, accessList }),
    fc
      .record({ type: fc.constant(2 as const), ...common, to, ...fees, accessList })
      .map((tx) => ({ ...tx, ...dynamic(tx) })),
  );

  function viemForm(tx: UnsignedTransaction): TransactionSerializable {
    const { chainId, nonce, gasLimit, valueWei, data } = tx;
    const base = {
      chainId: Number(chainId),
      nonce: Number(nonce),
      gas: gasLimit,
      value: valueWei,
      data: bytesToHex(data),
    };
    const to = tx.to === null ? {} : { to: tx.to };
    if (tx.type === 0) return { type: "legacy", ...base, ...to, gasPrice: tx.gasPriceWei };
    if (tx.type === 1) return { type: "eip2930", ...base, ...to, gasPrice: tx.gasPriceWei, accessList: tx.accessList };
    const dynamicFees = { maxFeePerGas: tx.maxFeePerGasWei, maxPriorityFeePerGas: tx.maxPriorityFeePerGasWei };
    if (tx.type === 2) return { type: "eip1559", ...base, ...to, ...dynamicFees, accessList: tx.accessList };
    const authorizationList = tx.authorizationList.map((item) => ({
      ...{ chainId: Number(item.chainId), address: item.address, nonce: Number(item.nonce), yParity: item.yParity },
      ...{ r: bytesToHex(hexToBytes(`0x${item.r.toString(16).padStart(64, "0")}`)) },
      ...{ s: bytesToHex(hexToBytes(`0x${item.s.toString(16).padStart(64, "0")}`)) },
    }));
    return { type: "eip7702", ...base, ...to, ...dynamicFees, accessList: tx.accessList, authorizationList };
  }

  it("of types 0, 1 and 2 are the bytes viem signs", async () => {
    await fc.assert(
      fc.asyncProperty(unsigned, async (tx) => {
        const signed = signTransaction(KEY, tx);
        const expected = await account.signTransaction(viemForm(tx));
        assert.equal(bytesToHex(signed.raw), expected);
      }),
      { numRuns: 100 },
    );
  });

  it("of type 4 are the bytes viem signs", async () => {
    const target: Address = `0x${"cc".repeat(20)}`;
    const authorization = await account.signAuthorization({ chainId: 7, contractAddress: target, nonce: 9 });
    const tx: UnsignedTransaction = {
      ...{ type: 4, chainId: 7n, nonce: 8n, gasLimit: 100_000n, to: target, valueWei: 1n, data: new Uint8Array(3) },
      ...{ maxFeePerGasWei: 9n, maxPriorityFeePerGasWei: 2n, accessList: [] },
      authorizationList: [
        {
          ...{ chainId: 7n, address: target, nonce: 9n, yParity: authorization.yParity ?? 0 },
          ...{ r: BigInt(authorization.r), s: BigInt(authorization.s) },
        },
      ],
    };
    const { raw } = signTransaction(KEY, tx);
    assert.equal(bytesToHex(raw), await account.signTransaction(viemForm(tx)));
    assert.equal(parseTransaction(bytesToHex(raw)).type, "eip7702");
  });
});

const MAIL = {
  types: {
    EIP712Domain: [
      { name: "name", type: "string" },
      { name: "version", type: "string" },
      { name: "chainId", type: "uint256" },
      { name: "verifyingContract", type: "address" },
    ],
    Person: [
      { name: "name", type: "string" },
      { name: "wallets", type: "address[]" },
    ],
    Mail: [
      { name: "from", type: "Person" },
      { name: "to", type: "Person[2]" },
      { name: "grid", type: "int16[][3]" },
      { name: "tag", type: "bytes3" },
      { name: "body", type: "bytes" },
      { name: "urgent", type: "bool" },
    ],
  },
  domain: {
    name: "Ether Mail",
    version: "1",
    chainId: 1,
    verifyingContract: "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
  },
  primaryType: "Mail",
  message: {
    from: { name: "Cow", wallets: [`0x${"aa".repeat(20)}`] },
    to: [
      { name: "Bob", wallets: [] },
      { name: "Zoë", wallets: [`0x${"bb".repeat(20)}`, `0x${"cc".repeat(20)}`] },
    ],
    grid: [[-1, 2], [], [32_767]],
    tag: "0x010203",
    body: "0x1234",
    urgent: true,
  },
};

describe("typed data", () => {
  it("has the digest of EIP-712's example", () => {
    const Person = [
      { name: "name", type: "string" },
      { name: "wallet", type: "address" },
    ];
    const Mail = [
      { name: "from", type: "Person" },
      { name: "to", type: "Person" },
      { name: "contents", type: "string" },
    ];
    const document = {
      types: { EIP712Domain: MAIL.types.EIP712Domain, Person, Mail },
      primaryType: "Mail",
      domain: { ...MAIL.domain, verifyingContract: "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC" },
      message: {
        from: { name: "Cow", wallet: "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826" },
        to: { name: "Bob", wallet: "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB" },
        contents: "Hello, Bob!",
      },
    };
    const digest = "0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2";
    assert.equal(bytesToHex(typedDataHash(document)), digest);
    assert.equal(bytesToHex(typedDataHash(document, "v3")), digest);
  });

  it("equals viem's and ethers' hash with arrays, nested structs and every kind of value", async () => {
    const hash = typedDataHash(MAIL);
    assert.equal(bytesToHex(hash), hashTypedData(MAIL as unknown as TypedDataDefinition));
    const { EIP712Domain: _, ...types } = MAIL.types;
    assert.equal(bytesToHex(hash), TypedDataEncoder.hash(MAIL.domain, types, MAIL.message));
    assert.equal(bytesToHex(typedDataHash({ ...MAIL, types })), bytesToHex(hash));
    const signature = await account.signTypedData(MAIL as unknown as TypedDataDefinition);
    assert.equal(bytesToHex(encodeSignature(signHash(KEY, hash))), signature);
  });

  it("equals viem's hash for integers in all spellings", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 32 }),
        fc.boolean(),
        fc.bigInt({ min: 0n, max: 2n ** 256n }),
        (size, signed, seed) => {
          const bits = BigInt(8 * size);
          const value = signed ? BigInt.asIntN(Number(bits), seed) : BigInt.asUintN(Number(bits), seed);
          const types = { T: [{ name: "n", type: `${signed ? "int" : "uint"}${bits}` }] };
          const document = (n: unknown) => ({ types, primaryType: "T", domain: {}, message: { n } });
          const hash = bytesToHex(typedDataHash(document(value.toString())));
          assert.equal(hash, hashTypedData(document(value) as unknown as TypedDataDefinition));
          const hex = value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
          assert.equal(bytesToHex(typedDataHash(document(hex))), hash);
          const most = signed ? 2n ** (bits - 1n) - 1n : 2n ** bits - 1n;
          if (bits < 256n) assert.throws(() => typedDataHash(document((most + 1n).toString())), TypedDataError);
        },
      ),
    );
  });

  it("knows version 4's absent structs, and version 3 without arrays", () => {
    const types = {
      Node: [
        { name: "name", type: "string" },
        { name: "next", type: "Node" },
      ],
    };
    const list = { types, domain: {}, primaryType: "Node", message: { name: "a", next: { name: "b", next: null } } };
    assert.notDeepEqual(typedDataHash(list), typedDataHash({ ...list, message: { name: "a" } }));
    assert.throws(() => typedDataHash(list, "v3"), TypedDataError);
    assert.throws(() => typedDataHash(MAIL, "v3"), TypedDataError);
    let deep: object = { name: "x" };
    for (let i = 0; i < 10_000; i++) deep = { name: "x", next: deep };
    assert.throws(() => typedDataHash({ ...list, message: deep }), TypedDataError);
  });

  it("refuses what is no typed data", () => {
    const message = (changed: object) => ({ ...MAIL, message: { ...MAIL.message, ...changed } });
    const field = (type: string) => ({ ...MAIL, types: { Mail: [{ name: "from", type }] } });
    const bad = [
      ...[null, 1, [], {}, { ...MAIL, domain: null }, { ...MAIL, types: [] }, { ...MAIL, primaryType: "Nobody" }],
      ...[
        { ...MAIL, message: null },
        { ...MAIL, types: { ...MAIL.types, uint8: [] } },
        { ...MAIL, types: { Mail: 1 } },
      ],
      ...[message({ tag: "0x01" }), message({ body: "0x1" }), message({ urgent: 1 }), message({ to: [] })],
      ...[message({ from: [] }), message({ grid: [[1.5], [], []] }), message({ grid: [["0x"], [], []] })],
      ...[field("uint7"), field("uint264"), field("bytes33"), field("Mail[-1]"), field("Stranger"), field("Mail[")],
    ];
    for (const document of bad) assert.throws(() => typedDataHash(document), TypedDataError, JSON.stringify(document));
  });
});

describe("URLs of software wallets", () => {
  it("name a wallet and may carry its password", () => {
    assert.deepEqual(parseWalletUrl("soft://Cold_1?pairing=a%20b%26c"), { name: "cold_1", pairing: "a b&c" });
    assert.deepEqual(parseWalletUrl("soft://cold"), { name: "cold" });
    for (const url of ["", "soft://", "soft://../x", "soft://a/b", "soft://a.json", "pcsc://044fc7", "soft://a?x=1"]) {
      assert.equal(parseWalletUrl(url), undefined, url);
    }
    assert.equal(parseWalletUrl("soft://a?pairing=%zz"), undefined);
  });
});
