//! Record v1, the part of a leaf that says what was proven and for whom (docs/reference: formats, "record v1").

use crate::bytes::Bytes;

/// A record that is well-formed to its last byte.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    /// 1 proof, 2 commitment.
    pub(crate) kind: u8,
    pub(crate) system: &'a str,
    pub(crate) curve: &'a str,
    pub(crate) encoding: &'a str,
    pub(crate) version: &'a str,
    pub(crate) vk_hash: [u8; 32],
    pub(crate) public_inputs_hash: [u8; 32],
}

impl<'a> Record<'a> {
    /// `None` unless the bytes are exactly one record: version 1, UTF-8 texts, a flag of 0 or 1, nothing behind the
    /// salt. Chain id, block number and salt are the submitter's and only delimited.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let mut bytes = Bytes::new(bytes);
        if bytes.u8()? != 1 {
            return None;
        }
        let record = Self {
            kind: bytes.u8()?,
            system: bytes.text()?,
            curve: bytes.text()?,
            encoding: bytes.text()?,
            version: bytes.text()?,
            vk_hash: bytes.array()?,
            public_inputs_hash: bytes.array()?,
        };
        bytes.text()?;
        match bytes.u8()? {
            0 => {}
            1 => {
                bytes.u64()?;
            }
            _ => return None,
        }
        bytes.array::<32>()?;
        (bytes.left() == 0).then_some(record)
    }
}
