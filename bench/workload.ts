/** What is put on every compared chain, the same on each: funded senders, two tokens, transfers, a block of 200. */
import { type Address, type Hex, type LocalAccount, parseGwei, toHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { until } from "../test/e2e/until.ts";
import { compile } from "../test/solidity.ts";
import { load, round } from "./load.ts";
import { cpuMicros, type Peer, rpc } from "./peers.ts";

const token = compile(`
contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);
    mapping(address => uint256) public balanceOf;
    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
    function mint(address to, uint256 value) external { balanceOf[to] += value; }
}`);

const RECIPIENT: Address = "0x000000000000000000000000000000000000dEaD";
const word = (value: string) => value.replace("0x", "").toLowerCase().padStart(64, "0");
export const balanceOf = (owner: Address): Hex => `0x70a08231${word(owner)}`;
export const transferData = `0xa9059cbb${word(RECIPIENT)}${word("1")}` as const;
const mint = (to: Address): Hex => `0x40c10f19${word(to)}${word("ffffffffff")}`;

/** Ten senders of the well-known mnemonic. */
export const senders: readonly LocalAccount[] = Array.from({ length: 10 }, (_, addressIndex) =>
  mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex }),
);

/** One chain with what the reads need. */
export interface Prepared {
  readonly peer: Peer;
  /** Transferred in many transactions. */
  readonly token: Address;
  /** Transferred in a few blocks only. */
  readonly sparse: Address;
}

interface Call {
  readonly to?: Address;
  readonly data?: (sender: Address) => Hex;
  readonly gas: bigint;
}

/** Signs `count` calls spread over the senders, from their present nonces on. */
async function sign(peer: Peer, count: number, { data, ...call }: Call): Promise<readonly Hex[]> {
  const counts = senders.map(({ address }) => rpc<Hex>(peer.url, "eth_getTransactionCount", address, "latest"));
  const nonces = (await Promise.all(counts)).map(Number);
  const raws: Hex[] = [];
  for (let i = 0; i < count; i += 1) {
    const at = i % senders.length;
    const account = senders[at];
    if (account?.signTransaction === undefined) throw new Error("the account cannot sign");
    const fees = { maxFeePerGas: parseGwei("900"), maxPriorityFeePerGas: parseGwei("1") };
    const nonce = (nonces[at] ?? 0) + Math.floor(i / senders.length);
    const input = data === undefined ? {} : { data: data(account.address) };
    const { chainId } = peer;
    raws.push(await account.signTransaction({ type: "eip1559", chainId, nonce, ...fees, ...call, ...input }));
  }
  return raws;
}

const included = async ({ url }: Peer): Promise<number> => {
  const counts = senders.map(({ address }) => rpc<Hex>(url, "eth_getTransactionCount", address, "latest"));
  return (await Promise.all(counts)).reduce((sum, count) => sum + Number(count), 0);
};

/** Sends what is signed in requests of `batch`, by 16 connections; resolves when all of it is in blocks. */
async function send(peer: Peer, raws: readonly Hex[], batch: number) {
  const bodies: string[] = [];
  for (let i = 0; i < raws.length; i += batch) {
    const slice = raws.slice(i, i + batch);
    const calls = slice.map((raw, id) => ({ jsonrpc: "2.0", id, method: "eth_sendRawTransaction", params: [raw] }));
    bodies.push(JSON.stringify(batch === 1 ? calls[0] : calls));
  }
  const before = await included(peer);
  const cpu = cpuMicros(peer.pid);
  const started = performance.now();
  const sent = await load({
    url: peer.url,
    connections: 16,
    body: (i) => bodies[i],
    accept: (status, body) => status === 200 && !body.includes('"error"'),
    maxSeconds: 120,
  });
  if (sent.failures > 0) throw new Error(`${peer.name} refused ${sent.failures} of ${bodies.length} requests`);
  const all = async () => (await included(peer)) - before >= raws.length;
  await until(`${peer.name} included all`, all, 120_000);
  const seconds = (performance.now() - started) / 1000;
  return {
    included_per_second: Math.round(raws.length / seconds),
    cpu_ms_per_1000: round((cpuMicros(peer.pid) - cpu) / raws.length),
  };
}

async function deploy(peer: Peer): Promise<Address> {
  const [raw] = await sign(peer, 1, { data: () => token.bytecode, gas: 1_000_000n });
  const hash = await rpc<Hex>(peer.url, "eth_sendRawTransaction", raw);
  const receipt = () =>
    rpc<{ contractAddress: Address } | null>(peer.url, "eth_getTransactionReceipt", hash).catch(() => null);
  await until("the token is deployed", async () => (await receipt()) !== null, 30_000);
  return (await receipt())?.contractAddress ?? RECIPIENT;
}

/** Funds the senders where the chain does not know them, deploys the tokens, gives every sender some. */
export async function prepare(peer: Peer): Promise<Prepared> {
  for (const { address } of senders) {
    const grant = { from: peer.funder, to: address, value: "0xd3c21bcecceda1000000" };
    if (peer.funder !== undefined) await rpc(peer.url, "eth_sendTransaction", grant);
  }
  const rich = async () => Number(await rpc<Hex>(peer.url, "eth_getBalance", senders.at(-1)?.address, "latest")) > 0;
  await until(`${peer.name} has funded the senders`, rich, 30_000);
  const [token, sparse] = [await deploy(peer), await deploy(peer)];
  for (const to of [token, sparse]) {
    await send(peer, await sign(peer, senders.length, { to, data: mint, gas: 400_000n }), 1);
  }
  return { peer, token, sparse };
}

/** A block of exactly `count` transfers of the token: sent in one request, again until no block boundary cuts them. */
export async function fullBlock({ peer, token: to }: Prepared, count: number): Promise<Hex> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await send(peer, await sign(peer, count, { to, data: () => transferData, gas: 400_000n }), count);
    const head = Number(await rpc<Hex>(peer.url, "eth_blockNumber"));
    for (let number = head; number > head - 5; number -= 1) {
      const block = await rpc<{ transactions: readonly Hex[] }>(peer.url, "eth_getBlockByNumber", toHex(number), false);
      if (block.transactions.length === count) return toHex(number);
    }
  }
  throw new Error(`${peer.name} put no ${count} transactions into one block`);
}

/** Sends one transfer of the sparse token in each of `count` blocks. */
export async function sprinkle({ peer, sparse: to }: Prepared, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    await send(peer, await sign(peer, 1, { to, data: () => transferData, gas: 400_000n }), 1);
  }
}

/** One transfer, included when it resolves: a block of its own where blocks come with transactions. */
export async function passBlock({ peer }: Prepared): Promise<void> {
  await send(peer, await sign(peer, 1, { to: RECIPIENT, gas: 21_000n }), 1);
}

/** Transfers of the coin and of the token: included per second and server time per 1,000. */
export async function measureTransfers({ peer, token: to }: Prepared, count: number): Promise<object> {
  const transfers = await send(peer, await sign(peer, count, { to: RECIPIENT, gas: 21_000n }), 1);
  const tokens = await send(peer, await sign(peer, count, { to, data: () => transferData, gas: 400_000n }), 1);
  return { transfers, tokens };
}
