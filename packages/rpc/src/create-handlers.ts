/** Owns putting the handlers of all namespaces together over one chain. */
import type { methodTables, NamespaceHandlers } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { debugHandlers } from "./debug.ts";
import { ethBlockHandlers } from "./eth-blocks.ts";
import { createTipOracle } from "./eth-fees.ts";
import { ethFilterHandlers } from "./eth-filters.ts";
import { ethSignHandlers } from "./eth-sign.ts";
import { ethSimulationHandlers } from "./eth-simulation.ts";
import { ethStateHandlers } from "./eth-state.ts";
import { minerHandlers } from "./miner.ts";
import { netHandlers, rpcHandlers, web3Handlers } from "./node-info.ts";
import { type RpcOptions, withDefaults } from "./options.ts";
import { otsHandlers } from "./ots.ts";
import { personalHandlers } from "./personal.ts";
import { withReadLanes } from "./read-lanes.ts";
import { createSender } from "./sender.ts";
import { createSubscriptions } from "./subscriptions.ts";
import { traceHandlers } from "./trace.ts";
import { txpoolHandlers } from "./txpool.ts";

/** The handlers for `createDispatcher`, with the subscriptions behind them. */
export type RpcHandlers = NamespaceHandlers<typeof methodTables> & {
  /** Ends all subscriptions and leaves the chain's feeds. */
  close(): void;
};

/** Handlers of every served method over a chain. */
export function createHandlers(openChain: Chain, options: RpcOptions): RpcHandlers {
  const settings = withDefaults(options);
  const pending = () => openChain.pending(settings.consensusAddress);
  const chain = withReadLanes({ ...openChain, pending });
  const subscriptions = createSubscriptions(openChain, {
    cap: settings.subscriptionsCap,
    totalCap: settings.subscriptionsTotalCap,
    syncing: settings.syncing,
  });
  const suggestTip = createTipOracle(chain);
  const sender = createSender(chain, settings, suggestTip);
  const debug = debugHandlers(chain, settings);
  return {
    eth: {
      ...ethStateHandlers(chain, settings, suggestTip),
      ...ethSignHandlers(settings, sender),
      ...ethSimulationHandlers(chain, settings),
      ...ethBlockHandlers(chain, settings),
      ...ethFilterHandlers(chain, settings, subscriptions),
    },
    web3: web3Handlers(settings),
    net: netHandlers(chain, settings),
    rpc: rpcHandlers(settings),
    txpool: txpoolHandlers(chain),
    debug,
    personal: personalHandlers(settings.keystore, sender),
    miner: minerHandlers(openChain, settings, sender),
    trace: traceHandlers(chain),
    ots: otsHandlers(chain),
    close() {
      subscriptions.close();
      debug.close();
    },
  };
}
