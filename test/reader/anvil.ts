/** foundry's anvil as a chain to read: mined by hand, reorganised by force. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createTestClient, type Hex, http, publicActions, walletActions } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { foundry } from "viem/chains";
import { ROOT } from "../../tools/stages.ts";
import { freePort } from "../e2e/free-port.ts";
import { until } from "../e2e/until.ts";
import { type Compiled, compile } from "../solidity.ts";

const ARCHES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
const BINARY = join(ROOT, `node_modules/@foundry-rs/anvil-${process.platform}-${ARCHES[process.arch]}/bin/anvil`);

/** Why its suites are skipped; false when it is here. */
export const withoutAnvil: string | false = existsSync(BINARY)
  ? false
  : "anvil is not installed for this platform (npm ci)";

function clientAt(url: string) {
  const account = mnemonicToAccount("test test test test test test test test test test test junk");
  const options = { chain: foundry, mode: "anvil", transport: http(url), account, pollingInterval: 20 } as const;
  return createTestClient(options).extend(publicActions).extend(walletActions);
}

export interface Anvil {
  readonly url: string;
  readonly client: ReturnType<typeof clientAt>;
  close(): Promise<void>;
}

/** Starts anvil without mining; chain id 31337. */
export async function startAnvil(): Promise<Anvil> {
  const port = await freePort();
  const child: ChildProcess = spawn(BINARY, ["--port", `${port}`, "--no-mining", "--silent"], { stdio: "ignore" });
  const gone = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  const client = clientAt(url);
  await until("anvil answers", () =>
    client.getBlockNumber().then(
      () => true,
      () => false,
    ),
  );
  return {
    url,
    client,
    close() {
      child.kill("SIGKILL");
      return gone;
    },
  };
}

/** Emits roots: one or several in a call, with a proof beside them, or a log of the same topic and another shape. */
export const ROOTS: Compiled = compile(`
contract Roots {
    event Rooted(uint256 indexed batch, bytes32 root, bytes proof);
    function publish(uint256 batch, bytes32 root, bytes calldata proof) external {
        emit Rooted(batch, root, proof);
    }
    function many(uint256 first, uint256 count) external {
        for (uint256 i = 0; i < count; i++) emit Rooted(first + i, keccak256(abi.encode(first + i)), "");
    }
    function misshapen() external {
        bytes32 topic = keccak256("Rooted(uint256,bytes32,bytes)");
        assembly {
            mstore(0, 7)
            log2(0, 31, topic, 1)
        }
    }
}`);

/** The event's signature, as a configuration has it. */
export const ROOTED = "Rooted(uint256 indexed batch, bytes32 root, bytes proof)";

/** Sends a call to a contract and mines it into the next block; the receipt's block number. */
export async function callMined(
  anvil: Anvil,
  address: Hex,
  functionName: string,
  args: readonly unknown[],
): Promise<bigint> {
  const hash = await anvil.client.writeContract({ address, abi: ROOTS.abi, functionName, args, gas: 3_000_000n });
  await anvil.client.mine({ blocks: 1 });
  const receipt = await anvil.client.getTransactionReceipt({ hash });
  if (receipt.status !== "success") throw new Error(`${functionName} failed`);
  return receipt.blockNumber;
}

/** Deploys the contract; its address. */
export async function deployRoots(anvil: Anvil): Promise<Hex> {
  const hash = await anvil.client.deployContract({ abi: ROOTS.abi, bytecode: ROOTS.bytecode, gas: 3_000_000n });
  await anvil.client.mine({ blocks: 1 });
  const { contractAddress } = await anvil.client.getTransactionReceipt({ hash });
  if (contractAddress === null || contractAddress === undefined) throw new Error("not deployed");
  return contractAddress;
}
