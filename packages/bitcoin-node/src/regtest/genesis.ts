/** Block 0 and the constants of regtest consensus. */
import { type BitcoinBlock, decodeHex, parseTransaction, transactionId } from "@cairn/bitcoin";

/** Every regtest block states this target; it never changes. */
export const REGTEST_BITS = 0x207fffff;
/** Blocks between halvings of the subsidy. */
export const REGTEST_HALVING = 150;
/** Blocks before a coinbase may be spent. */
export const COINBASE_MATURITY = 100;

const COINBASE = decodeHex(
  "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d" +
    "65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f72" +
    "2062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6" +
    "bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000",
);

/** Block 0 of regtest, the same in every implementation. */
export function regtestGenesis(): BitcoinBlock {
  const coinbase = parseTransaction(COINBASE);
  return {
    header: {
      version: 1,
      previous: new Uint8Array(32),
      merkleRoot: transactionId(coinbase),
      time: 1_296_688_602,
      bits: REGTEST_BITS,
      nonce: 2,
    },
    transactions: [coinbase],
  };
}
