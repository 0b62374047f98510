/** Owns the errors of accounts and signing in the catalogue of JSON-RPC errors. */

/** The entries, by name. */
export const accountErrors = {
  "unknown-account": { code: -32000, text: "unknown account", when: "The node has no key of the account." },
  "no-key-file": {
    code: -32000,
    text: "no key for given address or file",
    when: "`personal_unlockAccount` of an account the node has no key of.",
  },
  "ambiguous-account": {
    code: -32000,
    text: "multiple keys match address",
    when: "Several key files of the same account.",
  },
  "account-locked": {
    code: -32000,
    text: "authentication needed: password or unlock",
    when: "The account is locked: `personal_unlockAccount` or a `personal_` method with the password.",
  },
  "wrong-password": {
    code: -32000,
    text: "could not decrypt key with given password",
    when: "The password does not open the key file.",
  },
  "password-delay": {
    code: -32005,
    text: "too many wrong passwords for this account: try again in {seconds} s",
    when: "After three wrong passwords the wait doubles with each, up to five minutes; the right one resets it.",
  },
  "account-exists": { code: -32000, text: "account already exists", when: "An imported key is in the key store." },
  "invalid-key-file": {
    code: -32000,
    text: "the key file of the account is damaged or unsupported",
    when: "Only files of version 3 and 1, with scrypt or PBKDF2, are read.",
  },
  "invalid-private-key": {
    code: -32000,
    text: "invalid private key",
    when: "Zero, or not below the order of secp256k1.",
  },
  "unlock-too-long": {
    code: -32000,
    text: "unlock duration too large",
    when: "A duration above 9,223,372,036 seconds.",
  },
  "unknown-wallet": { code: -32000, text: "unknown wallet", when: "There is no software wallet of this name." },
  "wallet-exists": {
    code: -32000,
    text: "wallet already initialized",
    when: "A software wallet of this name exists.",
  },
  "wallet-initialization": {
    code: -32000,
    text: "specified wallet does not support initialization: use soft://<name>?pairing=<password>, there is no smart-card driver",
    when: "`personal_initializeWallet` of another URL.",
  },
  "wallet-pairing": {
    code: -32000,
    text: "specified wallet does not support pairing: only soft://<name> does, there is no smart-card driver",
    when: "`personal_unpair` of another URL.",
  },
  "signature-length": {
    code: -32000,
    text: "signature must be 65 bytes long",
    when: "`personal_ecRecover` of something else.",
  },
  "signature-v": {
    code: -32000,
    text: "invalid Ethereum signature (V is not 27 or 28)",
    when: "`personal_ecRecover` of a signature with another last byte.",
  },
  "recovery-failed": { code: -32000, text: "recovery failed", when: "No key can have made the signature." },
  "zero-fee-cap": {
    code: -32000,
    text: "maxFeePerGas must be non-zero",
    when: "A transaction to send that could never pay the base fee.",
  },
  "zero-gas-price": {
    code: -32000,
    text: "gasPrice must be non-zero after london fork",
    when: "A transaction to send that could never pay the base fee.",
  },
  "data-and-input": {
    code: -32000,
    text: 'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    when: "A transaction to send or sign whose two spellings of its data differ.",
  },
  "creation-without-data": {
    code: -32000,
    text: "contract creation without any data provided",
    when: "A transaction to send without `to` and `data`.",
  },
  "creation-with-authorizations": {
    code: -32000,
    text: "input: a set-code transaction must not be a contract creation",
    when: "A transaction to send with `authorizationList` and without `to`.",
  },
  "gas-not-specified": { code: -32000, text: "gas not specified", when: "`eth_signTransaction` without `gas`." },
  "fee-not-specified": {
    code: -32000,
    text: "missing gasPrice or maxFeePerGas/maxPriorityFeePerGas",
    when: "`eth_signTransaction` without fees.",
  },
  "nonce-not-specified": { code: -32000, text: "nonce not specified", when: "`eth_signTransaction` without `nonce`." },
  "not-a-validator": {
    code: -32000,
    text: "this node's validator is not registered",
    when: "`miner_setEtherbase` on a node whose validator `ValidatorRegistry` does not know.",
  },
  "operator-key-needed": {
    code: -32000,
    text: "authentication needed: unlock the operator's account {operator}",
    when: "`miner_setEtherbase` while the key of the validator's operator is not at hand.",
  },
  "registry-refused": {
    code: -32000,
    text: "the validator registry refused the transaction {hash}",
    when: "`miner_setEtherbase` was included and failed.",
  },
  "not-included": {
    code: -32000,
    text: "the transaction {hash} was sent and not included in time",
    when: "`miner_setEtherbase` ended before its transaction was in a block.",
  },
} as const;
