//! Times in the units of Prometheus.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Converts a duration to seconds.
#[must_use]
pub const fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

/// Returns the current time, in seconds since 1970.
#[must_use]
pub fn unix_seconds() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs_f64()
}
