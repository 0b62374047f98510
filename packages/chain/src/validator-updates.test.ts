import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { ValidatorRegistry } from "@cairn/contracts";
import { bytesToHex, ZERO_ADDRESS } from "@cairn/primitives";
import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { sandboxAccount, sign, startTestEngine, type TestEngine, VALIDATOR_KEY } from "./testing/test-engine.ts";

const abi = parseAbi(["function setValidator(bytes32 pubKey, uint64 power, address operator, address etherbase)"]);
const owner = sandboxAccount(0);
const OTHER_KEY: Hex = `0x${"44".repeat(32)}`;

async function started(t: TestContext): Promise<TestEngine> {
  const engine = await startTestEngine();
  t.after(() => engine.close());
  return engine;
}

/** Makes one block of `setValidator` calls and answers its updates as key and power. */
async function change(engine: TestEngine, from: typeof owner, ...powers: readonly (readonly [Hex, bigint])[]) {
  let nonce = Number(engine.chain.pool.pendingNonce(from.address));
  for (const [key, power] of powers) {
    const args = [key, power, from.address, ZERO_ADDRESS] as const;
    const data = encodeFunctionData({ abi, functionName: "setValidator", args });
    await engine.chain.submit(await sign(from, { nonce, to: ValidatorRegistry.address, data, gas: 300_000n }));
    nonce++;
  }
  const block = await engine.produce();
  assert.equal(block.txs.length, powers.length);
  return block.validatorUpdates.map((update) => [bytesToHex(update.pubKey), update.power]);
}

describe("validator updates", () => {
  it("follow the owner's changes of the registry", async (t) => {
    const engine = await started(t);
    assert.deepEqual(await change(engine, owner, [OTHER_KEY, 5n]), [[OTHER_KEY, 5n]]);
    assert.deepEqual(await change(engine, owner, [OTHER_KEY, 5n]), [], "no change");
    assert.deepEqual(
      await change(engine, owner, [OTHER_KEY, 9n], [OTHER_KEY, 7n]),
      [[OTHER_KEY, 7n]],
      "the last counts",
    );
    assert.deepEqual(await change(engine, owner, [VALIDATOR_KEY, 11n], [OTHER_KEY, 0n]), [
      [VALIDATOR_KEY, 11n],
      [OTHER_KEY, 0n],
    ]);
  });

  it("are none for strangers, unknown keys without power, impossible powers, or an empty set", async (t) => {
    const engine = await started(t);
    assert.deepEqual(await change(engine, sandboxAccount(1), [OTHER_KEY, 5n]), []);
    assert.deepEqual(await change(engine, owner, [OTHER_KEY, 0n]), []);
    assert.deepEqual(await change(engine, owner, [OTHER_KEY, (1n << 64n) - 1n]), []);
    assert.deepEqual(await change(engine, owner, [VALIDATOR_KEY, 0n]), []);
  });
});
