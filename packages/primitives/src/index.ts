/** Ethereum vocabulary, browser-safe. No signing policy, no I/O. */
export type Hex = `0x${string}`;
export type Address = Hex;
export type Hash = Hex;
