/** Owns the table rows of `eth` that sign with accounts of the key store. */
import { address, data } from "../codecs.ts";
import { method, required } from "../method.ts";
import { results } from "../shapes.ts";
import { transactionDraft, transactionObject, typedData } from "../transaction-object.ts";

const SPEC = "chain-node: Eth, signing, sending, calling";
const REMOTE = "From loopback; from elsewhere with the token, unless json-rpc.allow-insecure-unlock.";
const signing = ["unauthorized", "unknown-account", "account-locked"] as const;

const typed = (summary: string) =>
  method({
    params: [required("address", address), required("data", typedData)],
    result: results.data,
    errors: signing,
    summary: `${summary} ${REMOTE}`,
    spec: "EIP-712",
  });

/** Signing and sending with unlocked accounts. */
export const ethSign = {
  eth_sign: method({
    params: [required("address", address), required("message", data)],
    result: results.data,
    errors: signing,
    summary: `Signs a personal message (EIP-191) with an unlocked account; v is 27 or 28. ${REMOTE}`,
    spec: SPEC,
  }),
  eth_signTypedData: typed("As eth_signTypedData_v4."),
  eth_signTypedData_v3: typed("As eth_signTypedData_v4, without arrays and absent structs."),
  eth_signTypedData_v4: typed("Signs typed structured data with an unlocked account."),
  eth_signTransaction: method({
    params: [required("transaction", transactionObject)],
    result: results.signedTransaction,
    errors: [...signing, "gas-not-specified", "fee-not-specified", "nonce-not-specified"],
    summary: `Signs a transaction with an unlocked account without sending it; gas, fees and nonce are required. ${REMOTE}`,
    spec: SPEC,
  }),
  eth_fillTransaction: method({
    params: [required("transaction", transactionDraft)],
    result: results.signedTransaction,
    errors: ["both-fee-styles", "wrong-call-chain", "creation-without-data", "gas-allowance", "reverted"],
    summary:
      "Completes a transaction with estimated gas, fees and the next nonce, and answers it unsigned: r, s and v are 0.",
    spec: "geth",
  }),
  eth_sendTransaction: method({
    params: [required("transaction", transactionObject)],
    result: results.hash,
    errors: [...signing, "both-fee-styles", "wrong-call-chain", "creation-without-data", "fee-cap"],
    summary: `Signs a transaction with an unlocked account and sends it. Filled in: gas 90000 (with json-rpc.estimate-gas an estimate), fees, value 0, the next nonce; a nonce that stands in the pool without fees replaces with fees 10 % higher. ${REMOTE}`,
    spec: SPEC,
  }),
};
