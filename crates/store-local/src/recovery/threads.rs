//! Shares work out to several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runs `work` for 0..count on several threads. After an error others may or may not have run.
pub(super) fn share_out<E: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let share = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return Ok(());
            }
            work(index)?;
        }
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads()).map(|_| scope.spawn(share)).collect();
        let mine = share();
        let joined = others.into_iter().map(|other| {
            let ended = other.join();
            ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        joined.chain([mine]).collect()
    })
}

/// Returns how many threads share work.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
