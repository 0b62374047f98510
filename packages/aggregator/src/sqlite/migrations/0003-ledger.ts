/** Payments: the journal, what it sums up to per payer, and the payment of each submission. Wei as decimal text. */
export const LEDGER = `
  CREATE TABLE payers (
    payer BLOB PRIMARY KEY,
    deposits TEXT NOT NULL, reserved TEXT NOT NULL, captured TEXT NOT NULL, overdue TEXT NOT NULL,
    requested TEXT NOT NULL, max_per_proof TEXT NOT NULL, max_per_day TEXT NOT NULL,
    spent TEXT NOT NULL, spent_day INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE payments (
    submission INTEGER PRIMARY KEY REFERENCES submissions(seq),
    payer BLOB NOT NULL,
    mode TEXT NOT NULL,
    plan TEXT NOT NULL,
    price TEXT NOT NULL,
    quoted_for TEXT,
    state TEXT NOT NULL
  ) STRICT;
  CREATE INDEX payments_overdue ON payments(payer) WHERE state = 'overdue';

  CREATE TABLE ledger_entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    payer BLOB NOT NULL,
    kind TEXT NOT NULL,
    amount TEXT NOT NULL,
    submission INTEGER,
    batch INTEGER,
    transaction_hash BLOB,
    source TEXT
  ) STRICT;
  CREATE INDEX ledger_entries_payer ON ledger_entries(payer, seq);
  CREATE UNIQUE INDEX ledger_entries_source ON ledger_entries(source) WHERE source IS NOT NULL;
  CREATE TRIGGER ledger_entries_kept BEFORE DELETE ON ledger_entries
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
  CREATE TRIGGER ledger_entries_fixed BEFORE UPDATE ON ledger_entries
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
`;
