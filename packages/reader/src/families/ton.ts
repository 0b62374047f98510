/** TON's masterchain over the HTTP API of toncenter and its kin: a block is known by its root hash. */
import type { FamilyRow } from "./family.ts";

/** The masterchain, and its only shard. */
const MASTERCHAIN = "workchain=-1&shard=-9223372036854775808";
const INFO = { transport: "get", method: "/api/v2/getMasterchainInfo", refusedAt: "/error" } as const;
const NEWEST = { ...INFO, at: "/result/last/seqno" } as const;

/** The row of TON. */
export const TON: FamilyRow = {
  name: "ton",
  title: "TON (masterchain, HTTP API v2)",
  methods: ["getBlockHeader", "lookupBlock"],
  head: NEWEST,
  tags: { finalized: NEWEST },
  block: {
    transport: "get",
    method: `/api/v2/getBlockHeader?${MASTERCHAIN}&seqno={decimal}`,
    refusedAt: "/error",
  },
  hash: "/result/id/root_hash",
  spelling: "base64",
  number: "/result/id/seqno",
  parent: "/result/prev_blocks/0/root_hash",
  identity: { genesis: { ...INFO, at: "/result/init/root_hash" } },
  missing: (error) => /NOTREADY|not found|not in db|cannot find block|not applied/i.test(error.said),
  hashRule: "as answered: the root hash of the masterchain's block; the key goes into header `x-api-key`",
};
