/** Routes of payment: quote, account, ledger, wallet; faucet and faults of the sandbox. */
import { z } from "zod";
import {
  accountSchema,
  faucetSchema,
  faultStateSchema,
  faultsSchema,
  ledgerSchema,
  quoteSchema,
  walletAnswerSchema,
  walletSchema,
} from "../payment-resource.ts";
import { proofSystems } from "../proof-system.ts";
import { route } from "../route.ts";
import { page } from "./parameters.ts";

const bodyErrors = [
  "malformed-json",
  "unauthorized",
  "forbidden",
  "body-too-large",
  "unsupported-media-type",
  "invalid-body",
] as const;

/** The routes. Keys name the operations. */
export const paymentRoutes = {
  getQuote: route({
    method: "GET",
    path: "/v1/quote",
    access: "token",
    scope: "account:read",
    summary: "The price of a submission, fixed until it expires.",
    parameters: [
      {
        in: "query",
        name: "system",
        summary: "Proof system, or `commitment`.",
        required: true,
        schema: z.enum(Object.keys(proofSystems)),
      },
      {
        in: "query",
        name: "curve",
        summary: `Its curve; \`${proofSystems.groth16[0]}\` when absent. A commitment has none.`,
        schema: z.enum(proofSystems.groth16),
      },
    ],
    responses: { 200: { summary: "The quote.", schema: quoteSchema } },
    errors: ["unauthorized", "forbidden", "invalid-query"],
  }),
  getAccount: route({
    method: "GET",
    path: "/v1/account",
    access: "token",
    scope: "account:read",
    summary: "The caller's account: wallet, balance, what is reserved, available and overdue, quota, usage.",
    responses: { 200: { summary: "The account.", schema: accountSchema } },
    errors: ["unauthorized", "forbidden", "unavailable"],
  }),
  listLedger: route({
    method: "GET",
    path: "/v1/account/ledger",
    access: "token",
    scope: "account:read",
    summary: "The wallet's ledger, newest first: every movement of money between two accounts.",
    parameters: page,
    responses: { 200: { summary: "A page; `Link` names the next.", schema: ledgerSchema } },
    errors: ["unauthorized", "forbidden", "invalid-query", "unavailable"],
  }),
  bindWallet: route({
    method: "POST",
    path: "/v1/account/wallet",
    access: "token",
    scope: "account:write",
    summary:
      "Bind the wallet that pays: the address alone answers what it is to sign, with nonce and signature it binds.",
    body: walletSchema,
    responses: { 200: { summary: "The challenge, or the bound wallet.", schema: walletAnswerSchema } },
    errors: [...bodyErrors, "wallet-conflict", "unavailable"],
  }),
  sandboxFaucet: route({
    method: "POST",
    path: "/v1/sandbox/faucet",
    access: "token",
    scope: "sandbox:debug",
    environment: "sandbox",
    summary: "Sandbox only: adds mock money to the account; overdue payments are covered first.",
    body: faucetSchema,
    responses: { 200: { summary: "The account.", schema: accountSchema } },
    errors: [...bodyErrors, "unavailable"],
  }),
  sandboxFaults: route({
    method: "POST",
    path: "/v1/sandbox/faults",
    access: "token",
    scope: "sandbox:debug",
    environment: "sandbox",
    summary: "Sandbox only: switches payment faults; an empty object shows them.",
    body: faultsSchema,
    responses: { 200: { summary: "The faults now.", schema: faultStateSchema } },
    errors: bodyErrors,
  }),
} as const;
