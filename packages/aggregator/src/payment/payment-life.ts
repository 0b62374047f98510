/**
 * Life of a submission's payment. Pure; the store moves rows by this table.
 *
 *   reserved --captured-->  captured    its batch is settled
 *   reserved --released-->  released    rejected, excluded, or a duplicate, which is not charged
 *   reserved --skipped-->   overdue     settled, but the vault took nothing
 *   overdue  --covered-->   captured
 *   released --reserved-->  reserved    submitted again, or a duplicate whose original was excluded
 */

/** State of a payment. */
export const PAYMENT_STATES = ["reserved", "captured", "released", "overdue"] as const;
/** State of a payment. */
export type PaymentState = (typeof PAYMENT_STATES)[number];
/** What can happen to a payment. */
export type PaymentEvent = "captured" | "released" | "skipped" | "covered" | "reserved";

const TABLE: Readonly<Record<PaymentState, Partial<Readonly<Record<PaymentEvent, PaymentState>>>>> = {
  reserved: { captured: "captured", released: "released", skipped: "overdue" },
  released: { reserved: "reserved" },
  overdue: { covered: "captured" },
  captured: {},
};

/** The state after an event; undefined when the event does not apply in this state (it was applied before). */
export function paymentStep(state: PaymentState, event: PaymentEvent): PaymentState | undefined {
  return TABLE[state][event];
}
