//! The time limit of calls: looked at on every call and at every jump destination, so that no loop escapes it. Block
//! execution has none.

use crate::overlay::Overlay;
use revm::context_interface::context::ContextError;
use revm::handler::MainnetContext;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::{InstructionContext, InstructionResult};
use std::time::{Duration, Instant};

/// The failure of an execution that was given up.
pub(crate) const DEADLINE_PASSED: &str = "the deadline has passed";

/// Jump destinations between two looks at the clock.
const STEPS_PER_LOOK: u32 = 4096;

/// When to give up, if at all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    at: Option<Instant>,
    steps: u32,
}

impl Deadline {
    /// No limit.
    pub(crate) const NEVER: Self = Self { at: None, steps: 0 };

    /// So long from now; zero: no limit.
    pub(crate) fn after(limit: Duration) -> Self {
        let at = (!limit.is_zero()).then(|| Instant::now() + limit);
        Self { at, steps: 0 }
    }

    /// Whether it has passed.
    pub(crate) fn is_over(&self) -> bool {
        self.at.is_some_and(|at| Instant::now() >= at)
    }

    fn step(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        self.steps.is_multiple_of(STEPS_PER_LOOK) && self.is_over()
    }
}

/// `JUMPDEST` of calls.
pub(crate) fn timed_jump_destination(
    context: InstructionContext<'_, MainnetContext<Overlay>, EthInterpreter>,
) -> Result<(), InstructionResult> {
    if context.host.journaled_state.database.deadline.step() {
        context.host.error = Err(ContextError::Custom(DEADLINE_PASSED.to_owned()));
        return Err(InstructionResult::FatalExternalError);
    }
    Ok(())
}

/// A duration as Go prints it: `5s`, `1.5s`, `250ms`, `1m30s`.
pub(crate) fn go_duration(limit: Duration) -> String {
    let millis = limit.as_millis();
    if millis < 1000 {
        return format!("{millis}ms");
    }
    let (minutes, rest) = (millis / 60_000, millis % 60_000);
    let fraction = format!("{:03}", rest % 1000);
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    let seconds = format!("{}{dot}{fraction}s", rest / 1000);
    match (minutes / 60, minutes % 60) {
        (0, 0) => seconds,
        (0, minutes) => format!("{minutes}m{seconds}"),
        (hours, minutes) => format!("{hours}h{minutes}m{seconds}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_in_go() {
        let text = |millis| go_duration(Duration::from_millis(millis));
        assert_eq!(text(5000), "5s");
        assert_eq!(text(1500), "1.5s");
        assert_eq!(text(250), "250ms");
        assert_eq!(text(90_000), "1m30s");
        assert_eq!(text(3_600_000), "1h0m0s");
    }
}
