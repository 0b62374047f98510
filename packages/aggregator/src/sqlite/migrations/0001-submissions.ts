/** Submissions, batches, anchors. */
export const SUBMISSIONS = `
  CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE submissions (
    seq INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    account TEXT NOT NULL,
    chain_id TEXT NOT NULL,
    chain_key TEXT NOT NULL,
    block_number TEXT,
    source TEXT NOT NULL,
    external_id TEXT,
    metadata TEXT,
    reorg_of BLOB,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    error_code TEXT,
    error_detail TEXT,
    kind TEXT,
    system TEXT,
    curve TEXT,
    encoding TEXT,
    proof_version TEXT,
    vk_hash BLOB,
    public_inputs_hash BLOB,
    proof_hash BLOB,
    statement BLOB,
    statement_key BLOB,
    salt BLOB,
    slot_bytes INTEGER,
    slot_gas INTEGER,
    duplicate_of INTEGER REFERENCES submissions(seq),
    batch_number INTEGER,
    batch_index INTEGER
  ) STRICT;
  CREATE INDEX submissions_received ON submissions(seq) WHERE state = 'received';
  CREATE INDEX submissions_pending ON submissions(seq) WHERE state = 'verified' AND duplicate_of IS NULL;
  CREATE INDEX submissions_batch ON submissions(batch_number, batch_index) WHERE batch_number IS NOT NULL;
  CREATE INDEX submissions_duplicates ON submissions(duplicate_of) WHERE duplicate_of IS NOT NULL;
  CREATE UNIQUE INDEX submissions_original ON submissions(statement_key)
    WHERE statement_key IS NOT NULL AND duplicate_of IS NULL AND state <> 'rejected';
  CREATE INDEX submissions_proof_hash ON submissions(proof_hash) WHERE proof_hash IS NOT NULL;
  CREATE INDEX submissions_statement ON submissions(statement) WHERE statement IS NOT NULL;
  CREATE INDEX submissions_external ON submissions(account, external_id) WHERE external_id IS NOT NULL;
  CREATE INDEX submissions_account_state ON submissions(account, state, seq);

  CREATE TABLE proof_data (
    submission INTEGER PRIMARY KEY REFERENCES submissions(seq), data TEXT NOT NULL, evidence TEXT
  ) STRICT;

  CREATE TABLE proofs (
    submission INTEGER PRIMARY KEY REFERENCES submissions(seq),
    canonical_proof BLOB NOT NULL, public_inputs BLOB NOT NULL, record BLOB NOT NULL, leaf BLOB NOT NULL
  ) STRICT;

  CREATE TABLE verification_keys (
    vk_hash BLOB PRIMARY KEY, canonical_key BLOB NOT NULL, size INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, submission INTEGER NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX events_submission ON events(submission);

  CREATE TABLE batches (
    number INTEGER PRIMARY KEY,
    state TEXT NOT NULL,
    size INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    closed_at INTEGER NOT NULL,
    root BLOB, header BLOB, commitment BLOB, previous BLOB,
    verified INTEGER, commitments INTEGER, excluded TEXT,
    transaction_hash BLOB, block INTEGER, settled_at INTEGER,
    anchor_sequence INTEGER, anchor_index INTEGER
  ) STRICT;
  CREATE INDEX batches_open ON batches(number) WHERE state = 'batched';
  CREATE INDEX batches_unanchored ON batches(number) WHERE state = 'settled' AND anchor_sequence IS NULL;
  CREATE INDEX batches_anchor ON batches(anchor_sequence, anchor_index) WHERE anchor_sequence IS NOT NULL;
  CREATE INDEX batches_commitment ON batches(commitment) WHERE commitment IS NOT NULL;

  CREATE TABLE receipt_settlements (batch INTEGER PRIMARY KEY REFERENCES batches(number), json TEXT NOT NULL) STRICT;
  CREATE TABLE receipt_anchors (batch INTEGER PRIMARY KEY REFERENCES batches(number), json TEXT NOT NULL) STRICT;

  CREATE TABLE settlement_attempts (
    batch INTEGER NOT NULL REFERENCES batches(number),
    attempt INTEGER NOT NULL,
    nonce INTEGER NOT NULL,
    hash BLOB NOT NULL,
    state TEXT NOT NULL,
    signed_at INTEGER NOT NULL,
    raw BLOB NOT NULL,
    PRIMARY KEY (batch, attempt)
  ) STRICT;
  CREATE INDEX settlement_attempts_nonce ON settlement_attempts(nonce);

  CREATE TABLE anchors (
    sequence INTEGER PRIMARY KEY,
    state TEXT NOT NULL,
    network TEXT NOT NULL,
    size INTEGER NOT NULL,
    root BLOB NOT NULL,
    header BLOB NOT NULL,
    commitment BLOB NOT NULL UNIQUE,
    raw_tx BLOB NOT NULL,
    txid TEXT NOT NULL UNIQUE,
    input_txid TEXT NOT NULL, input_vout INTEGER NOT NULL, input_value INTEGER NOT NULL,
    change_txid TEXT NOT NULL, change_vout INTEGER NOT NULL, change_value INTEGER NOT NULL,
    fee INTEGER NOT NULL,
    from_height INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    height INTEGER, block_hash TEXT, mined_at INTEGER, final_at INTEGER
  ) STRICT;
  CREATE INDEX anchors_open ON anchors(sequence) WHERE state <> 'final';
`;
