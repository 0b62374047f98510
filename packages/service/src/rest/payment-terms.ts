/** Terms of a submission's payment as requests carry them, and refusals as problems. */
import type { PaymentTerms, SubmitOutcome } from "@cairn/aggregator";
import type { Payments, TermsFault } from "../payment/payments.ts";
import { ProblemError } from "./problem-error.ts";

/** Terms of a submission, undefined where nobody pays, or the problem; `pointer` leads to the body. */
export function paymentTerms(
  payments: Payments,
  o: {
    readonly account: string;
    readonly proofData: string;
    readonly quote: string | undefined;
    readonly pointer: string;
  },
): PaymentTerms | ProblemError | undefined {
  const terms = payments.terms(o.account, o);
  if (typeof terms === "string") return termsProblem(payments, terms, `${o.pointer}/quote`);
  const isRefusing = payments.mock?.faults().refuse_payment === true;
  if (!isRefusing || terms === undefined) return terms;
  return unpaid(payments, { code: "insufficient-balance", requiredWei: terms.priceWei, availableWei: 0n });
}

const QUOTE_DETAILS = {
  "quote-unknown": "is no quote of this service for this account",
  "quote-other-system": "is for another system than the proof's",
} as const;

function termsProblem(payments: Payments, fault: TermsFault, pointer: string): ProblemError {
  if (fault === "wallet-required") return new ProblemError("wallet-required", { extensions: places(payments) });
  if (fault === "quote-expired") return new ProblemError("quote-expired");
  const code = fault === "quote-unknown" ? "unknown-quote" : "other-system";
  return new ProblemError("invalid-body", { errors: [{ pointer, code, detail: QUOTE_DETAILS[fault] }] });
}

/** The problem of a submission that its payer cannot pay for. */
export function unpaid(
  payments: Payments,
  outcome: Pick<Extract<SubmitOutcome, { readonly requiredWei: bigint }>, "code" | "requiredWei" | "availableWei">,
): ProblemError {
  const required = outcome.requiredWei.toString();
  const available = outcome.availableWei.toString();
  return new ProblemError(outcome.code, { extensions: { required, available, ...places(payments) } });
}

function places({ place }: Payments) {
  const { vault, settler } = place;
  return { ...(vault === undefined ? {} : { vault }), ...(settler === undefined ? {} : { settler }) };
}
