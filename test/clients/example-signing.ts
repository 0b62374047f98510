/** The example calls of the methods that sign, of `personal` and of `miner`, in an order in which each can be made. */
import type { Hex } from "viem";
import { OTHER } from "./live-node.ts";

/** A method and its parameters; `$` stands for the answer of the call before. */
export type SigningCall = readonly [method: string, ...params: unknown[]];

const PASSWORD = "correct horse";
const MESSAGE = "0x68656c6c6f";
const TYPED_DATA = {
  types: { Mail: [{ name: "to", type: "address" }] },
  primaryType: "Mail",
  domain: { name: "Example", version: "1" },
  message: { to: OTHER },
};

/** Calls with a funded account of which the node has no key yet. */
export function signingCalls(account: Hex, key: Hex): readonly SigningCall[] {
  const transaction = { from: account, to: OTHER, value: "0x1" };
  const complete = { ...transaction, gas: "0x5208", gasPrice: "0x77359400", nonce: "0x64" };
  return [
    ["personal_importRawKey", key.slice(2), PASSWORD],
    ["personal_listAccounts"],
    ["personal_unlockAccount", account, PASSWORD, 300],
    ["eth_sign", account, MESSAGE],
    ["eth_signTypedData", account, TYPED_DATA],
    ["eth_signTypedData_v3", account, TYPED_DATA],
    ["eth_signTypedData_v4", account, TYPED_DATA],
    ["eth_fillTransaction", transaction],
    ["eth_signTransaction", complete],
    ["eth_sendTransaction", transaction],
    ["personal_lockAccount", account],
    ["personal_sign", MESSAGE, account, PASSWORD],
    ["personal_ecRecover", MESSAGE, "$"],
    ["personal_signTransaction", complete, PASSWORD],
    ["personal_sendTransaction", transaction, PASSWORD],
    ["personal_signAndSendTransaction", transaction, PASSWORD],
    ["personal_newAccount", PASSWORD],
    ["personal_initializeWallet", "soft://example?pairing=secret"],
    ["personal_listWallets"],
    ["personal_unpair", "soft://example", "secret"],
    ["personal_openWallet", "soft://example?pairing=secret"],
    ["miner_getHashrate"],
    ["miner_setExtra", "0x"],
    ["miner_start", "0x1"],
    ["miner_stop"],
    ["miner_setGasLimit", "0x5f5e100"],
    ["miner_setGasPrice", "0x0"],
    ["miner_setEtherbase", OTHER],
  ];
}
