/** Handing a PSBT to an external signer: a command's standard input and output, or an HTTP endpoint. Bounded. */
import { spawn } from "node:child_process";
import { SignerError } from "@cairn/bitcoin-node";

/** Hands over a PSBT in base64; resolves with the signed one. Throws `SignerError`. */
export type PsbtExchange = (psbt: string) => Promise<string>;

const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Runs a command for each PSBT. No shell is involved; what it writes to standard error goes to ours. */
export function commandExchange(command: readonly string[], timeoutMs = TIMEOUT_MS): PsbtExchange {
  const [program = "", ...args] = command;
  return (psbt) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, {
        stdio: ["pipe", "pipe", "inherit"],
        timeout: timeoutMs,
        killSignal: "SIGKILL",
      });
      const chunks: Buffer[] = [];
      let size = 0;
      child.stdout.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) child.kill("SIGKILL");
        else chunks.push(chunk);
      });
      child.on("error", () => reject(new SignerError("unreachable", "its command cannot be run")));
      child.on("close", (code, signal) => {
        if (code === 0) return resolve(Buffer.concat(chunks).toString("utf8").trim());
        const how = signal === null ? `with exit code ${code}` : "because it took too long or wrote too much";
        reject(new SignerError("unreachable", `its command ended ${how}`));
      });
      child.stdin.on("error", () => {});
      child.stdin.end(`${psbt}\n`);
    });
}

/** Posts each PSBT to an endpoint that answers 200 with the signed one. */
export function httpExchange(url: string, timeoutMs = TIMEOUT_MS): PsbtExchange {
  return async (psbt) => {
    const response = await post(url, psbt, timeoutMs);
    if (response.status !== 200) throw new SignerError("unreachable", `its endpoint answered HTTP ${response.status}`);
    return response.text;
  };
}

async function post(url: string, psbt: string, timeoutMs: number) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: psbt,
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, text: await boundedText(response) };
  } catch (error) {
    throw error instanceof SignerError ? error : new SignerError("unreachable", "its endpoint does not answer");
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new SignerError("bad-answer", "its endpoint answered too much");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8").trim();
}
