/** `VaultPort` over the node's JSON-RPC, and what the vault charged in settlements. Owns reading logs; not the ledger. */
import type { PayerCharge, PlacedVaultEvent, VaultLog, VaultPort } from "@cairn/aggregator";
import { decodeVaultEvent, InclusionVault, VAULT_TOPICS, type VaultEvent } from "@cairn/contracts";
import { type Address, type Hash, type Hex, quantityToHex } from "@cairn/primitives";
import { createRpcCall, EndpointError, type RpcCall } from "./json-rpc-client.ts";
import { readArray, readCount, readHash, readHex, readObject } from "./rpc-shape.ts";

/** Makes the port; nothing is called before its methods are. */
export function createVaultPort(o: {
  readonly nodeRpcUrl: string;
  /** Whose permissions and charges are followed. */
  readonly settler: Address;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}): VaultPort {
  const call = createRpcCall({ url: o.nodeRpcUrl, timeoutMs: o.timeoutMs, signal: o.signal });
  return {
    vault: InclusionVault.address,
    head: async () => readCount(await call("eth_blockNumber", []), "eth_blockNumber"),
    logs: async (from, to) => {
      const placed = await vaultLogs(call, from, to, [Object.values(VAULT_TOPICS)]);
      return placed.flatMap(({ event, ...place }): PlacedVaultEvent[] => {
        const log = ledgerLog(event, o.settler);
        return log === undefined ? [] : [{ ...place, event: log }];
      });
    },
  };
}

/** What the vault did with the payers of this settler's batches in blocks `from` to `to`, by transaction. */
export async function ownCharges(
  call: RpcCall,
  settler: Address,
  from: number,
  to: number,
): Promise<ReadonlyMap<Hash, readonly PayerCharge[]>> {
  const topics = [[VAULT_TOPICS.charged, VAULT_TOPICS.shortfall], null, `0x${"00".repeat(12)}${settler.slice(2)}`];
  const charges = new Map<Hash, PayerCharge[]>();
  for (const { transactionHash, event } of await vaultLogs(call, from, to, topics)) {
    const charge = payerCharge(event);
    if (charge === undefined) continue;
    const known = charges.get(transactionHash);
    if (known === undefined) charges.set(transactionHash, [charge]);
    else known.push(charge);
  }
  return charges;
}

function payerCharge(event: VaultEvent): PayerCharge | undefined {
  if (event.name === "shortfall") return { payer: event.payer, amountWei: event.amountWei, charged: undefined };
  if (event.name !== "charged") return undefined;
  const { payer, amountWei, day, spentWei } = event;
  return { payer, amountWei, charged: { day, spentWei } };
}

type PlacedEvent = Omit<PlacedVaultEvent, "event"> & { readonly event: VaultEvent };

async function vaultLogs(call: RpcCall, from: number, to: number, topics: readonly unknown[]): Promise<PlacedEvent[]> {
  const range = { fromBlock: quantityToHex(from), toBlock: quantityToHex(to) };
  const filter = { ...range, address: InclusionVault.address, topics };
  const logs = readArray(await call("eth_getLogs", [filter]), "eth_getLogs");
  return logs.map((entry) => placedEvent(readObject(entry, "log")));
}

function placedEvent(log: Readonly<Record<string, unknown>>): PlacedEvent {
  const topics: readonly Hex[] = readArray(log.topics, "topics").map((topic) => readHash(topic, "topic"));
  const event = decodeVaultEvent({ topics, data: readHex(log.data, "data") });
  if (event === undefined) throw new EndpointError("a log of the vault that cannot be decoded");
  return {
    block: readCount(log.blockNumber, "blockNumber"),
    logIndex: readCount(log.logIndex, "logIndex"),
    transactionHash: readHash(log.transactionHash, "transactionHash"),
    event,
  };
}

/** What the ledger of one settler follows of an event; undefined: nothing. */
function ledgerLog(event: VaultEvent, settler: Address): VaultLog | undefined {
  if (event.name === "claimed") return undefined;
  const isOwn = "settler" in event && event.settler === settler;
  if (event.name === "charged") return { ...event, isOwn, number: Number(event.number) };
  if (event.name === "covered") return { ...event, isOwn };
  if (event.name === "shortfall") return isOwn ? { ...event, number: Number(event.number) } : undefined;
  return event.name === "allowed" && !isOwn ? undefined : event;
}
