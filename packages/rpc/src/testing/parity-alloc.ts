/** For tests: contracts of a genesis, one for each thing that gas estimates and calls must get right. */
import type { GenesisAlloc } from "@cairn/chain";
import { type Hex, pad } from "viem";

const at = (n: number): Hex => `0x${"c0de".repeat(9)}${n.toString(16).padStart(4, "0")}`;
const push = (address: Hex): string => `73${address.slice(2)}`;

/** Addresses of the contracts. */
export const contracts = {
  /** Clears a set slot and sets another to zero: refunds. */
  refund: at(1),
  /** Hands all its gas but a 64th to `loop` and reverts when that is not enough. */
  deep: at(2),
  /** Reverts with ten bytes. */
  reverts: at(3),
  /** Counts down from 1000. */
  loop: at(4),
  /** Sends a wei to `logs` with nothing but the stipend. */
  stipend: at(5),
  /** The invalid instruction. */
  invalid: at(6),
  /** Reverts with less than 200,000 gas left. */
  greedy: at(7),
  /** Creates a contract. */
  creates: at(9),
  /** Adds on an empty stack. */
  underflow: at(10),
  /** Loops pushing nothing useful until its stack or gas ends. */
  endless: at(11),
  /** Jumps to nowhere. */
  badJump: at(12),
  /** Reverts with `Error(string)`. */
  reason: at(13),
  /** Reverts with `Panic(0x11)`. */
  panic: at(14),
  /** Answers who calls. */
  caller: at(15),
  /** Calls `refund` statically and answers whether it worked. */
  staticCall: at(16),
  /** Reverts with nothing. */
  silent: at(17),
  /** A log without topics and data. */
  logs: at(18),
} as const;

const ERROR_STRING =
  "0x7f08c379a0000000000000000000000000000000000000000000000000000000005f5260206004527f000000000000000000000000000000000000000000000000000000000000000260245260646000fd";
const PANIC = "0x7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd";

const CODE: Readonly<Record<keyof typeof contracts, Hex>> = {
  refund: "0x5f5f555f600155",
  deep: `0x5f5f5f5f5f${push(contracts.loop)}5af1602057005b5f5ffd`,
  reverts: "0x5f545f52600a6016fd",
  loop: "0x6103e85b6001900380600357005b00",
  stipend: `0x5f5f5f5f6001${push(contracts.logs)}5f5af100`,
  invalid: "0xfe",
  greedy: "0x62030d405a11600c575f5ffd5b00",
  creates: "0x60645f5ff05f5260205ff3",
  underflow: "0x01",
  endless: "0x5b5f5f56",
  badJump: "0x60ff56",
  reason: ERROR_STRING,
  panic: PANIC,
  caller: "0x335f5260205ff3",
  staticCall: `0x5f5f5f5f${push(contracts.refund)}5afa5f5260205ff3`,
  silent: "0x5f5ffd",
  logs: "0x5f5fa0",
};

/** The genesis accounts: the contracts with their code. */
export const parityAlloc: GenesisAlloc = Object.fromEntries(
  Object.entries(CODE).map(([name, code]) => {
    const address = contracts[name as keyof typeof contracts];
    const storage = { [pad("0x00")]: pad("0x01"), [pad("0x01")]: pad("0x02") };
    return [address, { balance: "0x0", code, ...(name === "refund" ? { storage } : {}) }];
  }),
);
