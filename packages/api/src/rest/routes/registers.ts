/** Routes of the public registers: batches, anchors, the OpenTimestamps calendar. */
import { z } from "zod";
import { anchorListSchema, batchListSchema, batchSchema } from "../resource.ts";
import { route } from "../route.ts";
import { TIMESTAMP_CONTENT_TYPE } from "./content-types.ts";
import { page } from "./parameters.ts";

/** The routes. Keys name the operations. */
export const registerRoutes = {
  listBatches: route({
    method: "GET",
    path: "/v1/batches",
    access: "public",
    etag: true,
    summary: "Batches, newest first.",
    parameters: page,
    responses: { 200: { summary: "A page; `Link` names the next.", schema: batchListSchema } },
    errors: ["invalid-query"],
  }),
  getBatch: route({
    method: "GET",
    path: "/v1/batches/{number}",
    access: "public",
    etag: true,
    summary: "One batch.",
    parameters: [
      { in: "path", name: "number", summary: "Number of the batch, from 1.", required: true, schema: z.int().min(1) },
    ],
    responses: { 200: { summary: "The batch.", schema: batchSchema } },
    errors: ["not-found"],
  }),
  listAnchors: route({
    method: "GET",
    path: "/v1/anchors",
    access: "public",
    etag: true,
    summary: "Anchors, newest first: a chain of Bitcoin transactions.",
    parameters: page,
    responses: { 200: { summary: "A page; `Link` names the next.", schema: anchorListSchema } },
    errors: ["invalid-query"],
  }),
  timestamp: route({
    method: "GET",
    path: "/timestamp/{commitment}",
    access: "public",
    etag: true,
    summary: "OpenTimestamps calendar: the path from a batch or anchor commitment to Bitcoin.",
    parameters: [
      {
        in: "path",
        name: "commitment",
        summary: "32 bytes in hex.",
        required: true,
        schema: z.string().regex(/^(?:0x)?[0-9a-fA-F]{64}$/),
      },
    ],
    responses: { 200: { summary: "A serialized timestamp.", contentType: TIMESTAMP_CONTENT_TYPE } },
    errors: ["not-found"],
  }),
} as const;
