/** Answers are kept sealed from here on; those from before, at most a day old, are forgotten. */
export const SEALED_ANSWERS = "DELETE FROM idempotency;";
