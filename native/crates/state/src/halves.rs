//! A map over a slice on two threads, for work that is large enough.

/// Below this many items a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 512;

/// `work` on each item, in order.
pub(crate) fn map_in_halves<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    if items.len() < WORTH_A_THREAD {
        return items.iter().map(work).collect();
    }
    let (low, high) = items.split_at(items.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| high.iter().map(&work).collect::<Vec<R>>());
        let mut results: Vec<R> = Vec::with_capacity(items.len());
        results.extend(low.iter().map(&work));
        match other.join() {
            Ok(rest) => results.extend(rest),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        results
    })
}
