//! The door between Node and the Rust core: one handle class, and functions to open it, for proofs, for hashing and
//! for the tracer process. Owns the crossing only: bytes and
//! JSON text in both directions, threads, unwinding, stable error codes. The documented interface is
//! `packages/native`.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)
)]

mod calls;
mod explore;
mod failure;
mod handle;
mod hashing;
mod job;
mod reads;
mod requests;
mod shapes;
mod simulations;
mod trace;
mod verdicts;
