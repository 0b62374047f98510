/**
 * For tests, in a thread of its own: cosmjs over WebSocket, again and again. Its sockets go on connecting after they were
 * told to disconnect, so that only the end of their thread ends them.
 */
import { parentPort, workerData } from "node:worker_threads";
import { connectComet } from "@cosmjs/tendermint-rpc";

/** What one round saw. */
export interface CosmjsRound {
  readonly network: string;
  readonly txs: readonly Uint8Array[];
  /** Heights of the headers it was told, in their order. */
  readonly heights: readonly number[];
}

async function round(url: string): Promise<CosmjsRound> {
  const client = await connectComet(url);
  const [status, { block }] = await Promise.all([client.status(), client.block(2)]);
  const heights: number[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const subscription = client.subscribeNewBlockHeader().subscribe({
    next: ({ height }) => {
      heights.push(height);
      if (heights.length === 3) resolve();
    },
    error: reject,
  });
  await promise;
  subscription.unsubscribe();
  client.disconnect();
  return { network: status.nodeInfo.network, txs: block.txs, heights: heights.slice(0, 3) };
}

const { url, rounds }: { url: string; rounds: number } = workerData;
for (let done = 0; done < rounds; done++) parentPort?.postMessage(await round(url));
