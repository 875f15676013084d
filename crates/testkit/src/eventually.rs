//! Waiting for a condition: polls with a deadline.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// Long enough for a machine under load. A test that passes never waits this long.
pub const DEADLINE: Duration = Duration::from_mins(1);

const POLL_EVERY: Duration = Duration::from_millis(5);

/// Polls until `poll` returns `Some`; panics with `what` at the deadline.
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
