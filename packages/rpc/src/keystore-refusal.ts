/** Owns the wire error of each way the key store refuses: geth's texts. */
import { type RpcError, rpcError } from "@cairn/api";
import { KeystoreError } from "@cairn/keystore";

function wireError({ code, retryAfterMs }: KeystoreError, unknownAccount: "unknown-account" | "no-key-file"): RpcError {
  switch (code) {
    case "unknown-account":
      return rpcError(unknownAccount, {});
    case "locked":
      return rpcError("account-locked", {});
    case "wrong-passphrase":
      return rpcError("wrong-password", {});
    case "throttled":
      return rpcError("password-delay", { seconds: Math.ceil(retryAfterMs / 1000) });
    case "invalid-key":
      return rpcError("invalid-private-key", {});
    case "closed":
      return rpcError("closing", {});
    case "busy":
    case "ambiguous-account":
    case "account-exists":
    case "invalid-key-file":
    case "wallet-exists":
    case "unknown-wallet":
    case "unlock-too-long":
      return rpcError(code, {});
  }
}

/** Waits for the key store; what it refuses is thrown as `RpcError`. */
export async function ofKeystore<T>(
  answer: Promise<T>,
  unknownAccount: "unknown-account" | "no-key-file" = "unknown-account",
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof KeystoreError ? wireError(error, unknownAccount) : error;
  }
}
