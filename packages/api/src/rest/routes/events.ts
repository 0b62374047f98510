/** Routes of what happens to submissions: the event stream. */
import { z } from "zod";
import { eventMessageSchema } from "../event-message.ts";
import { route } from "../route.ts";
import { EVENT_STREAM_CONTENT_TYPE } from "./content-types.ts";
import { chainText, scopeErrors } from "./parameters.ts";

const eventId = z.string().regex(/^(?:0|[1-9][0-9]{0,14})$/);

/** The routes. Keys name the operations. */
export const eventRoutes = {
  streamEvents: route({
    method: "GET",
    path: "/v1/events",
    access: "token",
    scope: "proofs:read",
    summary:
      "The caller's submissions as server-sent events, from now on or after the event named by `Last-Event-ID` or " +
      "`since`; none is lost, none comes twice. Ends when the key does.",
    parameters: [
      {
        in: "header",
        name: "Last-Event-ID",
        summary: "Id of the last event the caller has; wins over `since`.",
        schema: eventId,
      },
      { in: "query", name: "since", summary: "Id of an event; 0 for all there are.", schema: eventId },
      { in: "query", name: "state", summary: "Only these states, separated by commas." },
      { in: "query", name: "chain_id", summary: "Only of this chain.", schema: chainText },
    ],
    responses: {
      200: { summary: "`data` of each event.", contentType: EVENT_STREAM_CONTENT_TYPE, schema: eventMessageSchema },
    },
    errors: [...scopeErrors, "invalid-query", "invalid-header", "too-many-streams", "unavailable"],
  }),
} as const;
