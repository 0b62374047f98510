//! Splits the input of `VerifyProofs` into keys and slots. What cannot be delimited is a [`FramingError`]; what is
//! inside a key or slot is not looked at here. Never allocates more than the input's own size justifies.

use crate::bytes::Bytes;

/// The input cannot be split into keys and slots; the call reverts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("VerifyProofs input: no {expected} at byte {offset}")]
pub struct FramingError {
    /// What was expected there.
    pub expected: &'static str,
    /// Offset into the input.
    pub offset: usize,
}

/// Version of the input.
const VERSION: u8 = 1;
/// Fewest bytes of a key: tag, length.
const MIN_KEY_BYTES: usize = 5;
/// Fewest bytes of a slot: kind, key, payer, price and three lengths.
const MIN_SLOT_BYTES: usize = 31;

/// A key as given.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyPart<'a> {
    /// Names system and curve.
    pub(super) tag: u8,
    pub(super) bytes: &'a [u8],
}

/// A slot as given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<'a> {
    pub(super) kind: u8,
    pub(super) key: u16,
    pub(super) payer: u16,
    pub(super) price: u128,
    /// Canonical proof, or a commitment's value.
    pub(super) value: &'a [u8],
    pub(super) inputs: &'a [u8],
    pub(super) record: &'a [u8],
}

/// A split input; slots are between 1 and 2^32 − 1 and no fewer than payers.
#[derive(Debug)]
pub(super) struct Input<'a> {
    pub(super) keys: Vec<KeyPart<'a>>,
    pub(super) payers: u16,
    pub(super) slots: Vec<Slot<'a>>,
}

impl<'a> Input<'a> {
    /// Splits an input to its last byte.
    pub(super) fn parse(input: &'a [u8]) -> Result<Self, FramingError> {
        let mut bytes = Bytes::new(input);
        if bytes.u8() != Some(VERSION) {
            return Err(FramingError {
                expected: "version 1",
                offset: 0,
            });
        }
        let count = expect(&mut bytes, "number of keys", Bytes::u16)?;
        let keys = items(&mut bytes, u32::from(count), MIN_KEY_BYTES, "key", key)?;
        let payers = expect(&mut bytes, "number of payers", Bytes::u16)?;
        let count = expect(&mut bytes, "number of slots", Bytes::u32)?;
        if count == 0 || u32::from(payers) > count {
            return Err(FramingError {
                expected: "slot for each payer",
                offset: bytes.offset(),
            });
        }
        let slots = items(&mut bytes, count, MIN_SLOT_BYTES, "slot", slot)?;
        if bytes.left() != 0 {
            return Err(FramingError {
                expected: "end",
                offset: bytes.offset(),
            });
        }
        Ok(Self {
            keys,
            payers,
            slots,
        })
    }
}

/// So many items; makes room only when the rest can hold them.
fn items<'a, T>(
    bytes: &mut Bytes<'a>,
    count: u32,
    min_bytes: usize,
    expected: &'static str,
    read: impl Fn(&mut Bytes<'a>) -> Option<T>,
) -> Result<Vec<T>, FramingError> {
    let room = usize::try_from(count).unwrap_or(usize::MAX);
    if room > bytes.left() / min_bytes {
        return Err(FramingError {
            expected,
            offset: bytes.offset(),
        });
    }
    let mut items = Vec::with_capacity(room);
    for _ in 0..count {
        items.push(expect(bytes, expected, &read)?);
    }
    Ok(items)
}

fn expect<'a, T>(
    bytes: &mut Bytes<'a>,
    expected: &'static str,
    read: impl FnOnce(&mut Bytes<'a>) -> Option<T>,
) -> Result<T, FramingError> {
    let offset = bytes.offset();
    read(bytes).ok_or(FramingError { expected, offset })
}

fn key<'a>(bytes: &mut Bytes<'a>) -> Option<KeyPart<'a>> {
    Some(KeyPart {
        tag: bytes.u8()?,
        bytes: bytes.u32_prefixed()?,
    })
}

fn slot<'a>(bytes: &mut Bytes<'a>) -> Option<Slot<'a>> {
    Some(Slot {
        kind: bytes.u8()?,
        key: bytes.u16()?,
        payer: bytes.u16()?,
        price: bytes.u128()?,
        value: bytes.u32_prefixed()?,
        inputs: bytes.u32_prefixed()?,
        record: bytes.u16_prefixed()?,
    })
}
