/** A gRPC server for tests, on Node's own HTTP/2: unary calls answered by functions of bytes. */
import { createServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";

/** A refusal: gRPC status and text. */
export interface GrpcRefusal {
  readonly status: number;
  readonly message: string;
}

/** It, listening. */
export interface GrpcServer {
  readonly url: string;
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly message: Buffer }[];
  close(): Promise<void>;
}

/** `answer` gives the message's bytes, a refusal, or deals with the stream itself. */
export async function startGrpcServer(
  answer: (path: string, message: Buffer, stream: ServerHttp2Stream) => Uint8Array | GrpcRefusal | "handled",
): Promise<GrpcServer> {
  const asked: GrpcServer["asked"] = [];
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  server.on("stream", async (stream, headers) => {
    stream.on("error", () => {});
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const message = Buffer.concat(chunks).subarray(5);
    const path = String(headers[":path"]);
    asked.push({ path, headers, message });
    const given = answer(path, message, stream);
    if (given === "handled" || stream.destroyed) return;
    if ("status" in given) {
      const told = { "grpc-status": String(given.status), "grpc-message": encodeURIComponent(given.message) };
      stream.respond({ ":status": 200, "content-type": "application/grpc", ...told }, { endStream: true });
      return;
    }
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(given.length, 1);
    stream.end(Buffer.concat([prefix, given]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}
