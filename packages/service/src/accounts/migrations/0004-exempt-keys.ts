/** Keys that no rate and no quota limits: the reader's in the same process. */
export const EXEMPT_KEYS = "ALTER TABLE keys ADD COLUMN exempt INTEGER NOT NULL DEFAULT 0";
