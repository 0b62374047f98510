/** What REST handlers are given. */
import type { Aggregator, AnchorPort, Log, SettlementPort, VerifierPort } from "@cairn/aggregator";
import type { Environment, RestOperation } from "@cairn/api";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Accounts } from "../accounts/accounts.ts";
import type { Caller } from "../accounts/caller.ts";
import type { NameClaim } from "../accounts/claim-names.ts";
import type { AlarmWatch } from "../alarms/alarm-watch.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { StreamCounts } from "../events/stream-counts.ts";
import type { Payments } from "../payment/payments.ts";
import type { BitcoinSide } from "../ports/bitcoin.ts";
import type { KeyPort } from "../ports/verifier-port.ts";
import type { SandboxControls } from "../sandbox/controls.ts";
import type { RequestLog } from "../sandbox/request-log.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { Cursors } from "./cursor.ts";
import type { Places } from "./places.ts";

/** Everything behind the routes. */
export interface RestContext {
  readonly aggregator: Aggregator;
  readonly alarms: Pick<AlarmWatch, "list" | "runway">;
  readonly accounts: Accounts;
  readonly nameClaim: NameClaim;
  readonly verifier: VerifierPort;
  readonly keys: KeyPort;
  readonly settlement: SettlementPort;
  readonly anchoring: AnchorPort;
  readonly cursors: Cursors;
  readonly payments: Payments;
  readonly events: EventFeed;
  readonly webhooks: Webhooks;
  /** Only in a sandbox. */
  readonly controls: SandboxControls | undefined;
  /** Only in a sandbox. */
  readonly requestLog: RequestLog | undefined;
  /** The embedded Bitcoin node, where there is one. */
  readonly regtest: BitcoinSide["regtest"];
  readonly streamPlaces: Places;
  readonly streamCounts: StreamCounts;
  /** Of long polls. */
  readonly waitPlaces: Places;
  /** An event stream that has nothing to tell says so this often. */
  readonly heartbeatMs: number;
  readonly environment: Environment;
  readonly version: string;
  readonly submissionsPerMinute: number;
  readonly submissionsBurst: number;
  readonly anchorPeriodMs: number;
  readonly finalDepth: number;
  /** Ends long polls when the service closes. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** A request with its caller; the account is empty on public routes. */
export interface RestRequest {
  readonly http: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  /** Names this request, its key and its content, where it may be repeated: 32 bytes. */
  readonly requestName: Uint8Array | undefined;
  /** Is the caller's key still good for this route? */
  stillAllowed(): boolean;
  /** Takes up to so many further submissions from the caller's rate; answers how many there were. */
  takeRate(wanted: number): number;
  /** Aborts when the caller's key ends, the connection is gone or the service closes: for what lasts. */
  whileLive(): AbortSignal;
}

/** Answers a request: a value for JSON, text or bytes with a content type set on the reply. */
export type RestHandler = (request: RestRequest) => Promise<unknown>;

/** Every operation of the route table has its handler. */
export type RestHandlers = Readonly<Record<RestOperation, RestHandler>>;
