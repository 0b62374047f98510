//! Bounds-checked reading of stored rows, and the variable-length integers they use (LEB128). Every shortfall is
//! [`StateError::Corrupt`].

use alloy_primitives::{Address, B256};

use crate::error::StateError;

/// A cursor over a stored row.
pub(crate) struct BytesReader<'a> {
    rest: &'a [u8],
}

impl<'a> BytesReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// So many bytes.
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], StateError> {
        let (head, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or_else(|| StateError::corrupt("row ends early"))?;
        self.rest = rest;
        Ok(head)
    }

    /// All that is left.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], StateError> {
        let (head, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or_else(|| StateError::corrupt("row ends early"))?;
        self.rest = rest;
        Ok(*head)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, StateError> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, StateError> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, StateError> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, StateError> {
        self.array().map(u64::from_be_bytes)
    }

    pub(crate) fn hash(&mut self) -> Result<B256, StateError> {
        self.array().map(B256::new)
    }

    pub(crate) fn address(&mut self) -> Result<Address, StateError> {
        self.array().map(Address::new)
    }

    /// An integer in LEB128.
    pub(crate) fn varint(&mut self) -> Result<u128, StateError> {
        let mut value = 0u128;
        let mut shift = 0u32;
        loop {
            let byte = self.byte()?;
            let part = u128::from(byte & 0x7f);
            let shifted = part
                .checked_shl(shift)
                .filter(|moved| moved >> shift == part);
            value |= shifted.ok_or_else(|| StateError::corrupt("integer too long"))?;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            shift += 7;
        }
    }

    /// An integer in LEB128 that fits the type.
    pub(crate) fn varint_as<T: TryFrom<u128>>(&mut self) -> Result<T, StateError> {
        T::try_from(self.varint()?).map_err(|_| StateError::corrupt("integer out of range"))
    }
}

/// Appends an integer in LEB128.
pub(crate) fn put_varint(out: &mut Vec<u8>, value: impl Into<u128>) {
    let mut value = value.into();
    while value >= 0x80 {
        out.push((value as u8) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
