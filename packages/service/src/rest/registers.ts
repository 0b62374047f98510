/** Public registers: batches and anchors. */
import type { AnchorList, BatchList } from "@cairn/api";
import type { RestContext, RestHandler } from "./context.ts";
import { linkNext } from "./next-page.ts";
import { once } from "./page-reads.ts";
import { anchorResource, batchResource } from "./present.ts";
import { ProblemError } from "./problem-error.ts";
import { pageQuery } from "./query.ts";

/** A page of batches, newest first. */
export function listBatches(context: RestContext): RestHandler {
  return async ({ http, reply }): Promise<BatchList> => {
    const page = pageQuery(context.cursors, "batches", http.query);
    const { store } = context.aggregator;
    const found = await store.batches({ ...page, limit: page.limit + 1 });
    const shown = found.slice(0, page.limit);
    const reads = { anchor: once(store.anchor) };
    const items = await Promise.all(shown.map((batch) => batchResource(reads, context.settlement.chainId, batch)));
    const last = found.length > page.limit ? shown.at(-1) : undefined;
    if (last === undefined) return { items };
    return { items, next_cursor: linkNext(http, reply, context.cursors.encode("batches", last.number)) };
  };
}

/** One batch by number. */
export function getBatch(context: RestContext): RestHandler {
  return async ({ params }) => {
    const text = params.number ?? "";
    const batch = /^[1-9][0-9]{0,14}$/.test(text) ? await context.aggregator.store.batch(Number(text)) : undefined;
    if (batch === undefined) throw new ProblemError("not-found", { detail: "no batch with this number" });
    return batchResource(context.aggregator.store, context.settlement.chainId, batch);
  };
}

/** A page of anchors, newest first. */
export function listAnchors(context: RestContext): RestHandler {
  return async ({ http, reply }): Promise<AnchorList> => {
    const page = pageQuery(context.cursors, "anchors", http.query);
    const { store } = context.aggregator;
    const found = await store.anchors({ ...page, limit: page.limit + 1 });
    const shown = found.slice(0, page.limit);
    const items = await Promise.all(shown.map((anchor) => anchorResource(store, anchor)));
    const last = found.length > page.limit ? shown.at(-1) : undefined;
    if (last === undefined) return { items };
    return { items, next_cursor: linkNext(http, reply, context.cursors.encode("anchors", last.sequence)) };
  };
}
