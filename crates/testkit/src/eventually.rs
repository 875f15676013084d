//! Waiting for what has to come: polled, with a deadline that only a failure meets.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// Generous: a machine under load may take its time, and a passing test never waits it out.
pub const DEADLINE: Duration = Duration::from_mins(1);

const POLL_EVERY: Duration = Duration::from_millis(5);

/// Polls until there is something; panics with `what` when the deadline is met.
#[track_caller]
pub fn eventually<T>(what: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + DEADLINE;
    loop {
        if let Some(found) = poll() {
            return found;
        }
        assert!(Instant::now() < end, "{what}: not within {DEADLINE:?}");
        sleep(POLL_EVERY);
    }
}
