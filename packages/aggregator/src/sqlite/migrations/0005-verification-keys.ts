/** What the registry says of a key. Until here every key was one of Groth16 on BN254 without commitments. */
export const VERIFICATION_KEYS = `
  ALTER TABLE verification_keys ADD COLUMN system TEXT NOT NULL DEFAULT 'groth16';
  ALTER TABLE verification_keys ADD COLUMN curve TEXT NOT NULL DEFAULT 'bn254';
  ALTER TABLE verification_keys ADD COLUMN commitments INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE verification_keys ADD COLUMN registered_at INTEGER NOT NULL DEFAULT 0;
`;
