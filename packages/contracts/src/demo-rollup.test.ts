import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Abi,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  parseAbiItem,
  stringToBytes,
  toEventSelector,
} from "viem";
import { privateKeyToAddress } from "viem/accounts";
import {
  DEMO_DEPLOYER_SEED,
  DEMO_ROLLUP_ABI,
  DEMO_ROLLUP_ADDRESS,
  DEMO_ROLLUP_EVENT,
  encodePublishCall,
} from "./demo-rollup.ts";
import { toHex } from "./hex.ts";

test("the address is that of the deployer's first transaction", () => {
  const from = privateKeyToAddress(keccak256(stringToBytes(DEMO_DEPLOYER_SEED)));
  assert.equal(getContractAddress({ from, nonce: 0n }).toLowerCase(), DEMO_ROLLUP_ADDRESS);
});

test("call and event are those of the artifact", () => {
  const abi = DEMO_ROLLUP_ABI as Abi;
  const root = new Uint8Array(32).fill(7);
  const call = encodeFunctionData({ abi, functionName: "publish", args: [toHex(root)] });
  assert.equal(toHex(encodePublishCall(root)), call);
  const event = abi.find((item) => item.type === "event");
  assert.ok(event?.type === "event");
  assert.equal(toEventSelector(event), toEventSelector(parseAbiItem(`event ${DEMO_ROLLUP_EVENT}`)));
  assert.throws(() => encodePublishCall(new Uint8Array(31)), RangeError);
});
