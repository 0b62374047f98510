/** How the reader's HTTP servers answer: JSON, problems, texts. */
import type { ServerResponse } from "node:http";

/** An RFC 9457 problem. */
export function problem(response: ServerResponse, status: number, code: string, detail: string): void {
  const body = { type: `urn:cairn:problem:${code}`, title: code.replaceAll("-", " "), status, detail, code };
  send(response, status, JSON.stringify(body), "application/problem+json");
}

/** A JSON answer. */
export function json(response: ServerResponse, status: number, body: object): void {
  send(response, status, JSON.stringify(body), "application/json");
}

/** Any answer. */
export function send(response: ServerResponse, status: number, body: string, type: string): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}
