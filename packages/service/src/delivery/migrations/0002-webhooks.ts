/** Webhooks and their deliveries. `cursor`: events up to this number have their deliveries. */
export const WEBHOOKS = `
  CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    url TEXT NOT NULL,
    types TEXT NOT NULL,
    chain_id TEXT,
    chain_key TEXT,
    description TEXT,
    secret BLOB NOT NULL,
    previous_secret BLOB,
    previous_until INTEGER,
    state TEXT NOT NULL,
    disabled_reason TEXT,
    failing_since INTEGER,
    cursor INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX webhooks_account ON webhooks(account, created_at);

  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY,
    webhook TEXT NOT NULL REFERENCES webhooks(id) ON DELETE CASCADE,
    event INTEGER NOT NULL,
    type TEXT NOT NULL,
    submission BLOB NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    last_status INTEGER,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    done_at INTEGER,
    UNIQUE (webhook, event)
  ) STRICT;
  CREATE INDEX deliveries_due ON deliveries(webhook, next_at) WHERE state = 'pending';
  CREATE INDEX deliveries_order ON deliveries(webhook, submission, event) WHERE state = 'pending';
  CREATE INDEX deliveries_state ON deliveries(webhook, state, event);
  CREATE INDEX deliveries_done ON deliveries(state, done_at) WHERE done_at IS NOT NULL;
`;
