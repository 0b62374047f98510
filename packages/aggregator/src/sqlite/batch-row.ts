/** A row of `batches` as a `Batch`. */
import type { Batch } from "../batch-store.ts";
import { hex, integer, oneOf, optional, text } from "./columns.ts";
import type { Row } from "./database.ts";

/** Reads a whole row of `batches`. */
export function readBatch(row: Row): Batch {
  const sequence = optional(row, "anchor_sequence", integer);
  return {
    number: integer(row, "number"),
    state: oneOf(row, "state", ["batched", "settled", "anchored", "final"]),
    size: integer(row, "size"),
    bytes: integer(row, "bytes"),
    closedAtMs: integer(row, "closed_at"),
    settlement: readSettlement(row),
    anchor: sequence === undefined ? undefined : { sequence, index: integer(row, "anchor_index") },
  };
}

function readSettlement(row: Row): Batch["settlement"] {
  if (row.commitment === null || row.commitment === undefined) return undefined;
  return {
    root: hex(row, "root"),
    header: hex(row, "header"),
    commitment: hex(row, "commitment"),
    previous: hex(row, "previous"),
    verified: integer(row, "verified"),
    commitments: integer(row, "commitments"),
    excluded: JSON.parse(text(row, "excluded")),
    transactionHash: hex(row, "transaction_hash"),
    block: integer(row, "block"),
    settledAtMs: integer(row, "settled_at"),
  };
}
