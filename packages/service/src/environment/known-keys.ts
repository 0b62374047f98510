/** Keys that everybody knows: of the development mnemonic, and those with a trivial secret. Nobody may rely on them. */
import { keyAddress } from "@cairn/keystore";
import { PUBLIC_ACCOUNTS } from "@cairn/primitives";

/** Whether a 32-byte secret key is publicly known or guessed at once: below 2^32, or one byte repeated. */
export function isPublicKey(secret: Uint8Array): boolean {
  const [first] = secret;
  if (secret.every((byte) => byte === first)) return true;
  if (secret.subarray(0, -4).every((byte) => byte === 0)) return true;
  return PUBLIC_ACCOUNTS.includes(keyAddress(secret));
}
