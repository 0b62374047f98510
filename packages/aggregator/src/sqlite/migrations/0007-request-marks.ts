/** What was stored by which keyed request, for repeats whose first answer was lost. `subject` names what was stored. */
export const REQUEST_MARKS = `
  CREATE TABLE request_marks (
    request BLOB NOT NULL,
    subject BLOB NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (request, subject)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX request_marks_age ON request_marks(at);
`;
