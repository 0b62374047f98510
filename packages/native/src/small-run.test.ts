/** Small runs: the same answers as on another thread, and nothing that could hold this one up. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Address, bytesToHex, type Hex, hexToBytes } from "@cairn/primitives";
import { encodeFunctionData, getContractAddress } from "viem";
import type { CallRequest } from "./boundary/call.ts";
import { compileProbe } from "./testing/probe.ts";
import { account, CRN, openTestChain, send, type TestChain } from "./testing/test-chain.ts";

const probe = compileProbe();
const [alice, bob] = [account(0), account(1)];
const made = (nonce: bigint): Address => getContractAddress({ from: alice.address, nonce });
const at = made(0n);
const callData = (functionName: string, args: unknown[] = []) =>
  hexToBytes(encodeFunctionData({ abi: probe.abi, functionName, args }));

/** Runtime codes that cost much with few instructions, and one that never ends. */
const COSTLY: Readonly<Record<string, Hex>> = {
  // JUMPDEST PUSH0 JUMP
  "an endless loop": "0x5b5f56",
  // keccak256(0, 2,000,000)
  "a long hash": "0x621e84805f2000",
  // mstore(2,000,000, 1), then one more instruction
  "a large memory": "0x6001621e848052595000",
  // staticcall(gas, 5 (modexp), 0, 96, 0, 0)
  "a costly precompile": "0x5f5f60605f60055afa00",
  // staticcall(gas, 1 (ecrecover), 0, 128, 0, 0)
  "a signature recovery": "0x5f5f60805f60015afa00",
  // create(0, 0, 0)
  "a creation": "0x5f5f5ff000",
  // returndata of 4 MB
  "a long return": "0x623d09005ff3",
};

let chain: TestChain;
let block: bigint;
before(async () => {
  chain = await openTestChain();
  const deployments = await Promise.all([
    send({ from: alice, nonce: 0, data: probe.bytecode }),
    ...Object.values(COSTLY).map((code, i) => send({ from: alice, nonce: i + 1, data: initCode(code) })),
  ]);
  await chain.mine(deployments);
  const nonce = deployments.length;
  await chain.mine([
    await send({ from: alice, nonce, to: at, data: bytesToHex(callData("set", [5n])) }),
    await send({ from: alice, nonce: nonce + 1, to: at, data: bytesToHex(callData("fill", [0n, 30n])) }),
  ]);
  block = chain.native.head().number;
});
after(() => chain.close());

/** Creation code that leaves `runtime`. */
function initCode(runtime: Hex): Hex {
  const length = (runtime.length - 2) / 2;
  return `0x60${length.toString(16).padStart(2, "0")}600a5f3960${length.toString(16).padStart(2, "0")}5ff3${runtime.slice(2)}`;
}

test("a small call or estimate answers what the large one answers", async () => {
  const requests: readonly CallRequest[] = [
    { to: at, data: callData("value"), block },
    { from: bob.address, to: at, data: callData("set", [6n]), block },
    { to: at, data: callData("environment"), block },
    { to: at, data: callData("fail"), block },
    { to: at, data: callData("refuse"), block },
    { to: at, data: callData("invalid"), block, gas: 100_000n },
    { to: at, data: callData("fill", [100n, 2n]), block, gas: 30_000n },
    { from: bob.address, to: alice.address, valueWei: 1n, block },
    { from: bob.address, to: alice.address, valueWei: 10n ** 9n * CRN, block },
    { to: at, data: callData("value"), block, gas: 20_000n },
    { to: at, data: callData("value"), block: 10_000n },
  ];
  for (const request of requests) {
    assert.deepEqual(chain.native.callSmall(request), await chain.native.call(request));
    assert.deepEqual(chain.native.estimateSmall(request), await chain.native.estimateGas(request));
  }
});

test("what costs more, or may, is left to another thread", () => {
  for (const [index, name] of Object.keys(COSTLY).entries()) {
    const request = { to: made(BigInt(index + 1)), block };
    assert.notEqual(chain.native.code(request.to, block)?.length ?? 0, 0, name);
    assert.equal(chain.native.callSmall(request), undefined, name);
    assert.equal(chain.native.estimateSmall(request), undefined, name);
  }
  assert.equal(chain.native.callSmall({ data: hexToBytes(probe.bytecode), block }), undefined);
  assert.equal(chain.native.callSmall({ to: at, data: new Uint8Array(10_000), block }), undefined);
  assert.equal(chain.native.callSmall({ to: at, data: callData("fill", [0n, 200n]), block }), undefined);
});

test("a log query of few rows is answered here, a wide one is not", async () => {
  const query = { fromBlock: 0n, toBlock: block, topics: [], maxResults: 100 };
  const ofProbe = { ...query, addresses: [at] };
  const found = await chain.native.logsJson(ofProbe);
  assert.deepEqual(chain.native.logsSmall(ofProbe), found);
  assert.ok(found.ok && JSON.parse(found.json).length === 1);
  assert.equal(chain.native.logsSmall({ ...query, addresses: [] }), undefined);
});
