/** What the sandbox's reader follows: its own chain's blocks, and the roots of the demo rollup. */
import { DEMO_ROLLUP_ADDRESS, DEMO_ROLLUP_EVENT } from "@cairn/contracts";

/** Each tenth block of the sandbox's own chain is submitted. */
const EVERY = 10;

/** The chain under which the demo rollup's roots are submitted. */
export const DEMO_CHAIN = "cairn-demo";

/** The list of entries. */
export function sandboxEntries(chainId: number, url: string): readonly unknown[] {
  const demo = { from_block: 0, submit: DEMO_CHAIN, poll_ms: 500 };
  return [
    ["rpc", "cairn", chainId, url, "eth_getBlockByNumber", "", null, { every: EVERY }],
    ["contract", "demo", chainId, url, DEMO_ROLLUP_EVENT, DEMO_ROLLUP_ADDRESS, null, demo],
  ];
}
