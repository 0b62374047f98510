//! A persistent hexary Merkle-Patricia trie (Yellow Paper, appendix D): nodes are written once and never changed, so
//! every root ever made stays readable. Knows keys as nibbles and values as bytes; accounts and slots are not its words.

pub(crate) mod lanes;
pub(crate) mod node;
pub(crate) mod proof;
pub(crate) mod range;
pub(crate) mod record;
pub(crate) mod shape;
pub(crate) mod source;
#[cfg(test)]
mod tests;
pub(crate) mod update;
pub(crate) mod walk;
