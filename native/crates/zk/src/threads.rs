//! The two worker threads of proof verification. Small machines: verification must not take every core from the node.

use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Most threads that verification uses.
pub(crate) const MAX_THREADS: usize = 2;

static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// Runs `work` so that its parallel parts use the crate's own threads; on the caller's when they cannot be started.
pub(crate) fn run<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let start = || {
        ThreadPoolBuilder::new()
            .num_threads(MAX_THREADS)
            .thread_name(|i| format!("cairn-zk-{i}"))
            .build()
            .ok()
    };
    match POOL.get_or_init(start) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
