/**
 * Owns the errors in the catalogue that are about running a message without a transaction: calls, estimates, access
 * lists, simulations.
 */

/** Errors of calls. */
export const callErrors = {
  reverted: {
    code: 3,
    text: "execution reverted{reason}",
    when: "The call reverted; `data` is the revert payload, also when empty.",
  },
  halted: { code: -32000, text: "{reason}", when: "Execution halted (out of gas, invalid opcode, …)." },
  "call-refused": {
    code: -32000,
    text: "{reason}",
    when: "A call could not start (funds, fee cap, intrinsic gas, …).",
  },
  "access-list-refused": {
    code: -32000,
    text: "failed to apply transaction: {reason}",
    when: "`eth_createAccessList` of a call that cannot start.",
  },
  "empty-simulation": { code: -32602, text: "empty input", when: "`eth_simulateV1` without blocks." },
  "empty-bundles": { code: -32602, text: "bundles are empty", when: "`eth_callMany` without bundles." },
  "too-many-calls": {
    code: -38026,
    text: "too many calls: at most {most}",
    when: "`eth_callMany` with more than 1000 calls in its bundles.",
  },
  "simulation-too-large": {
    code: -38026,
    text: "{fault}",
    when: "`eth_simulateV1` with more than 256 blocks, 5000 calls in a block or 10000 calls.",
  },
  "simulation-failed": {
    code: -32000,
    text: "{reason}",
    when: "`eth_simulateV1` stopped; the code is geth's: -38010 nonce too low, -38011 nonce too high, -38012 fee cap below the base fee, -38013 intrinsic gas, -38014 funds, -38015 block gas limit, -38020 block numbers, -38021 timestamps, -38025 init code size, -38026 too many blocks.",
  },
  "too-many-slots": { code: -38026, text: "too many slots (max {most})", when: "More than 1024 storage words asked." },
  "no-slots": { code: -32602, text: "empty request", when: "No storage word asked." },
  "gas-allowance": {
    code: -32000,
    text: "gas required exceeds allowance ({allowance})",
    when: "`eth_estimateGas`: more gas is needed than the sender can pay or a block holds.",
  },
  "both-fee-styles": {
    code: -32000,
    text: "both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified",
    when: "A call with both fee styles.",
  },
  "wrong-call-chain": {
    code: -32000,
    text: "chainId does not match node's (have={have}, want={want})",
    when: "A call object for another chain.",
  },
} as const;
