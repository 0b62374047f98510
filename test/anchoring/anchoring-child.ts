/**
 * A process that anchors what is settled in a real store, on a real regtest, and ends itself by SIGKILL at one named
 * instant. Its argument is JSON (`AnchoringOrder`). It writes a line to standard output for every step it made and,
 * before each broadcast, the bytes.
 */
import { writeSync } from "node:fs";
import { encodeHex } from "@cairn/bitcoin";
import {
  BitcoinRpcError,
  createAnchorWallet,
  createBitcoinRpc,
  createChainView,
  createKeySigner,
  findCoins,
} from "@cairn/bitcoin-node";
import { anchorerStep } from "../../packages/aggregator/src/anchorer.ts";
import { type AnchorPort, openThreadedStore, type Store } from "../../packages/aggregator/src/index.ts";
import { createAnchorPort } from "../../packages/service/src/ports/anchor-port.ts";

/** The instant: around which call, counted from the process's start. */
export interface KillPoint {
  readonly method: string;
  /** `during`: the call is made, and `delayMs` later the process is gone. */
  readonly phase: "before" | "during" | "after";
  readonly delayMs: number;
}

/** What the process is to do. */
export interface AnchoringOrder {
  readonly file: string;
  readonly url: string;
  readonly secret: string;
  readonly funding: readonly { readonly txid: string; readonly vout: number }[];
  readonly finalDepth: number;
  readonly bumpBlocks: number;
  /** Absent: it lives until it is killed. */
  readonly kill?: KillPoint;
}

const FEES = { targetBlocks: 6, fallbackRate: 2, capRate: 1_000, capSat: 1_000_000, runway: 3 };
const LOG = { debug() {}, info() {}, warn() {}, error() {} };
const say = (line: string): void => void writeSync(1, `${line}\n`);
const die = (): void => void process.kill(process.pid, "SIGKILL");

/** The same object, deadly at one of its methods. */
function deadly<T extends object>(target: T, kill: KillPoint | undefined): T {
  return new Proxy(target, {
    get: (object, name) => {
      const member: unknown = Reflect.get(object, name);
      if (typeof member !== "function" || kill === undefined || name !== kill.method) return member;
      return async (...args: unknown[]): Promise<unknown> => {
        if (kill.phase === "before") die();
        const answer: Promise<unknown> = member.apply(object, args);
        if (kill.phase === "after") return answer.finally(die);
        setTimeout(die, kill.delayMs);
        return answer.then(() => new Promise(() => {}));
      };
    },
  });
}

async function main(order: AnchoringOrder): Promise<never> {
  const { kill, finalDepth, bumpBlocks } = order;
  const store: Store = deadly(await openThreadedStore(order.file), kill);
  const rpc = createBitcoinRpc({ url: order.url });
  const wallet = createAnchorWallet({ privateKey: Buffer.from(order.secret, "hex"), network: "regtest" });
  const { address, scriptPubKey } = wallet;
  const port = createAnchorPort({
    nodes: [rpc],
    view: createChainView({ nodes: [rpc], network: "regtest", checkDepth: 1 }),
    signer: createKeySigner(wallet, FEES.capSat),
    network: "regtest",
    fees: FEES,
    coins: () => findCoins({ rpc, address, scriptPubKey, configured: order.funding }),
  });
  const deadlyPort = deadly(port, kill);
  const spoken: AnchorPort = {
    ...port,
    sign: (o) => deadlyPort.sign(o),
    bump: (o) => deadlyPort.bump(o),
    broadcast: (rawTx) => {
      say(`sent ${encodeHex(rawTx)}`);
      return deadlyPort.broadcast(rawTx);
    },
  };
  const policy = { anchorPeriodMs: 0, finalDepth, pollMs: 5, rebroadcastMs: 20, bumpBlocks };
  const watched = { onMoved: () => {}, onFinalLost: async () => {}, onFeeCapped: () => {}, onUnfunded: () => {} };
  const step = anchorerStep({ store, port: spoken, policy, clock: Date.now, log: LOG, ...watched });
  for (;;) {
    // A connection that the node just closed; the service's loop tries again as well.
    const { restMs } = await step().catch((error: unknown) => {
      if (error instanceof BitcoinRpcError && error.code === "unreachable") return { restMs: 0 };
      throw error;
    });
    say("step");
    await new Promise((resolve) => setTimeout(resolve, Math.min(restMs, 5)));
  }
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? "{}"));
