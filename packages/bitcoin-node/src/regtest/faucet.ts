/** The built-in miner's wallet: receives the subsidies and funds addresses. Its coins are worth nothing. */
import { randomBytes } from "node:crypto";
import { displayHash, equalBytes, p2wpkhScript, parseTransaction, transactionId } from "@cairn/bitcoin";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { DUST_SAT, signPayment } from "../anchor-wallet.ts";
import type { Coin } from "../types.ts";
import { scriptOfAddress } from "./address.ts";
import type { RegtestChain } from "./chain.ts";
import { RegtestFault } from "./fault.ts";
import { COINBASE_MATURITY } from "./genesis.ts";

const FEE_SAT = 1_000n;
const CANDIDATES = 200;

/** The faucet of one regtest. */
export interface Faucet {
  readonly scriptPubKey: Uint8Array;
  /** Puts a payment into the mempool. Throws `RegtestFault` (-6) without mature funds. */
  fund(address: string, valueSat: bigint): Coin;
}

/** Opens the faucet; its key is made once and kept in the database. */
export function openFaucet(chain: RegtestChain): Faucet {
  const privateKey = faucetKey(chain);
  const script = p2wpkhScript(ripemd160(sha256(secp256k1.getPublicKey(privateKey, true))));
  return {
    scriptPubKey: script,
    fund(address, valueSat) {
      const to = scriptOfAddress(address);
      const coin = pickCoin(chain, script, valueSat + FEE_SAT + DUST_SAT);
      const change = { script, amount: coin.valueSat - valueSat - FEE_SAT };
      const raw = signPayment({
        privateKey,
        script,
        coins: [coin],
        outputs: [{ script: to, amount: valueSat }, change],
      });
      const tx = parseTransaction(raw);
      chain.addTransaction(tx);
      return { txid: displayHash(transactionId(tx)), vout: 0, valueSat };
    },
  };
}

function faucetKey(chain: RegtestChain): Uint8Array {
  const stored = chain.store.meta("faucet-key");
  if (stored !== undefined) return stored;
  const key = Uint8Array.from(randomBytes(32));
  if (!secp256k1.utils.isValidSecretKey(key)) return faucetKey(chain);
  chain.store.setMeta("faucet-key", key);
  return key;
}

// Mature coins first, then own change that still waits for a block.
function pickCoin(chain: RegtestChain, script: Uint8Array, leastSat: bigint): Coin {
  const matureHeight = chain.tip().height + 1 - COINBASE_MATURITY;
  const coins = [...chain.store.coinsOf(script, matureHeight, CANDIDATES), ...waitingChange(chain, script)];
  const coin = coins.find((c) => c.valueSat >= leastSat && chain.mempool.spender(c.txid, c.vout) === undefined);
  if (coin === undefined) throw new RegtestFault(-6, "the faucet has no mature coin of this size");
  return { ...coin, txid: displayHash(coin.txid) };
}

function waitingChange(chain: RegtestChain, script: Uint8Array) {
  return chain.mempool
    .entries()
    .flatMap(({ txid, tx }) =>
      tx.outputs.flatMap(({ scriptPubKey, valueSat }, vout) =>
        equalBytes(scriptPubKey, script) ? [{ txid, vout, valueSat }] : [],
      ),
    );
}
