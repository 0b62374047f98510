/** Requests for access, until the operator has decided and the key is claimed. */
export const ACCESS_REQUESTS = `
  CREATE TABLE access_requests (
    id TEXT PRIMARY KEY,
    claim_digest BLOB NOT NULL,
    state TEXT NOT NULL,
    organisation TEXT NOT NULL,
    contact TEXT NOT NULL,
    chain_ids TEXT NOT NULL,
    expected_per_day INTEGER,
    message TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    decided_at INTEGER,
    account TEXT REFERENCES accounts(name),
    scopes TEXT,
    key_lifetime INTEGER,
    key_id TEXT REFERENCES keys(id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX access_requests_state ON access_requests(state, created_at);
`;
