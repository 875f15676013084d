//! How long windows stay: until the sweep drops them, and their keys where no sweep comes.

use std::time::Duration;

use board::{Keep, Kind, Timestamp, Window};

/// How long the keys of a window stay beyond its retention: the sweep drops windows, this what a
/// sweep never saw.
const BEYOND_RETENTION: Duration = Duration::from_hours(24);

/// How long a board that holds nothing stays, from its creation or its last write on.
pub const LINGER: Duration = Duration::from_mins(1);

/// When a window is past its retention, if it ever is.
pub(super) fn gone_at(kind: &Kind, window: Window) -> Option<Timestamp> {
    let rule = kind.window_rule(window.period())?;
    match rule.keep {
        Keep::After(keep) => Some(kind.calendar().span(window).end?.plus(keep)),
        Keep::Forever | Keep::Idle(_) => None,
    }
}

/// How long a window's keys live from `now` on, in milliseconds; 0 for those that stay.
#[must_use]
pub fn time_to_live_ms(kind: &Kind, window: Window, now: Timestamp) -> i64 {
    let Some(gone) = gone_at(kind, window) else {
        return 0;
    };
    let left_ms = gone.millis().saturating_sub(now.millis());
    let beyond_ms = i64::try_from(BEYOND_RETENTION.as_millis()).unwrap_or(i64::MAX);
    left_ms.max(0).saturating_add(beyond_ms)
}
