/**
 * Submissions of an account by UTC day and chain. Counted where a state's event is written, so that the numbers change
 * in the transaction that changes the state. Coming back to `verified` or `settled` is not counted again.
 */
export const USAGE = `
  CREATE TABLE usage (
    account TEXT NOT NULL,
    day INTEGER NOT NULL,
    chain_key TEXT NOT NULL,
    submissions INTEGER NOT NULL,
    verified INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    settled INTEGER NOT NULL,
    PRIMARY KEY (account, day, chain_key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX usage_day ON usage(day);

  INSERT INTO usage
    SELECT s.account, e.at / 86400000, s.chain_key, sum(e.state = 'received'), sum(e.state = 'verified'),
      sum(e.state = 'rejected'), sum(e.state = 'settled')
    FROM (SELECT *, row_number() OVER (PARTITION BY submission, state ORDER BY seq) = 1 AS first FROM events) e
    JOIN submissions s ON s.seq = e.submission
    WHERE e.state IN ('received', 'rejected') OR (e.state IN ('verified', 'settled') AND e.first) GROUP BY 1, 2, 3;

  CREATE TRIGGER usage_counted AFTER INSERT ON events
    WHEN NEW.state IN ('received', 'rejected') OR (NEW.state IN ('verified', 'settled') AND NOT EXISTS (
      SELECT 1 FROM events e WHERE e.submission = NEW.submission AND e.state = NEW.state AND e.seq <> NEW.seq))
  BEGIN
    INSERT INTO usage
      SELECT account, NEW.at / 86400000, chain_key, NEW.state = 'received', NEW.state = 'verified',
        NEW.state = 'rejected', NEW.state = 'settled'
      FROM submissions WHERE seq = NEW.submission
      ON CONFLICT (account, day, chain_key) DO UPDATE SET submissions = submissions + excluded.submissions,
        verified = verified + excluded.verified, rejected = rejected + excluded.rejected,
        settled = settled + excluded.settled;
  END;
`;
