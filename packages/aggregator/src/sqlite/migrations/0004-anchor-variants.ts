/** Every signed form of an anchor: fee bumps of one outpoint. The columns of `anchors` show the current one. */
export const ANCHOR_VARIANTS = `
  CREATE TABLE anchor_variants (
    sequence INTEGER NOT NULL REFERENCES anchors(sequence),
    variant INTEGER NOT NULL,
    txid TEXT NOT NULL UNIQUE,
    raw_tx BLOB NOT NULL,
    input_txid TEXT NOT NULL, input_vout INTEGER NOT NULL, input_value INTEGER NOT NULL,
    change_txid TEXT NOT NULL, change_vout INTEGER NOT NULL, change_value INTEGER NOT NULL,
    fee INTEGER NOT NULL,
    signed_height INTEGER NOT NULL,
    PRIMARY KEY (sequence, variant)
  ) STRICT;
  INSERT INTO anchor_variants (sequence, variant, txid, raw_tx, input_txid, input_vout, input_value, change_txid,
      change_vout, change_value, fee, signed_height)
    SELECT sequence, 1, txid, raw_tx, input_txid, input_vout, input_value, change_txid, change_vout, change_value, fee,
      from_height FROM anchors;
`;
