/** Routes for operation: status, health, metrics, the interface document. */
import { statusSchema } from "../resource.ts";
import { route } from "../route.ts";

/** The routes. Keys name the operations. */
export const operationRoutes = {
  status: route({
    method: "GET",
    path: "/v1/status",
    access: "token",
    summary: "Connectivity check: environment, chain, anchor, limits.",
    responses: { 200: { summary: "The service answers.", schema: statusSchema } },
    errors: ["unauthorized", "account-suspended"],
  }),
  healthz: route({
    method: "GET",
    path: "/healthz",
    access: "public",
    unlimited: true,
    summary: "The process is alive.",
    responses: { 200: { summary: "Alive.", contentType: "application/json" } },
    errors: [],
  }),
  readyz: route({
    method: "GET",
    path: "/readyz",
    access: "public",
    unlimited: true,
    summary: "Database writable, chain and Bitcoin node reachable.",
    responses: { 200: { summary: "Ready.", contentType: "application/json" } },
    errors: ["unavailable"],
  }),
  metrics: route({
    method: "GET",
    path: "/metrics",
    access: "public",
    unlimited: true,
    summary: "Prometheus metrics.",
    responses: { 200: { summary: "Text exposition format.", contentType: "text/plain" } },
    errors: [],
  }),
  docs: route({
    method: "GET",
    path: "/docs",
    access: "public",
    etag: true,
    summary: "This interface as a page to read and to try; needs nothing from elsewhere.",
    responses: { 200: { summary: "The page.", contentType: "text/html" } },
    errors: [],
  }),
  openapi: route({
    method: "GET",
    path: "/openapi.json",
    access: "public",
    etag: true,
    summary: "This interface as an OpenAPI 3.1 document.",
    responses: { 200: { summary: "OpenAPI 3.1.", contentType: "application/json" } },
    errors: [],
  }),
} as const;
