/** Payment's parts: price plans, quotes, challenges, and the vault or the sandbox's mock money. */
import { randomBytes } from "node:crypto";
import { type Database, type PaymentParts, type SettlementPort, STANDARD_PLAN, type Store } from "@cairn/aggregator";
import { InclusionVault } from "@cairn/contracts";
import type { Accounts } from "../accounts/accounts.ts";
import { ownSecret } from "../delivery/secret.ts";
import type { ServiceOptions } from "../options.ts";
import { createMockMoney, type MockMoney } from "../payment/mock-money.ts";
import { createPayments, type PaymentPlace, type Payments, STANDARD } from "../payment/payments.ts";
import { createQuotes } from "../payment/quotes.ts";
import { createWalletChallenges } from "../payment/wallet-challenge.ts";
import { createVaultPort } from "../ports/vault-port.ts";

const RPC_TIMEOUT_MS = 10_000;

/** What payment stands on. */
export interface PaymentFoundations {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly delivery: Database;
  readonly settlement: SettlementPort;
  /** Ends calls in progress. */
  readonly signal: AbortSignal;
}

/** Makes the service's payment. */
export function openPayments(o: ServiceOptions, f: PaymentFoundations): Payments {
  const plans = { [STANDARD]: STANDARD_PLAN, ...o.pricePlans };
  const place = placeOf(o, f.settlement);
  const onFailure = (error: unknown): void => o.log.warn({ error: String(error) }, "mock money could not be deposited");
  const mock =
    place.mode === "mock" ? createMockMoney({ ledger: () => f.store, clock: Date.now, onFailure }) : undefined;
  const { environment } = o;
  return createPayments({
    ...{ place, plans, mock },
    standard: plans[STANDARD] ?? STANDARD_PLAN,
    accounts: f.accounts,
    quotes: createQuotes(ownSecret(f.delivery, "quote-key")),
    challenges: createWalletChallenges({
      environment,
      chainId: f.settlement.chainId,
      randomNonce: () => randomBytes(32),
    }),
    parts: partsOf(o, f, plans, mock),
    clock: Date.now,
  });
}

function placeOf(o: ServiceOptions, settlement: SettlementPort): PaymentPlace {
  const mode = o.payment ?? "mock";
  if (mode !== "vault") return { mode, vault: undefined, settler: undefined };
  return { mode, vault: InclusionVault.address, settler: settlement.submitter };
}

function partsOf(
  o: ServiceOptions,
  { settlement, signal }: PaymentFoundations,
  plans: PaymentParts["plans"],
  mock: MockMoney | undefined,
): PaymentParts | undefined {
  if (mock !== undefined) return { plans, mockShort: mock.takeShort };
  if (o.payment !== "vault") return undefined;
  const { nodeRpcUrl } = o;
  const settler = settlement.submitter;
  return { plans, vault: createVaultPort({ nodeRpcUrl, settler, timeoutMs: RPC_TIMEOUT_MS, signal }) };
}
