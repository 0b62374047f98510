//! Where the traces of many transactions go, one by one: gathered here, or sent on by a process of its own.

use super::TraceFailure;
use super::tracer::TOO_LARGE;

/// A trace of many is given up when its text grows beyond this.
pub(super) const MOST_BYTES: usize = 256 << 20;

/// Takes a block's entries as they are made.
pub(super) trait Entries {
    /// A transaction is about to be traced.
    fn begin(&mut self);

    /// One entry, JSON text.
    fn push(&mut self, json: &str) -> Result<(), TraceFailure>;
}

/// Entries gathered as a JSON array.
#[derive(Debug, Default)]
pub(super) struct Collected {
    text: String,
}

impl Collected {
    /// Adds an entry.
    pub(super) fn push(&mut self, json: &str) -> Result<(), TraceFailure> {
        if self.text.len() + json.len() > MOST_BYTES {
            return Err(TraceFailure::Failed(TOO_LARGE.to_owned()));
        }
        self.text.push(if self.text.is_empty() { '[' } else { ',' });
        self.text.push_str(json);
        Ok(())
    }

    /// The array.
    pub(super) fn finish(mut self) -> String {
        if self.text.is_empty() {
            self.text.push('[');
        }
        self.text.push(']');
        self.text
    }
}

impl Entries for Collected {
    fn begin(&mut self) {}

    fn push(&mut self, json: &str) -> Result<(), TraceFailure> {
        Self::push(self, json)
    }
}
