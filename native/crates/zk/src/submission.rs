//! From `proof_data` to verdicts: envelope, decoding, the checks before the curve, one batch for all proofs.

use rayon::prelude::*;

use crate::envelope::{Envelope, Members};
use crate::groth16::batch;
use crate::registry::{Decoded, KeyFacts};
use crate::verdict::{ErrorCode, Refusal, Verdict};
use crate::{Item, threads};

/// One verdict per item, in their order.
pub(crate) fn verify(items: &[Item<'_>]) -> Vec<Verdict> {
    let decoded: Vec<_> = threads::run(|| items.par_iter().map(decode).collect());
    let claims: Vec<_> = decoded
        .iter()
        .filter_map(|item| match item {
            Ok(Decoded::Groth16(statement)) => Some(statement.claim()),
            Ok(Decoded::Commitment(_)) | Err(_) => None,
        })
        .collect();
    let mut outcomes = batch::verify(&claims).into_iter();
    decoded
        .into_iter()
        .map(|item| verdict(item, &mut outcomes))
        .collect()
}

fn verdict(
    item: Result<Decoded, Refusal>,
    outcomes: &mut impl Iterator<Item = Result<(), ErrorCode>>,
) -> Verdict {
    let statement = match item {
        Err(refusal) => return refusal.into(),
        Ok(Decoded::Commitment(verified)) => return Verdict::Valid(verified),
        Ok(Decoded::Groth16(statement)) => statement,
    };
    match outcomes.next().unwrap_or(Err(ErrorCode::InvalidProof)) {
        Ok(()) => Verdict::Valid(Box::new(statement.verified())),
        Err(code) => Refusal::new(code, explain(code)).into(),
    }
}

/// What a fault that only curve arithmetic finds says to the submitter.
pub(crate) fn explain(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::NotOnCurve => "a point of the proof or the key is not on its curve",
        ErrorCode::NotInSubgroup => {
            "a point of the proof or the key is outside the subgroup of order r"
        }
        _ => "the verification equation does not hold",
    }
}

/// Everything that needs no pairing.
pub(crate) fn decode(item: &Item<'_>) -> Result<Decoded, Refusal> {
    let Envelope {
        decoder,
        curve,
        mut members,
    } = Envelope::parse(item)?;
    decoder.decode(curve, &mut members, item.key)
}

/// A key on its own: decoded, and every point checked.
pub(crate) fn decode_key(text: &str) -> Result<KeyFacts, Refusal> {
    let mut members = Members::parse(text)?;
    let Envelope {
        decoder,
        curve,
        mut members,
    } = members.envelope()?;
    let key = decoder.key(curve.as_deref(), &members.required(&["vk"])?)?;
    threads::run(|| batch::check_key(&key)).map_err(|code| Refusal::new(code, explain(code)))?;
    Ok(KeyFacts::of(&key))
}
