//! The lines of the Miller loop in affine form, for several G2 points in lockstep: one field inversion per
//! step is shared by all of them. Points are of order r and not infinity, so no step meets a vertical line.

use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup, Field};

use super::curve::{G2, Line, PairingCurve, Step};

/// The running points.
pub(super) struct Walk<C: PairingCurve> {
    start: Vec<G2<C>>,
    now: Vec<(C::Fp2, C::Fp2)>,
    denominators: Vec<C::Fp2>,
}

impl<C: PairingCurve> Walk<C> {
    /// At its points; none of them may be infinity.
    pub(super) fn new(start: Vec<G2<C>>) -> Self {
        let now = start.iter().map(|point| (point.x, point.y)).collect();
        Self {
            denominators: Vec::with_capacity(start.len()),
            start,
            now,
        }
    }

    /// Takes one step and hands the line of each point to `visit`, in their order.
    pub(super) fn step(&mut self, step: Step, mut visit: impl FnMut(usize, Line<C::Fp2>)) {
        if step == Step::Double {
            self.invert(|(_, y), _| y.double());
            for (index, (point, inverse)) in self.now.iter_mut().zip(&self.denominators).enumerate()
            {
                let square = point.0.square();
                let line = advance::<C>(point, (square.double() + square) * inverse, point.0);
                visit(index, line);
            }
            return;
        }
        self.invert(|(x, _), start| addend::<C>(start, step).0 - x);
        for (index, ((point, inverse), start)) in self
            .now
            .iter_mut()
            .zip(&self.denominators)
            .zip(&self.start)
            .enumerate()
        {
            let (x, y) = addend::<C>(start, step);
            let line = advance::<C>(point, (y - point.1) * inverse, x);
            visit(index, line);
        }
    }

    /// Replaces `denominators` by the inverses of what `of` gives.
    fn invert(&mut self, of: impl Fn((C::Fp2, C::Fp2), &G2<C>) -> C::Fp2) {
        self.denominators.clear();
        self.denominators.extend(
            self.now
                .iter()
                .zip(&self.start)
                .map(|(now, start)| of(*now, start)),
        );
        invert_all(&mut self.denominators);
    }
}

/// The point of a chord or tangent with this slope; `other_x` is that of the second point on it.
fn advance<C: PairingCurve>(
    point: &mut (C::Fp2, C::Fp2),
    slope: C::Fp2,
    other_x: C::Fp2,
) -> Line<C::Fp2> {
    let (x, y) = *point;
    let offset = slope * x - y;
    let next = slope.square() - x - other_x;
    *point = (next, offset - slope * next);
    Line { slope, offset }
}

fn addend<C: PairingCurve>(start: &G2<C>, step: Step) -> (C::Fp2, C::Fp2) {
    let point = match step {
        Step::Double | Step::Add { negative: false } => *start,
        Step::Add { negative: true } => -*start,
        Step::AddFrobenius => C::psi(start),
        Step::AddFrobeniusSquared => -C::psi(&C::psi(start)),
    };
    (point.x, point.y)
}

/// Montgomery's trick; zeros stay zero.
pub(super) fn invert_all<F: Field>(values: &mut [F]) {
    let mut prefixes = Vec::with_capacity(values.len());
    let mut product = F::ONE;
    for value in values.iter() {
        prefixes.push(product);
        if !value.is_zero() {
            product *= value;
        }
    }
    let Some(mut inverse) = product.inverse() else {
        return;
    };
    for (value, prefix) in values.iter_mut().zip(prefixes).rev() {
        if !value.is_zero() {
            let next = inverse * *value;
            *value = inverse * prefix;
            inverse = next;
        }
    }
}

/// A fixed point's lines, in the order of its curve's steps; none for infinity.
pub(super) struct PreparedLines<C: PairingCurve>(Option<Vec<Line<C::Fp2>>>);

impl<C: PairingCurve> PreparedLines<C> {
    /// Bytes held.
    pub(super) const MEMORY: usize = C::LINES * size_of::<Line<C::Fp2>>();

    /// The lines, unless the point is infinity.
    pub(super) fn lines(&self) -> Option<&[Line<C::Fp2>]> {
        self.0.as_deref()
    }
}

/// Prepares a key's points together.
pub(super) fn prepare<C: PairingCurve>(points: &[G2<C>]) -> Vec<PreparedLines<C>> {
    let finite: Vec<_> = points
        .iter()
        .copied()
        .filter(|point| !point.is_zero())
        .collect();
    let mut lines = vec![Vec::with_capacity(C::LINES); finite.len()];
    let mut walk = Walk::<C>::new(finite);
    for step in C::steps() {
        walk.step(step, |index, line| {
            if let Some(of_point) = lines.get_mut(index) {
                of_point.push(line);
            }
        });
    }
    let mut lines = lines.into_iter();
    let of = |point: &G2<C>| PreparedLines(if point.is_zero() { None } else { lines.next() });
    points.iter().map(of).collect()
}
