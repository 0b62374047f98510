//! Hashing for JavaScript: what runs over whole blocks there.

use napi::Env;
use napi::bindgen_prelude::BufferSlice;
use napi_derive::napi;

/// Keccak-256 as Ethereum uses it: 32 bytes.
#[napi(js_name = "keccak256")]
pub fn keccak256<'env>(env: &'env Env, bytes: &[u8]) -> napi::Result<BufferSlice<'env>> {
    BufferSlice::copy_from(env, alloy_primitives::keccak256(bytes))
}
