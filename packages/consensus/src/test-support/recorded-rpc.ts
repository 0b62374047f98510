/** The consensus RPC over the recorded chain, on a free port, for the tests of one suite. */
import { after, before } from "node:test";
import { type ConsensusRpc, createConsensusRpc } from "../rpc/server.ts";
import { openRecordedEngine } from "./recorded-engine.ts";
import { QUIET } from "./test-home.ts";

/** The engine, and the RPC once the suite's tests run. */
export interface RecordedRpc {
  readonly engine: ReturnType<typeof openRecordedEngine>;
  readonly rpc: ConsensusRpc;
}

/** Starts it before the tests of the enclosing suite and closes it after them. */
export function withRecordedRpc(): RecordedRpc {
  const engine = openRecordedEngine();
  let rpc: ConsensusRpc | undefined;
  before(async () => {
    rpc = await createConsensusRpc({ engine, host: "127.0.0.1", port: 0, log: QUIET });
  });
  after(async () => {
    await rpc?.close();
    engine.close();
  });
  return {
    engine,
    get rpc() {
      if (rpc === undefined) throw new Error("the suite has not begun");
      return rpc;
    },
  };
}
