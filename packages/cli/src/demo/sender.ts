/** Sending transactions to a sandbox's chain over its JSON-RPC: one after the other, each waited for. */
import { keyAddress, signTransaction } from "@cairn/keystore";
import { type Address, bytesToHex, parseQuantity } from "@cairn/primitives";
import { CommandError } from "../exit-code.ts";

/** A transaction in a block. */
export interface Mined {
  readonly hash: string;
  readonly blockNumber: bigint;
}

/** What a transaction does. */
export interface Call {
  /** Null: contract creation. */
  readonly to: Address | null;
  readonly data: Uint8Array;
  readonly valueWei: bigint;
  readonly gasLimit: bigint;
}

/** A chain to read and to send to. */
export interface ChainSender {
  code(address: Address): Promise<string>;
  balance(address: Address): Promise<bigint>;
  /** Signs, sends and waits until it is in a block. Throws CommandError when it failed there. */
  send(key: Uint8Array, call: Call): Promise<Mined>;
}

const PATIENCE_MS = 30_000;
const POLL_MS = 100;
const TIP_WEI = 1_000_000_000n;

/** A sender on a JSON-RPC endpoint. */
export function createChainSender(url: string): ChainSender {
  async function call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(url, { method: "POST", headers, body, signal }).catch(() => {
      throw new CommandError("the sandbox's chain does not answer: is the sandbox running?");
    });
    const reply = (await response.json()) as {
      readonly result?: unknown;
      readonly error?: { readonly message: string };
    };
    if (reply.error !== undefined) throw new CommandError(`the chain refused ${method}: ${reply.error.message}`);
    return reply.result;
  }
  const quantity = async (method: string, ...params: readonly unknown[]) =>
    parseQuantity(String(await call(method, ...params)));

  async function mined(hash: string): Promise<Mined> {
    const deadline = performance.now() + PATIENCE_MS;
    while (performance.now() < deadline) {
      const receipt = (await call("eth_getTransactionReceipt", hash)) as {
        readonly status: string;
        readonly blockNumber: string;
      } | null;
      if (receipt?.status === "0x1") return { hash, blockNumber: parseQuantity(receipt.blockNumber) };
      if (receipt !== null) throw new CommandError(`transaction ${hash} failed`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new CommandError(`transaction ${hash} is in no block after ${PATIENCE_MS / 1000} s`);
  }

  return {
    code: async (address) => String(await call("eth_getCode", address, "latest")),
    balance: (address) => quantity("eth_getBalance", address, "latest"),
    async send(key, { to, data, valueWei, gasLimit }) {
      const nonce = await quantity("eth_getTransactionCount", keyAddress(key), "pending");
      const gasPriceWei = (await quantity("eth_gasPrice")) * 2n;
      const { raw } = signTransaction(key, {
        type: 2,
        chainId: await quantity("eth_chainId"),
        nonce,
        gasLimit,
        to,
        valueWei,
        data,
        maxFeePerGasWei: gasPriceWei + TIP_WEI,
        maxPriorityFeePerGasWei: TIP_WEI,
        accessList: [],
      });
      return mined(String(await call("eth_sendRawTransaction", bytesToHex(raw))));
    },
  };
}
