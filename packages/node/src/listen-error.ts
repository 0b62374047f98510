/** Owns telling which listener could not be opened, by the flag that moves it. */
import { ListenError } from "@cairn/jsonrpc";
import type { ListenAddress } from "./config/setting.ts";
import { NodeError } from "./node-error.ts";

/** A listener that was to be opened: its flag and address. */
export interface Wanted {
  readonly flag: string;
  readonly address: ListenAddress;
}

/** The error of opening one of the listeners, naming its flag; other errors unchanged. */
export function nameListener(error: unknown, wanted: readonly Wanted[]): unknown {
  if (!(error instanceof ListenError)) return error;
  const found = wanted.find(({ address }) => addressText(address) === error.address) ?? wanted[0];
  const code = error.code === "address-in-use" ? "address-in-use" : "cannot-listen";
  const advice = found === undefined ? "" : `; choose another address with ${found.flag}`;
  return new NodeError(code, `${error.message}${advice}`, { cause: error });
}

const addressText = ({ host, port }: ListenAddress): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
