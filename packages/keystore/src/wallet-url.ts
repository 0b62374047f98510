/** Owns the URLs of software wallets: `soft://<name>?pairing=<password>`, the password percent-encoded. */

/** A parsed URL. */
export interface WalletUrl {
  /** Lower case; also the name of its file. */
  readonly name: string;
  readonly pairing?: string;
}

const FORM = /^soft:\/\/([A-Za-z0-9][A-Za-z0-9_-]{0,63})(?:\?pairing=(.*))?$/s;

/** What a URL names; undefined when it is no software wallet's. */
export function parseWalletUrl(url: string): WalletUrl | undefined {
  const [, name, pairing] = FORM.exec(url) ?? [];
  if (name === undefined) return undefined;
  if (pairing === undefined) return { name: name.toLowerCase() };
  try {
    return { name: name.toLowerCase(), pairing: decodeURIComponent(pairing) };
  } catch {
    return undefined;
  }
}

/** The URL of a software wallet, without its password. */
export function walletUrl(name: string): string {
  return `soft://${name}`;
}
