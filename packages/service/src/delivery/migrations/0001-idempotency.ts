/** Answers kept for repeats with the same key; single values. */
export const IDEMPOTENCY = `
  CREATE TABLE settings (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE idempotency (
    seq INTEGER PRIMARY KEY,
    account TEXT NOT NULL,
    key_hash BLOB NOT NULL,
    fingerprint BLOB NOT NULL,
    status INTEGER NOT NULL,
    headers TEXT NOT NULL,
    body BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (account, key_hash)
  ) STRICT;
  CREATE INDEX idempotency_age ON idempotency(created_at);
  CREATE INDEX idempotency_account ON idempotency(account, seq);
`;
