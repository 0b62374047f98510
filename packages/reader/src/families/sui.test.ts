/** Sui over gRPC and JSON-RPC, on servers with the shapes its nodes answer (recorded shapes, not live nodes). */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { concatBytes, hexToBytes } from "@cairn/primitives";
import { blake2b } from "@noble/hashes/blake2.js";
import { base58 } from "@scure/base";
import { parseEntry } from "../config/entry-parser.ts";
import type { EndpointError } from "../endpoint-error.ts";
import { createFamilySource } from "../family-source.ts";
import { lengthField, varintField } from "../protobuf.ts";
import { type GrpcRefusal, startGrpcServer } from "../testing/grpc-server.ts";
import { codeOf, rpcOf, sourceOf } from "../testing/recorded-chain.ts";
import { endpointsOf } from "../worker/reading.ts";

const signal = AbortSignal.timeout(60_000);
const GENESIS = "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S";
const PREVIOUS = new Uint8Array(32).fill(7);

/** A summary in BCS, as Sui's validators sign it. */
function summary(sequence: bigint, previous: Uint8Array | undefined): Uint8Array {
  const u64 = (value: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(value);
    return bytes;
  };
  const digest = (bytes: Uint8Array) => concatBytes(Uint8Array.of(32), bytes);
  const link = previous === undefined ? Uint8Array.of(0) : concatBytes(Uint8Array.of(1), digest(previous));
  const gas = concatBytes(u64(1n), u64(2n), u64(3n), u64(4n));
  const ending = concatBytes(u64(1_700_000_000_000n), Uint8Array.of(0, 0, 0));
  return concatBytes(u64(5n), u64(sequence), u64(900n), digest(new Uint8Array(32).fill(9)), link, gas, ending);
}

const digestOf = (bcs: Uint8Array) =>
  blake2b(concatBytes(new TextEncoder().encode("CheckpointSummary::"), bcs), { dkLen: 32 });
const text = (field: number, value: string) => lengthField(field, new TextEncoder().encode(value));

interface Checkpoint {
  readonly sequence: bigint;
  readonly digest: string;
  readonly bcs: Uint8Array | undefined;
  readonly previous: string | undefined;
}

/** `GetCheckpointResponse`, with members that the reader does not know among it. */
function response({ sequence, digest, bcs, previous }: Checkpoint): Uint8Array {
  const name = text(1, "CheckpointSummary");
  const bytes = bcs === undefined ? new Uint8Array(0) : lengthField(1, concatBytes(name, lengthField(2, bcs)));
  const link = previous === undefined ? new Uint8Array(0) : text(7, previous);
  const parts = [
    varintField(1, sequence),
    text(2, digest),
    lengthField(3, concatBytes(bytes, varintField(3, 5n), link)),
  ];
  return lengthField(1, concatBytes(...parts, lengthField(4, Uint8Array.of(1, 2, 3))));
}

async function grpcSource(t: TestContext, answer: (path: string, message: Buffer) => Uint8Array | GrpcRefusal) {
  const server = await startGrpcServer(answer);
  t.after(() => server.close());
  const method = "sui.rpc.v2.LedgerService/GetCheckpoint";
  const options = { finality: "finalized", auth_header: "x-api-key" };
  const { entry } = parseEntry(["rpc", "sui", 101, server.url, method, "", "key-for-tests", options], 0);
  assert.ok(entry.kind === "rpc");
  const { family: row, finality, hashCheck } = entry;
  return { server, source: createFamilySource({ row, pool: endpointsOf(entry), finality, hashCheck }) };
}

const SERVICE_INFO = concatBytes(text(1, GENESIS), text(2, "mainnet"), varintField(3, 700n), varintField(4, 1_000n));

test("gRPC: head, identity and checkpoints; the digest is recomputed from the summary's bytes", async (t) => {
  const bcs = summary(1_000n, PREVIOUS);
  const digest = base58.encode(digestOf(bcs));
  const sound: Checkpoint = { sequence: 1_000n, digest, bcs, previous: base58.encode(PREVIOUS) };
  let served: Checkpoint = sound;
  const { server, source } = await grpcSource(t, (path) => {
    if (path.endsWith("/GetServiceInfo")) return SERVICE_INFO;
    return response(served);
  });
  assert.equal(await source.head(signal), 1_000n);
  assert.equal(await source.takeable(1_000n, signal), 1_000n);
  assert.deepEqual(await source.identity(signal), { genesis: GENESIS });
  const block = await source.block(1_000n, signal);
  assert.equal(block?.nativeHash, digest);
  assert.equal(block?.parentHash, `0x${"07".repeat(32)}`);
  assert.equal(block?.parentHeight, 999n);
  const { header } = (block?.evidence ?? {}) as { readonly header: string };
  assert.deepEqual(Buffer.from(hexToBytes(header)), Buffer.from(bcs));
  const call = server.asked.at(-1);
  assert.equal(call?.path, "/sui.rpc.v2.LedgerService/GetCheckpoint");
  assert.equal(call?.headers["content-type"], "application/grpc");
  assert.ok(server.asked.every(({ headers }) => headers["x-api-key"] === "key-for-tests"));
  assert.equal(call?.message.subarray(0, 3).toString("hex"), "08e807", "field 1 is the sequence number");
  assert.ok(call?.message.toString("latin1").includes("summary.bcs"));

  const lies: readonly Partial<Checkpoint>[] = [
    { digest: base58.encode(PREVIOUS) },
    { bcs: undefined },
    { bcs: bcs.subarray(0, 40) },
    { bcs: summary(999n, PREVIOUS) },
    { previous: undefined },
    { previous: digest },
    { sequence: 1_001n },
  ];
  for (const lie of lies) {
    served = { ...sound, ...lie };
    assert.equal(await codeOf(source.block(1_000n, signal)), "undecodable", JSON.stringify(Object.keys(lie)));
  }
  const other = summary(1_000n, new Uint8Array(32).fill(8));
  served = { ...sound, bcs: other, digest: base58.encode(digestOf(other)) };
  assert.equal(await codeOf(source.block(1_000n, signal)), "undecodable", "the link stated is not the link signed");
});

test("gRPC: the first checkpoint has no previous one", async (t) => {
  const bcs = summary(0n, undefined);
  const digest = base58.encode(digestOf(bcs));
  const { source } = await grpcSource(t, () => response({ sequence: 0n, digest, bcs, previous: undefined }));
  const block = await source.block(0n, signal);
  assert.equal(block?.nativeHash, digest);
  assert.equal(block?.parentHash, undefined);
});

test("gRPC: refusals by status; a key that is repeated to us stays out of the text", async (t) => {
  let refusal: GrpcRefusal = { status: 8, message: "quota of key-for-tests is spent\nnow" };
  const { source } = await grpcSource(t, () => refusal);
  const refused = (check: (error: EndpointError) => boolean) => assert.rejects(source.head(signal), check);
  await refused((error) => error.throttled && error.status === 8);
  await refused(({ message }) => message.endsWith("refused GetServiceInfo: quota of *** is spent now"));
  refusal = { status: 5, message: "Checkpoint 1001 not found" };
  assert.equal(await codeOf(source.block(1_001n, signal)), "missing");
  refusal = { status: 16, message: "" };
  await refused(({ code, message }) => code === "rpc-error" && message.endsWith("status 16"));
});

test("JSON-RPC: checkpoints by sequence number, the first one's digest as identity", async (t) => {
  const checkpoint = {
    digest: "G6Dtzr1ZSfHFhotGsTE3cLENa7L1ooe1BBvknAUsARbV",
    sequenceNumber: "1000",
    previousDigest: "6tBy8RXZKrdrB4XkMQn7J3MNG4fQCo9XcRduFFvYrL5Z",
  };
  const answers: Record<string, unknown> = {
    sui_getLatestCheckpointSequenceNumber: "1000",
    'sui_getCheckpoint ["1000"]': checkpoint,
    'sui_getCheckpoint ["0"]': { digest: GENESIS, sequenceNumber: "0" },
    'sui_getCheckpoint ["1001"]': { error: { code: -32_602, message: "Could not find the referenced checkpoint" } },
    sui_getChainIdentifier: "35834a8a",
  };
  const { source } = await sourceOf(t, "sui_getCheckpoint", { rpc: rpcOf(answers) });
  assert.equal(await source.head(signal), 1_000n);
  assert.equal((await source.block(1_000n, signal))?.nativeHash, checkpoint.digest);
  assert.equal((await source.block(1_000n, signal))?.parentHash?.length, 66);
  assert.equal(await codeOf(source.block(1_001n, signal)), "missing");
  assert.deepEqual(await source.identity(signal), { network: "35834a8a", genesis: GENESIS });
  answers['sui_getCheckpoint ["0"]'] = { error: { code: -32_602, message: "pruned" } };
  assert.deepEqual(await source.identity(signal), { network: "35834a8a" }, "a node may have forgotten it");
});
