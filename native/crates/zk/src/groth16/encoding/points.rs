//! Points written one after another in canonical form.

use crate::curve::{Coordinate, Curve};

const ZERO: Coordinate = [0; 48];

/// Canonical bytes in the making.
pub(super) struct Points {
    pub(super) curve: Curve,
    pub(super) bytes: Vec<u8>,
    /// A point could not be written: what stands in its place is infinity.
    pub(super) off_curve: bool,
}

/// An affine point by its coordinates, over the base field or over c0 + c1·u.
pub(super) enum Point<T> {
    Infinity,
    Affine(T, T),
    /// No point of the curve.
    Missing,
}

impl Points {
    pub(super) fn new(curve: Curve) -> Self {
        Self {
            curve,
            bytes: Vec::new(),
            off_curve: false,
        }
    }

    /// A u32 count.
    pub(super) fn count(&mut self, count: usize) {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.bytes.extend_from_slice(&count.to_be_bytes());
    }

    /// A point of G1.
    pub(super) fn g1(&mut self, point: &Point<Coordinate>) {
        match point {
            Point::Affine(x, y) => {
                self.off_curve |= *x == ZERO && *y == ZERO;
                self.curve.push_coordinate(&mut self.bytes, x);
                self.curve.push_coordinate(&mut self.bytes, y);
            }
            Point::Infinity => self.zeros(self.curve.g1_bytes()),
            Point::Missing => {
                self.off_curve = true;
                self.zeros(self.curve.g1_bytes());
            }
        }
    }

    /// A point of G2.
    pub(super) fn g2(&mut self, point: &Point<[Coordinate; 2]>) {
        match point {
            Point::Affine(x, y) => {
                self.off_curve |= [x, y].iter().all(|pair| **pair == [ZERO, ZERO]);
                self.curve.push_pair(&mut self.bytes, x);
                self.curve.push_pair(&mut self.bytes, y);
            }
            Point::Infinity => self.zeros(self.curve.g2_bytes()),
            Point::Missing => {
                self.off_curve = true;
                self.zeros(self.curve.g2_bytes());
            }
        }
    }

    fn zeros(&mut self, count: usize) {
        self.bytes.resize(self.bytes.len() + count, 0);
    }
}

/// Zero coordinates stand for infinity in some encodings.
pub(super) fn or_infinity<T: PartialEq>(x: T, y: T, zero: &T) -> Point<T> {
    if x == *zero && y == *zero {
        Point::Infinity
    } else {
        Point::Affine(x, y)
    }
}
