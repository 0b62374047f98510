//! A cursor over length-prefixed bytes, big-endian unless said, that never reads beyond them.

/// The rest of some bytes.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
    total: usize,
}

impl<'a> Bytes<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            total: bytes.len(),
        }
    }

    /// How many have been read.
    pub(crate) const fn offset(&self) -> usize {
        self.total - self.rest.len()
    }

    /// How many are left.
    pub(crate) const fn left(&self) -> usize {
        self.rest.len()
    }

    /// So many bytes.
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    /// As many bytes as the array has.
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*taken)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    pub(crate) fn u128(&mut self) -> Option<u128> {
        self.array().map(u128::from_be_bytes)
    }

    /// A u32 as a count.
    pub(crate) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.u32()?).ok()
    }

    /// Bytes after their u16 length.
    pub(crate) fn u16_prefixed(&mut self) -> Option<&'a [u8]> {
        let length = self.u16()?;
        self.take(usize::from(length))
    }

    /// Bytes after their u32 length.
    pub(crate) fn u32_prefixed(&mut self) -> Option<&'a [u8]> {
        let length = self.count()?;
        self.take(length)
    }

    /// `str` of the formats: UTF-8 after its u16 length.
    pub(crate) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.u16_prefixed()?).ok()
    }
}
