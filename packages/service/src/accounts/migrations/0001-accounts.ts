/** Accounts, their chains, their keys. */
export const ACCOUNTS = `
  CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE accounts (
    name TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    suspended_at INTEGER,
    wallet BLOB, wallet_at INTEGER,
    per_day INTEGER, plan TEXT, settlement_days INTEGER, agreed_at INTEGER,
    per_minute INTEGER, burst INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE chains (
    account TEXT NOT NULL REFERENCES accounts(name),
    chain_key TEXT NOT NULL,
    profile TEXT,
    added_at INTEGER NOT NULL,
    PRIMARY KEY (account, chain_key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE chain_aliases (
    account TEXT NOT NULL,
    alias TEXT NOT NULL,
    chain_key TEXT NOT NULL,
    PRIMARY KEY (account, alias),
    FOREIGN KEY (account, chain_key) REFERENCES chains(account, chain_key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts(name),
    digest BLOB NOT NULL,
    scopes TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    rotated_to TEXT REFERENCES keys(id),
    last_used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX keys_account ON keys(account);
`;
