/** Owns telling which listener could not be opened, by the flag that moves it. */

import type { ListenAddress } from "@cairn/api";
import { ListenError } from "@cairn/jsonrpc";
import { NodeError } from "./node-error.ts";

/** A listener that was to be opened: its flag and address. */
export interface Wanted {
  readonly flag: string;
  readonly address: ListenAddress;
}

const SYSTEM_CODES: ReadonlySet<string> = new Set(["EADDRINUSE", "EADDRNOTAVAIL", "EACCES", "ENOTFOUND"]);

/** The error of opening one of the listeners, naming its flag; other errors unchanged. */
export function nameListener(error: unknown, wanted: readonly Wanted[]): unknown {
  const fault = faultOf(error);
  if (fault === undefined) return error;
  const found = wanted.find(({ address }) => addressText(address) === fault.address) ?? wanted[0];
  const where = found === undefined ? fault.address : addressText(found.address);
  const advice = found === undefined ? "" : `; choose another address with ${found.flag}`;
  const [code, reason] = fault.isInUse
    ? (["address-in-use", "the port is already in use"] as const)
    : (["cannot-listen", "the system refuses the address"] as const);
  return new NodeError(code, `cannot listen on ${where}: ${reason}${advice}`, { cause: error });
}

function faultOf(error: unknown): { readonly address: string; readonly isInUse: boolean } | undefined {
  if (error instanceof ListenError) return { address: error.address, isInUse: error.code === "address-in-use" };
  if (!(error instanceof Error) || !("code" in error) || !SYSTEM_CODES.has(String(error.code))) return undefined;
  return { address: "", isInUse: error.code === "EADDRINUSE" };
}

function addressText({ host, port }: ListenAddress): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
