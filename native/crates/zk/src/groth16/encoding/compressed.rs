//! Points in the byte forms of gnark and arkworks. Each says by flag bits which form it has: whole, compressed (one
//! coordinate and the sign of the other) or infinity. A point's bytes are refused when flags, padding or range are
//! wrong; a compressed x that is on no point is found out in its turn.

use super::malformed;
use super::points::{Point, Points};
use crate::bytes::Bytes;
use crate::curve::{Coordinate, Curve};
use crate::groth16::ark;
use crate::verdict::Refusal;

/// How the bytes of points are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Big-endian, c1 first, flags in the first byte: gnark on both curves, and arkworks on BLS12-381 (ZCash's form).
    Leading,
    /// arkworks on BN254: little-endian, c0 first, flags in the last byte of the point.
    TrailingCompressed,
    /// As before with both coordinates.
    TrailingWhole,
}

/// A point's flags.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flags {
    Whole,
    WholeInfinity,
    Smaller,
    Larger,
    Infinity,
}

/// Reads points of one form from bytes to canonical bytes.
pub(super) struct PointReader<'a> {
    pub(super) bytes: Bytes<'a>,
    pub(super) points: Points,
    form: Form,
    at: &'static str,
}

impl<'a> PointReader<'a> {
    pub(super) fn new(curve: Curve, form: Form, bytes: &'a [u8], at: &'static str) -> Self {
        Self {
            bytes: Bytes::new(bytes),
            points: Points::new(curve),
            form,
            at,
        }
    }

    /// The points read so far; the next ones start anew.
    pub(super) fn take_points(&mut self) -> Points {
        let curve = self.points.curve;
        std::mem::replace(&mut self.points, Points::new(curve))
    }

    /// Nothing is left.
    pub(super) fn end(&self) -> Result<(), Refusal> {
        if self.bytes.left() == 0 {
            Ok(())
        } else {
            Err(self.fault("bytes behind its end"))
        }
    }

    /// A refusal that names the place.
    pub(super) fn fault(&self, what: &str) -> Refusal {
        malformed(format!(
            "{}: {what} at byte {}",
            self.at,
            self.bytes.offset()
        ))
    }

    /// A u32 count of items of at least `min_bytes` each, which the rest can hold.
    pub(super) fn count(&mut self, min_bytes: usize) -> Result<usize, Refusal> {
        let count = self.bytes.count().ok_or_else(|| self.fault("no count"))?;
        if count > self.bytes.left() / min_bytes {
            return Err(self.fault("a count beyond the bytes"));
        }
        Ok(count)
    }

    /// Reads a G1 point.
    pub(super) fn g1(&mut self) -> Result<(), Refusal> {
        let (flags, numbers) = self.read(1)?;
        let curve = self.points.curve;
        let point = match (flags, numbers.as_slice()) {
            (Flags::Infinity | Flags::WholeInfinity, _) => Point::Infinity,
            (Flags::Whole, [x, y]) => Point::Affine(*x, *y),
            (Flags::Smaller | Flags::Larger, [x]) => ark::g1_y(curve, x, flags == Flags::Larger)
                .map_or(Point::Missing, |y| Point::Affine(*x, y)),
            _ => return Err(self.fault("no point")),
        };
        self.points.g1(&point);
        Ok(())
    }

    /// Reads a G2 point.
    pub(super) fn g2(&mut self) -> Result<(), Refusal> {
        let (flags, numbers) = self.read(2)?;
        let curve = self.points.curve;
        let point = match (flags, numbers.as_slice()) {
            (Flags::Infinity | Flags::WholeInfinity, _) => Point::Infinity,
            (Flags::Whole, [x0, x1, y0, y1]) => Point::Affine([*x0, *x1], [*y0, *y1]),
            (Flags::Smaller | Flags::Larger, [x0, x1]) => {
                let x = [*x0, *x1];
                ark::g2_y(curve, &x, flags == Flags::Larger)
                    .map_or(Point::Missing, |y| Point::Affine(x, y))
            }
            _ => return Err(self.fault("no point")),
        };
        self.points.g2(&point);
        Ok(())
    }

    /// Reads a point whose coordinates have `parts` numbers each, c0 first.
    fn read(&mut self, parts: usize) -> Result<(Flags, Vec<Coordinate>), Refusal> {
        let size = self.points.curve.coordinate_bytes() * parts;
        let (flags, raw) = match self.form {
            Form::Leading => self.leading(size)?,
            Form::TrailingCompressed => self.trailing(size, true)?,
            Form::TrailingWhole => self.trailing(2 * size, false)?,
        };
        if matches!(flags, Flags::Infinity | Flags::WholeInfinity) {
            if raw.iter().any(|byte| *byte != 0) {
                return Err(self.fault("infinity with a coordinate"));
            }
            return Ok((flags, Vec::new()));
        }
        let curve = self.points.curve;
        let mut numbers = Vec::with_capacity(2 * parts);
        for coordinate in raw.chunks(size) {
            let mut words: Vec<_> = coordinate
                .chunks(curve.coordinate_bytes())
                .map(|word| match self.form {
                    Form::Leading => curve.coordinate(word),
                    _ => curve.coordinate(&word.iter().rev().copied().collect::<Vec<_>>()),
                })
                .collect::<Option<_>>()
                .ok_or_else(|| self.fault("a coordinate not below the field's order"))?;
            if self.form == Form::Leading {
                words.reverse();
            }
            numbers.extend(words);
        }
        Ok((flags, numbers))
    }

    fn leading(&mut self, size: usize) -> Result<(Flags, Vec<u8>), Refusal> {
        let curve = self.points.curve;
        let mut peek = self.bytes;
        let first = peek.u8().ok_or_else(|| self.fault("no point"))?;
        let (flags, mask) = match (curve, first >> 5, first >> 6) {
            (Curve::Bn254, _, 0) => (Flags::Whole, 0x3f),
            (Curve::Bn254, _, 1) => (Flags::Infinity, 0x3f),
            (Curve::Bn254, _, 2) => (Flags::Smaller, 0x3f),
            (Curve::Bn254, _, _) => (Flags::Larger, 0x3f),
            (Curve::Bls12381, 0b000, _) => (Flags::Whole, 0x1f),
            (Curve::Bls12381, 0b010, _) => (Flags::WholeInfinity, 0x1f),
            (Curve::Bls12381, 0b100, _) => (Flags::Smaller, 0x1f),
            (Curve::Bls12381, 0b101, _) => (Flags::Larger, 0x1f),
            (Curve::Bls12381, 0b110, _) => (Flags::Infinity, 0x1f),
            _ => return Err(self.fault("flag bits that no point has")),
        };
        let is_whole = matches!(flags, Flags::Whole | Flags::WholeInfinity);
        let length = if is_whole { 2 * size } else { size };
        let mut raw = self.take(length)?.to_vec();
        if let Some(first) = raw.first_mut() {
            *first &= mask;
        }
        // gnark writes infinity on BN254 as zeros; on BLS12-381 it has a flag of its own.
        let is_zero = raw.iter().all(|byte| *byte == 0);
        match (curve, flags) {
            (Curve::Bn254, Flags::Whole) if is_zero => Ok((Flags::WholeInfinity, raw)),
            (Curve::Bls12381, Flags::Whole) if is_zero => {
                Err(self.fault("infinity without its flag"))
            }
            _ => Ok((flags, raw)),
        }
    }

    fn trailing(
        &mut self,
        length: usize,
        is_compressed: bool,
    ) -> Result<(Flags, Vec<u8>), Refusal> {
        let mut raw = self.take(length)?.to_vec();
        let last = raw.last_mut().ok_or_else(|| self.fault("no point"))?;
        let bits = *last >> 6;
        *last &= 0x3f;
        match (bits, is_compressed) {
            (0b01, _) => Ok((Flags::Infinity, raw)),
            (0b00, true) => Ok((Flags::Smaller, raw)),
            (0b10, true) => Ok((Flags::Larger, raw)),
            (0b00 | 0b10, false) => Ok((Flags::Whole, raw)),
            _ => Err(self.fault("flag bits that no point has")),
        }
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Refusal> {
        self.bytes
            .take(length)
            .ok_or_else(|| self.fault("too few bytes for a point"))
    }
}
