import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EthGenesis } from "./eth-genesis.ts";
import { GenesisError, parseGenesis, sameGenesis, validateGenesis } from "./genesis-parse.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;
const WORD = `0x${"01".repeat(32)}`;

const valid = {
  chainId: 358_587,
  timestamp: 1_700_000_000,
  gasLimit: 100_000_000,
  baseFeePerGas: "0x3b9aca00",
  minBaseFee: "0x0",
  allowUnprotectedTxs: false,
  alloc: { [ADDRESS]: { balance: "0x1", nonce: 1, code: "0x60", storage: { [WORD]: WORD } } },
};

function faultField(document: unknown): string {
  try {
    validateGenesis(document);
  } catch (error) {
    assert.ok(error instanceof GenesisError);
    assert.equal(error.code, "invalid-genesis");
    return error.field;
  }
  return assert.fail("expected a GenesisError");
}

describe("genesis", () => {
  it("reads what is valid", () => {
    assert.deepEqual(parseGenesis(JSON.stringify(valid)), valid);
  });

  it("names the field that is wrong", () => {
    const account = (change: object) => ({ ...valid, alloc: { [ADDRESS]: { balance: "0x1", ...change } } });
    const cases: readonly (readonly [unknown, string])[] = [
      [[], ""],
      [{ ...valid, chainId: "358587" }, "chainId"],
      [{ ...valid, chainId: 0 }, "chainId"],
      [{ ...valid, timestamp: -1 }, "timestamp"],
      [{ ...valid, gasLimit: 1.5 }, "gasLimit"],
      [{ ...valid, baseFeePerGas: "0x01" }, "baseFeePerGas"],
      [{ ...valid, minBaseFee: "7" }, "minBaseFee"],
      [{ ...valid, allowUnprotectedTxs: 1 }, "allowUnprotectedTxs"],
      [{ ...valid, alloc: [] }, "alloc"],
      [{ ...valid, coinbase: "0x" }, "coinbase"],
      [{ ...valid, alloc: { "0x12": { balance: "0x0" } } }, "alloc.0x12"],
      [account({ balance: "1" }), `alloc.${ADDRESS}.balance`],
      [account({ nonce: -1 }), `alloc.${ADDRESS}.nonce`],
      [account({ code: "0x123" }), `alloc.${ADDRESS}.code`],
      [account({ storage: { "0x1": WORD } }), `alloc.${ADDRESS}.storage.0x1`],
      [account({ storage: { [WORD]: "0x1" } }), `alloc.${ADDRESS}.storage.${WORD}`],
      [account({ extra: 1 }), `alloc.${ADDRESS}.extra`],
    ];
    for (const [document, field] of cases) assert.equal(faultField(document), field);
  });

  it("refuses an address that stands twice in two spellings", () => {
    const upper = `0x${"AB".repeat(20)}`;
    const alloc = { [ADDRESS]: { balance: "0x1" }, [upper]: { balance: "0x2" } };
    assert.equal(faultField({ ...valid, alloc }), `alloc.${upper}`);
  });

  it("is no JSON, said without its content", () => {
    assert.throws(
      () => parseGenesis("{secret"),
      (error) => error instanceof GenesisError && !error.message.includes("secret"),
    );
  });

  it("compares by meaning", () => {
    const genesis = validateGenesis(valid);
    const reordered: EthGenesis = { ...genesis, alloc: { ...genesis.alloc }, baseFeePerGas: "0x3B9ACA00" };
    assert.ok(sameGenesis(genesis, reordered));
    assert.ok(!sameGenesis(genesis, { ...genesis, chainId: 1 }));
    assert.ok(!sameGenesis(genesis, { ...genesis, alloc: {} }));
  });
});
