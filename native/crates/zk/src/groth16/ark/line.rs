//! The lines of the optimal ate Miller loop in affine form, for several G2 points in lockstep: one field inversion per
//! step is shared by all of them. Points are of order r and not infinity, so no step meets a vertical line.

use ark_bn254::{Config, Fq2, G2Affine};
use ark_ec::AffineRepr;
use ark_ec::bn::BnConfig;
use ark_ff::{AdditiveGroup, Field};

use super::point;

/// A line y = slope·x − offset on the twist.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) slope: Fq2,
    pub(super) offset: Fq2,
}

/// What the loop does to every running point, in order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Double,
    /// Of the point itself, or of its negative.
    Add {
        negative: bool,
    },
    /// Of ψ of the point.
    AddFrobenius,
    /// Of −ψ² of the point.
    AddFrobeniusSquared,
}

/// The steps of the loop over 6x+2, highest bit first.
pub(super) fn steps() -> impl Iterator<Item = Step> {
    let bits = Config::ATE_LOOP_COUNT.iter().rev().skip(1).flat_map(|bit| {
        let add = (*bit != 0).then_some(Step::Add { negative: *bit < 0 });
        std::iter::once(Step::Double).chain(add)
    });
    bits.chain([Step::AddFrobenius, Step::AddFrobeniusSquared])
}

/// The running points.
pub(super) struct Walk {
    start: Vec<G2Affine>,
    now: Vec<(Fq2, Fq2)>,
    denominators: Vec<Fq2>,
}

impl Walk {
    /// At its points; none of them may be infinity.
    pub(super) fn new(start: Vec<G2Affine>) -> Self {
        let now = start.iter().map(|point| (point.x, point.y)).collect();
        Self {
            denominators: Vec::with_capacity(start.len()),
            start,
            now,
        }
    }

    /// Takes one step and hands the line of each point to `visit`, in their order.
    pub(super) fn step(&mut self, step: Step, mut visit: impl FnMut(usize, Line)) {
        if step == Step::Double {
            self.invert(|(_, y), _| y.double());
            for (index, (point, inverse)) in self.now.iter_mut().zip(&self.denominators).enumerate()
            {
                let square = point.0.square();
                let line = advance(point, (square.double() + square) * inverse, point.0);
                visit(index, line);
            }
            return;
        }
        self.invert(|(x, _), start| addend(start, step).0 - x);
        for (index, ((point, inverse), start)) in self
            .now
            .iter_mut()
            .zip(&self.denominators)
            .zip(&self.start)
            .enumerate()
        {
            let (x, y) = addend(start, step);
            let line = advance(point, (y - point.1) * inverse, x);
            visit(index, line);
        }
    }

    /// Replaces `denominators` by the inverses of what `of` gives.
    fn invert(&mut self, of: impl Fn((Fq2, Fq2), &G2Affine) -> Fq2) {
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
fn advance(point: &mut (Fq2, Fq2), slope: Fq2, other_x: Fq2) -> Line {
    let (x, y) = *point;
    let offset = slope * x - y;
    let next = slope.square() - x - other_x;
    *point = (next, offset - slope * next);
    Line { slope, offset }
}

fn addend(start: &G2Affine, step: Step) -> (Fq2, Fq2) {
    let point = match step {
        Step::Double | Step::Add { negative: false } => *start,
        Step::Add { negative: true } => -*start,
        Step::AddFrobenius => point::psi_affine(start),
        Step::AddFrobeniusSquared => point::psi_squared_negative(start),
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

/// A fixed point's lines, in the order of [`steps`]; none for infinity.
pub(super) struct PreparedLines(Option<Vec<Line>>);

impl PreparedLines {
    /// Bytes held.
    pub(super) const MEMORY: usize = 90 * size_of::<Line>();

    /// The lines, unless the point is infinity.
    pub(super) fn lines(&self) -> Option<&[Line]> {
        self.0.as_deref()
    }
}

/// Prepares a key's three points together.
pub(super) fn prepare(points: [G2Affine; 3]) -> [PreparedLines; 3] {
    let finite: Vec<_> = points
        .into_iter()
        .filter(|point| !point.is_zero())
        .collect();
    let mut lines = vec![Vec::new(); finite.len()];
    let mut walk = Walk::new(finite);
    for step in steps() {
        walk.step(step, |index, line| {
            if let Some(of_point) = lines.get_mut(index) {
                of_point.push(line);
            }
        });
    }
    let mut lines = lines.into_iter();
    points.map(|point| PreparedLines(if point.is_zero() { None } else { lines.next() }))
}
