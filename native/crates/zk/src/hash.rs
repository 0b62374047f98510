//! SHA-256 and the identities made with it: key, input and proof hashes (docs/reference: formats, "Identifiers").

use sha2::{Digest, Sha256};

/// SHA-256 of the concatenated parts.
pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// `str` of the formats: u16 length ‖ UTF-8. Labels are far shorter than 2^16.
fn push_str(out: &mut Vec<u8>, text: &str) {
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// H("cairn/vk/1" ‖ str system ‖ str curve ‖ canonical key).
pub(crate) fn vk_hash(system: &str, curve: &str, canonical_key: &[u8]) -> [u8; 32] {
    let mut head = b"cairn/vk/1".to_vec();
    push_str(&mut head, system);
    push_str(&mut head, curve);
    sha256(&[&head, canonical_key])
}

/// H(u32 count ‖ each as 32 bytes big-endian); `inputs` is a multiple of 32 bytes.
pub(crate) fn public_inputs_hash(inputs: &[u8]) -> [u8; 32] {
    let count = u32::try_from(inputs.len() / 32).unwrap_or(u32::MAX);
    sha256(&[&count.to_be_bytes(), inputs])
}
