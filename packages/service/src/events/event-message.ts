/** A durable event as callers see it, in event streams and in webhooks alike. */
import type { SubmissionEventRecord } from "@cairn/aggregator";
import type { EventMessage } from "@cairn/api";

/** The message of an event. */
export function eventMessage(environment: string, event: SubmissionEventRecord): EventMessage {
  const { submission: s } = event;
  return {
    type: `submission.${event.state}`,
    timestamp: new Date(event.atMs).toISOString(),
    event_id: String(event.seq),
    environment,
    data: {
      id: s.id,
      state: event.state,
      chain_id: s.chainId,
      ...(s.blockNumber === undefined ? {} : { block_number: s.blockNumber }),
      ...(s.externalId === undefined ? {} : { external_id: s.externalId }),
      ...(s.error === undefined ? {} : { error: s.error }),
      ...(s.duplicateOf === undefined ? {} : { duplicate_of: s.duplicateOf }),
      status_url: `/v1/proofs/${s.id}`,
      receipt_url: `/v1/proofs/${s.id}/receipt`,
    },
  };
}
