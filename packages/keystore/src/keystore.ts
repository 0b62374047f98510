/**
 * Owns a node's accounts: key files, who is unlocked, and handing keys to signing for as long as it takes. Keys leave
 * only to callbacks and are wiped afterwards. Not what is signed, and not who may ask.
 */
import type { Address } from "@cairn/primitives";
import { createKey, keyAddress } from "./account-key.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type ScryptCost, STANDARD_COST } from "./key-derivation.ts";
import { type KeyDirectory, openKeyDirectory, type StoredKey } from "./key-directory.ts";
import { decryptKeyFile, encryptKeyFile } from "./key-file.ts";
import { KeystoreError } from "./keystore-error.ts";
import { CALM, type GuardState, guardDelayMs, guardStep } from "./passphrase-guard.ts";
import { createSessions } from "./sessions.ts";
import { createWorkQueue } from "./work-queue.ts";

/** Where the files are and how new ones are made. */
export interface KeystoreOptions {
  readonly dir: string;
  /** Default: geth's standard. */
  readonly cost?: ScryptCost;
  readonly clock?: Clock;
}

/** One account. */
export interface KeystoreAccount extends StoredKey {
  readonly isUnlocked: boolean;
}

/** The accounts of one directory. Everything rejects with `KeystoreError`. */
export interface Keystore {
  /** All accounts, by the names of their files. */
  accounts(): Promise<readonly KeystoreAccount[]>;
  /** Adds a new random key; with `wallet` as the software wallet of this name. */
  create(passphrase: string, wallet?: string): Promise<Address>;
  /** Adds a 32-byte private key. */
  importKey(key: Uint8Array, passphrase: string): Promise<Address>;
  /** Holds the key in memory for so many seconds; 0: until the node exits. */
  unlock(address: Address, passphrase: string, seconds: number): Promise<void>;
  /** Forgets the key. An unknown or locked account is no error. */
  lock(address: Address): void;
  /** Calls `use` with the key of an unlocked account; the key must not be kept. */
  withUnlocked<T>(address: Address, use: (key: Uint8Array) => T): Promise<T>;
  /** Calls `use` with the key a passphrase opens, and wipes it; the account stays as it was. */
  withPassphrase<T>(address: Address, passphrase: string, use: (key: Uint8Array) => T | Promise<T>): Promise<T>;
  /** The account of a software wallet. */
  wallet(name: string): Promise<KeystoreAccount>;
  /** Wipes all keys in memory and ends the timers. */
  close(): void;
}

/** At geth's standard cost as much as a call of the node may take, about 20 seconds. */
const MAX_WAITING = 16;
/** Largest whole number of seconds whose nanoseconds fit 63 bits, as geth counts. */
const MAX_UNLOCK_SECONDS = 9_223_372_036;

/** Opens the key store of a directory, making the directory where it is missing. */
export async function openKeystore({
  dir,
  cost = STANDARD_COST,
  clock = systemClock,
}: KeystoreOptions): Promise<Keystore> {
  const files = await openKeyDirectory(dir, clock);
  const sessions = createSessions(clock);
  const open = createOpener(files, clock);
  const run = createWorkQueue(MAX_WAITING);
  let isClosed = false;
  const work = <T>(task: () => Promise<T>): Promise<T> =>
    run(() => {
      if (isClosed) throw new KeystoreError("closed", "the key store is closed");
      return task();
    });
  const add = (key: Uint8Array, passphrase: string, wallet?: string) =>
    work(() => addKey({ files, cost, key, passphrase, ...(wallet === undefined ? {} : { wallet }) }));
  const shown = (stored: StoredKey): KeystoreAccount => ({
    ...stored,
    isUnlocked: sessions.key(stored.address) !== undefined,
  });
  return {
    accounts: async () => (await files.list()).map(shown),
    async create(passphrase, wallet) {
      const key = createKey();
      return add(key, passphrase, wallet).finally(() => key.fill(0));
    },
    importKey: (key, passphrase) => add(key, passphrase),
    async unlock(address, passphrase, seconds) {
      if (seconds > MAX_UNLOCK_SECONDS) throw new KeystoreError("unlock-too-long", "unlock duration too large");
      const key = await work(() => open(address, passphrase));
      // Closing wiped what it knew; what was being opened meanwhile is wiped here.
      if (isClosed) key.fill(0);
      else sessions.unlock(address, key, seconds * 1000);
    },
    lock: (address) => sessions.lock(address),
    async withUnlocked(address, use) {
      const key = sessions.key(address);
      if (key !== undefined) return use(key);
      await storedKey(files, address);
      throw new KeystoreError("locked", "authentication needed: password or unlock");
    },
    async withPassphrase(address, passphrase, use) {
      const key = await work(() => open(address, passphrase));
      try {
        return await use(key);
      } finally {
        key.fill(0);
      }
    },
    async wallet(name) {
      const stored = (await files.list()).find((entry) => entry.wallet === name);
      if (stored === undefined) throw new KeystoreError("unknown-wallet", "unknown wallet");
      return shown(stored);
    },
    close() {
      isClosed = true;
      sessions.close();
    },
  };
}

async function storedKey(files: KeyDirectory, address: Address): Promise<StoredKey> {
  const [stored, ...others] = (await files.list()).filter((entry) => entry.address === address);
  if (stored === undefined) throw new KeystoreError("unknown-account", "no key for given address or file");
  if (others.length > 0) throw new KeystoreError("ambiguous-account", "multiple keys match address");
  return stored;
}

/** Opens accounts by passphrase; slows guessing down. */
function createOpener(files: KeyDirectory, clock: Clock) {
  const guards = new Map<Address, GuardState>();
  return async (address: Address, passphrase: string): Promise<Uint8Array> => {
    const stored = await storedKey(files, address);
    const guard = guards.get(address) ?? CALM;
    const retryAfterMs = guardDelayMs(guard, clock.monotonicMs());
    if (retryAfterMs > 0) {
      const seconds = Math.ceil(retryAfterMs / 1000);
      const message = `too many wrong passwords for this account: try again in ${seconds} s`;
      throw new KeystoreError("throttled", message, { retryAfterMs });
    }
    try {
      const key = await decryptKeyFile(await files.read(stored), passphrase);
      guards.delete(address);
      return key;
    } catch (error) {
      if (error instanceof KeystoreError && error.code === "wrong-passphrase") {
        guards.set(address, guardStep(guard, "wrong", clock.monotonicMs()));
      }
      throw error;
    }
  };
}

async function addKey(o: {
  readonly files: KeyDirectory;
  readonly cost: ScryptCost;
  readonly key: Uint8Array;
  readonly passphrase: string;
  readonly wallet?: string;
}): Promise<Address> {
  const { files, key, passphrase, wallet } = o;
  const address = keyAddress(key);
  const known = await files.list();
  if (wallet !== undefined && known.some((entry) => entry.wallet === wallet)) {
    throw new KeystoreError("wallet-exists", "the wallet is already initialized");
  }
  if (known.some((entry) => entry.address === address)) {
    throw new KeystoreError("account-exists", "account already exists");
  }
  const text = await encryptKeyFile(key, passphrase, o.cost);
  await files.add(text, {
    ...(wallet === undefined ? {} : { wallet }),
    check: async (file) => {
      (await decryptKeyFile(file, passphrase)).fill(0);
    },
  });
  return address;
}
