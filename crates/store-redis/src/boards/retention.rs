//! How long windows are kept: until the sweep drops them; the expiry of their keys is a fallback.

use std::time::Duration;

use board::{Keep, Kind, Timestamp, Window};

/// How long the keys of a window outlive its retention, for windows that no sweep has dropped.
const BEYOND_RETENTION: Duration = Duration::from_hours(24);

/// How long a board that holds nothing is kept, from its creation or its last write on.
pub(crate) const LINGER: Duration = Duration::from_mins(1);

/// Returns how long after a touch a board may be written to without another one.
pub(super) fn untouched_max(idle: Duration) -> Duration {
    (idle / 8).max(Duration::from_millis(1))
}

/// Returns when a window is past its retention; `None` if never.
pub(super) fn gone_at(kind: &Kind, window: Window) -> Option<Timestamp> {
    let rule = kind.window_rule(window.period())?;
    match rule.keep {
        Keep::After(keep) => Some(kind.calendar().span(window).end?.plus(keep)),
        Keep::Forever | Keep::Idle(_) => None,
    }
}

/// Returns the time to live of a window's keys from `now` on, in milliseconds; 0 if they do not
/// expire.
pub(crate) fn time_to_live_ms(kind: &Kind, window: Window, now: Timestamp) -> i64 {
    let Some(gone) = gone_at(kind, window) else {
        return 0;
    };
    let left_ms = gone.millis().saturating_sub(now.millis());
    let beyond_ms = i64::try_from(BEYOND_RETENTION.as_millis()).unwrap_or(i64::MAX);
    left_ms.max(0).saturating_add(beyond_ms)
}
