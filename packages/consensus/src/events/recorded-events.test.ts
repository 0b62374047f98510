/** Pushed events byte for byte as a real node sent them for the same blocks, but for the random order of `events`. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { blockIdFromJson, parseRfc3339, upperHexToBytes } from "@cairn/comet";
import { readRecording, recordedBlocks } from "../test-support/recorded-engine.ts";
import { blockEvents } from "./block-events.ts";
import type { Published } from "./published.ts";
import { precommitSigned, proposalCompleted, roundStarted } from "./step-events.ts";

interface Recorded {
  name: string;
  response: { frames: string[] };
}

/** Pushes of one kind, split into the text of `data` and the parsed `events`. */
function recordedPushes(kind: string): { data: string; events: unknown; text: string }[] {
  const found = readRecording<Recorded>("events.jsonl").find(({ name }) => name === `event/${kind}`);
  return (found?.response.frames.slice(1) ?? []).map((text) => {
    const at = text.lastIndexOf(',"events":{');
    const { events } = JSON.parse(text).result;
    return { data: text.slice(text.indexOf('"data":'), at), events, text };
  });
}

const blocks = recordedBlocks();
const all = blocks.flatMap(({ sealed, response }) => blockEvents(sealed, response));

function sameAs(event: Published, push: { data: string; events: unknown }): boolean {
  const body = event.body();
  const at = body.lastIndexOf(',"events":{');
  if (body.slice(0, at) !== push.data) return false;
  assert.deepEqual(JSON.parse(`{${body.slice(at + 1)}}`).events, push.events);
  return true;
}

describe("events of blocks", () => {
  for (const kind of ["NewBlock", "NewBlockHeader", "NewBlockEvents", "Tx", "ValidatorSetUpdates"]) {
    it(`${kind} is what the recorded node sent`, () => {
      const ours = all.filter((event) => event.kind === kind);
      const pushes = recordedPushes(kind);
      const known = pushes.filter((push) => ours.some((event) => sameAs(event, push)));
      const last = String(blocks.length);
      const covered = pushes.filter(({ data }) => Number(/"height":"(\d+)"/.exec(data)?.[1] ?? 0) <= Number(last));
      assert.ok(known.length >= 2);
      assert.deepEqual(
        covered.filter((push) => !known.includes(push)).map(({ data }) => data.slice(0, 300)),
        [],
      );
    });
  }

  it("come in CometBFT's order", () => {
    const block = blocks.find(({ response }) => response.validatorUpdates.length > 0);
    assert.ok(block);
    assert.deepEqual(
      blockEvents(block.sealed, block.response).map(({ kind }) => kind),
      ["NewBlock", "NewBlockHeader", "NewBlockEvents", "Tx", "ValidatorSetUpdates"],
    );
  });

  it("match the height of their block without showing it", () => {
    const [newBlock] = all;
    assert.deepEqual(newBlock?.tags().get("block.height"), ["1"]);
    assert.match(newBlock?.body() ?? "", /"events":\{"tm.event":\["NewBlock"\]\}$/);
  });
});

describe("events of steps", () => {
  const votes = recordedPushes("Vote").map(({ data }) => JSON.parse(`{${data}}`).data.value.Vote);
  const vote = votes.find(({ type }) => type === 2);
  const at = { height: BigInt(vote.height), round: vote.round };
  const blockId = blockIdFromJson(vote.block_id);
  const address = upperHexToBytes(vote.validator_address);
  const entry = {
    blockIdFlag: 2,
    validatorAddress: address,
    timestamp: parseRfc3339(vote.timestamp),
    signature: Buffer.from(vote.signature, "base64"),
  } as const;
  const ours = [
    ...roundStarted(at, address),
    ...proposalCompleted(at, blockId),
    ...precommitSigned(at, blockId, entry),
  ];
  for (const event of ours) {
    const step = /RoundStep\w+/.exec(event.body())?.[0] ?? "";
    it(`${event.kind} ${step} is what the recorded node sent`, () => {
      assert.ok(recordedPushes(event.kind).some((push) => sameAs(event, push)));
    });
  }
});
