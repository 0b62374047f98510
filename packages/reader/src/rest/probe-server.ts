/** Health and metrics of mode TEST, while it tries the entries: what each endpoint gave so far. */
import { parseAddress } from "../config/config.ts";
import type { Log } from "../log.ts";
import type { ProbeRow } from "../operations/probe.ts";
import { json, problem, send } from "./answers.ts";
import { listenHttp, type RestServer } from "./listen.ts";
import { type Family, gauge, renderFamily } from "./metric-text.ts";

const FAMILIES: readonly Family<ProbeRow>[] = [
  gauge("test_ok", "1 when the endpoint could be read, else 0.", ({ ok }) => (ok ? 1 : 0)),
  gauge("test_head", "Newest height of the chain.", ({ head }) => head),
  gauge("test_finality_lag_blocks", "Heights between head and what may be taken.", ({ finalityLag }) => finalityLag),
  gauge("test_latency_seconds", "How long trying it took.", ({ latencyMs }) => latencyMs / 1000),
];

/** Listens on `host:port`; `rows` tells what has been tried. Throws ReaderListenError, ReaderConfigError. */
export function startProbeServer(address: string, rows: () => readonly ProbeRow[], log: Log): Promise<RestServer> {
  const handle = async (request: { readonly url?: string | undefined }, response: Parameters<typeof json>[0]) => {
    if (request.url === "/healthz") json(response, 200, { status: "ok", mode: "TEST", tried: rows().length });
    else if (request.url === "/metrics") send(response, 200, render(rows()), "text/plain; version=0.0.4");
    else problem(response, 404, "not-found", "health and metrics only");
  };
  return listenHttp(parseAddress(address, "metrics_address"), handle, log);
}

function render(rows: readonly ProbeRow[]): string {
  const labels = ({ entry, kind, endpoint }: ProbeRow) => ({ chain: entry, kind, endpoint });
  return FAMILIES.map((family) => renderFamily(family, rows, labels)).join("");
}
