//! Times as Prometheus tells them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A duration in seconds.
#[must_use]
pub const fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

/// Now, in seconds since 1970.
#[must_use]
pub fn unix_seconds() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs_f64()
}
