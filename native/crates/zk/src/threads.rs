//! The worker threads of proof verification. Small machines: verification must not take every core from the node, and
//! what submissions ask for must not delay blocks or requests.

use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Most threads that one kind of verification uses.
pub(crate) const MAX_THREADS: usize = 2;

/// Under load, threads with this nice value get about a tenth of the processor time of others.
#[cfg(target_os = "linux")]
const BACKGROUND_NICE: i32 = 10;

static BLOCKS: OnceLock<Option<ThreadPool>> = OnceLock::new();
static BACKGROUND: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// Runs `work` so that its parallel parts use threads of this crate: those it runs on already, else those for blocks;
/// the caller's when they cannot be started.
pub(crate) fn run<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    on(&BLOCKS, || pool("cairn-zk"), work)
}

/// [`run`] on threads that give way to all others.
pub(crate) fn run_in_background<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let start = || pool("cairn-zk-bg").start_handler(|_| give_way());
    on(&BACKGROUND, start, work)
}

fn on<T: Send>(
    pool: &OnceLock<Option<ThreadPool>>,
    start: impl FnOnce() -> ThreadPoolBuilder,
    work: impl FnOnce() -> T + Send,
) -> T {
    if rayon::current_thread_index().is_some() {
        return work();
    }
    match pool.get_or_init(|| start().build().ok()) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

fn pool(name: &'static str) -> ThreadPoolBuilder {
    ThreadPoolBuilder::new()
        .num_threads(MAX_THREADS)
        .thread_name(move |i| format!("{name}-{i}"))
}

/// Lowers the priority of the calling thread; where the system refuses, it stays as it is.
fn give_way() {
    // Only on Linux does this mean the thread and not the whole process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, BACKGROUND_NICE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_parts_of_background_work_stay_in_the_background() {
        let name = || {
            std::thread::current()
                .name()
                .unwrap_or_default()
                .to_string()
        };
        assert!(run(name).starts_with("cairn-zk-"));
        assert!(!run(name).starts_with("cairn-zk-bg-"));
        assert!(run_in_background(|| run(name)).starts_with("cairn-zk-bg-"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn background_threads_give_way() {
        let nice = || rustix::process::getpriority_process(None).ok();
        assert_eq!(run_in_background(nice), Some(BACKGROUND_NICE));
        assert_ne!(run(nice), Some(BACKGROUND_NICE));
    }
}
