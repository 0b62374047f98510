/** A service in a process of its own that is paid by the real vault of a real node, and the wallet that pays. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createRegtest } from "@cairn/bitcoin-node";
import { InclusionVault } from "@cairn/contracts";
import { initNodeHome, type RunningNode } from "@cairn/node";
import { bytesToHex } from "@cairn/primitives";
import { type Abi, createPublicClient, createWalletClient, defineChain, getAddress, http, parseEventLogs } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { settlerAddress } from "../index.ts";
import { atEnd, serviceOptions, temporaryHome, testLog } from "./fixture.ts";
import { type KillableService, killableService } from "./killable-service.ts";
import { endpoints, KEYS, reopenNode } from "./node-fixture.ts";

/** Wei. */
export const CRN = 10n ** 18n;
/** Who charges. */
export const settler = settlerAddress(KEYS.settlerKey);
/** Who pays. */
export const wallet = privateKeyToAccount(generatePrivateKey());
const vault = { address: getAddress(InclusionVault.address), abi: InclusionVault.abi as Abi };

/** The vault, as its payer sees and moves it. */
export function clientsOf(node: RunningNode) {
  const transport = http(node.jsonRpcUrl);
  const chain = defineChain({
    id: 358587,
    name: "cairn",
    nativeCurrency: { name: "Cairn", symbol: "CRN", decimals: 18 },
    rpcUrls: { default: { http: [node.jsonRpcUrl] } },
  });
  const reader = createPublicClient({ chain, transport, pollingInterval: 100 });
  const writer = createWalletClient({ account: wallet, chain, transport });
  return {
    read: (functionName: string, args: readonly unknown[]) => reader.readContract({ ...vault, functionName, args }),
    balance: () => reader.getBalance({ address: vault.address }),
    charges: async () => {
      const logs = await reader.getLogs({ address: vault.address, fromBlock: 0n });
      return parseEventLogs({ abi: vault.abi, logs })
        .filter(({ eventName }) => eventName === "Charged")
        .map(({ args }) => args as unknown as Charge);
    },
    write: async (functionName: string, args: readonly unknown[], value = 0n): Promise<void> => {
      const hash = await writer.writeContract({ ...vault, functionName, args, value });
      const { status } = await reader.waitForTransactionReceipt({ hash });
      assert.equal(status, "success", functionName);
    },
  };
}

/** A `Charged` event. */
interface Charge {
  readonly amount: bigint;
}

/** A node whose vault pays back after a second, and a service over it that a test kills; its home. */
export async function payingService(t: TestContext, options: object, token: () => string) {
  const home = temporaryHome(t);
  const balances = { [settler]: 1_000n * CRN, [wallet.address]: 1_000n * CRN };
  await initNodeHome({ home, balances, withdrawalDelaySeconds: 1n });
  const node = await reopenNode(t, home);
  const regtest = await createRegtest({
    ...{ dir: join(home, "outside"), user: "operator", password: "secret", blockIntervalMs: 500, log: testLog },
  });
  atEnd(t, () => regtest.close());
  const { token: _, settlerKey: __, anchorKey: ___, log: ____, environment: _____, ...rest } = serviceOptions(home);
  const keys = { settlerKey: bytesToHex(KEYS.settlerKey), anchorKey: bytesToHex(KEYS.anchorKey) };
  const bitcoin = { kind: "rpc", network: "regtest", urls: [regtest.url], acceptRegtest: true };
  const service = await killableService(t, { ...rest, ...keys, ...endpoints(node), bitcoin, ...options }, token);
  return { home, service, chain: clientsOf(node) };
}

/** Balance, reservations and captures as the service tells its caller. */
export async function money(service: KillableService): Promise<Readonly<Record<string, string>>> {
  return (await service.get("/v1/account")).body.payment as Readonly<Record<string, string>>;
}

/** Binds the wallet to the caller's account. */
export async function bindWallet(service: KillableService): Promise<void> {
  const { body } = await service.post("/v1/account/wallet", { address: wallet.address });
  const { nonce, typed_data } = body.challenge as {
    nonce: string;
    typed_data: Parameters<typeof wallet.signTypedData>[0];
  };
  const signature = await wallet.signTypedData(typed_data);
  const bound = await service.post("/v1/account/wallet", { address: wallet.address, nonce, signature });
  assert.equal(bound.body.wallet, wallet.address.toLowerCase());
}
