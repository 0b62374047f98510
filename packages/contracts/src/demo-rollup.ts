/**
 * The sandbox's demo rollup: its code, its address, its one call and its one event. No predeploy: `cairn demo` deploys
 * it from an account whose key is public, so that its address is known before.
 */
import demoRollup from "../artifacts/DemoRollup.json" with { type: "json" };
import { join, WORD } from "./abi-word.ts";
import { fromHex, type Hex } from "./hex.ts";

/** Where the contract is once the deployer's first transaction (nonce 0) has created it. */
export const DEMO_ROLLUP_ADDRESS: Hex = "0x665f7db23c03add06d186055fc64336540f4aaca";

/** The deployer's key is keccak-256 of this text: everybody's, never to hold value on a chain that matters. */
export const DEMO_DEPLOYER_SEED = "cairn demo deployer";

/** The event that carries a root, as a reader's entry names it. */
export const DEMO_ROLLUP_EVENT = "RootPublished(uint256 indexed batch, bytes32 root)";

/** JSON ABI. */
export const DEMO_ROLLUP_ABI: readonly unknown[] = demoRollup.abi;

/** First four bytes of keccak-256 of `publish(bytes32)`. */
const PUBLISH = fromHex("0x8b2e6dcf");

/** Call data of `publish(root)`; 32 bytes. Throws RangeError. */
export function encodePublishCall(root: Uint8Array): Uint8Array {
  if (root.length !== WORD) throw new RangeError("a root has 32 bytes");
  return join([PUBLISH, root]);
}

/** Code that creates the contract: it copies what follows into memory and returns it; there is no constructor. */
export function demoRollupCreationCode(): Uint8Array {
  const runtime = fromHex(demoRollup.runtimeBytecode);
  // PUSH2 length, DUP1, PUSH1 10, RETURNDATASIZE (0), CODECOPY, RETURNDATASIZE (0), RETURN
  const copy = fromHex(`0x61${runtime.length.toString(16).padStart(4, "0")}80600a3d393df3`);
  return join([copy, runtime]);
}
