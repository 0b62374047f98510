/**
 * What a developer may do to a sandbox: fault switches around its ports, and batches and anchors without waiting for
 * their time. Owns the switches; the workers see only ports that fail and policies that hurry.
 */
import type { AggregatorPolicy, VerifierPort } from "@cairn/aggregator";
import type { SendAttempt } from "../webhooks/attempt.ts";

/** The switches, all off at the start of a process. */
export interface ServiceFaults {
  /** Each group of proofs is judged this much later. */
  verifierDelayMs: number;
  chainUnreachable: boolean;
  bitcoinUnreachable: boolean;
  webhooksFailing: boolean;
}

/** Switches and forced steps of one sandbox. */
export interface SandboxControls {
  readonly faults: ServiceFaults;
  /** While true, a batch closes or an anchor is made as soon as there is something for it. */
  readonly forced: { batch: boolean; anchor: boolean };
}

/** Everything off. */
export function createSandboxControls(): SandboxControls {
  return {
    faults: { verifierDelayMs: 0, chainUnreachable: false, bitcoinUnreachable: false, webhooksFailing: false },
    forced: { batch: false, anchor: false },
  };
}

/** A port behind a switch was asked. */
export class FaultSwitchError extends Error {
  override readonly name = "FaultSwitchError";
}

/** The port, whose named methods reject while `isDown`. */
export function switchable<T extends object>(port: T, names: readonly (keyof T)[], isDown: () => boolean): T {
  const guarded = names.map((name): [keyof T, unknown] => {
    const method = port[name] as (...args: unknown[]) => Promise<unknown>;
    return [
      name,
      async (...args: unknown[]) => {
        if (isDown()) throw new FaultSwitchError("switched off by a fault switch of the sandbox");
        return method.apply(port, args);
      },
    ];
  });
  return { ...port, ...Object.fromEntries(guarded) };
}

/** The verifier, slowed down while the switch says so. */
export function slowable(verifier: VerifierPort, faults: ServiceFaults): VerifierPort {
  return {
    ...verifier,
    verify: async (items) => {
      if (faults.verifierDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, faults.verifierDelayMs));
      return verifier.verify(items);
    },
  };
}

/** Sending that fails while the switch says so. */
export function failable(send: SendAttempt, faults: ServiceFaults): SendAttempt {
  return async (attempt, signal) =>
    faults.webhooksFailing ? { kind: "failed", error: "fault-switch" } : send(attempt, signal);
}

/** The policy, without pauses for what is forced. */
export function hurried(policy: AggregatorPolicy, { forced }: SandboxControls): AggregatorPolicy {
  return {
    ...policy,
    get batchIntervalMs() {
      return forced.batch ? 0 : policy.batchIntervalMs;
    },
    get anchorPeriodMs() {
      return forced.anchor ? 0 : policy.anchorPeriodMs;
    },
  };
}
