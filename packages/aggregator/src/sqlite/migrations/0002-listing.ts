/** What listings of an account are read by: newest first, filters answered from the index. */
export const LISTING = `
  CREATE INDEX submissions_account ON submissions(account, seq, received_at);
  CREATE INDEX submissions_account_chain ON submissions(account, chain_key, seq, received_at);
`;
