//! The refund counter as geth shows it: over all open frames.

use revm::interpreter::Interpreter;

/// Refund counters of the open frames, the current one last.
#[derive(Debug, Default)]
pub(super) struct Refunds(Vec<i64>);

impl Refunds {
    /// A frame begins.
    pub(super) fn enter(&mut self) {
        self.0.push(0);
    }

    /// A frame ends.
    pub(super) fn exit(&mut self) {
        self.0.pop();
    }

    /// The current frame's counter as it is now.
    pub(super) fn see(&mut self, interp: &Interpreter) {
        if let Some(own) = self.0.last_mut() {
            *own = interp.gas.refunded();
        }
    }

    /// The whole counter.
    pub(super) fn total(&self) -> u64 {
        u64::try_from(self.0.iter().sum::<i64>()).unwrap_or_default()
    }
}
