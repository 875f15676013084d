//! Windows: the time spans that rankings cover, local to a kind's time zone.
//!
//! A [`Calendar`] (a time zone) determines which [`Window`] of a [`Period`] an instant falls into,
//! its [`Span`], its name, and what a selector such as `day:2026-11-20` means. The windows of one
//! period partition time: every instant lies in exactly one, and each ends where the next one
//! starts, across every clock change.
//!
//! Not here: how long windows are kept, when they close, and what the current time is.

mod begin;
mod calendar;
mod name;
mod period;
mod seasons;
mod selector;
mod selector_error;
mod zone;

pub use begin::{DayStart, DayStartError, Weekday, WeeksFrom, WeeksFromError};
pub use calendar::{Calendar, UnknownTimeZone};
pub use period::{Period, UnknownPeriod};
pub use seasons::{Seasons, SeasonsError};
pub use selector::WindowSelector;
pub use selector_error::SelectorError;

use serde::{Deserialize, Serialize};

use crate::calendar::Timestamp;

/// One window, identified by its first instant. Only its calendar knows where it ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deserialize, Serialize)]
#[serde(try_from = "(u8, Timestamp)", into = "(u8, Timestamp)")]
pub struct Window {
    period: Period,
    start: Timestamp,
}

impl Window {
    /// The window without bounds. Its start is meaningless: earlier instants lie in it as well.
    pub const ALL_TIME: Self = Self {
        period: Period::All,
        start: Timestamp::from_millis(0),
    };

    /// Returns the window of this period that starts at `start`, as it was stored. For
    /// [`Period::All`] the only window is [`Window::ALL_TIME`].
    #[must_use]
    pub const fn starting_at(period: Period, start: Timestamp) -> Self {
        match period {
            Period::All => Self::ALL_TIME,
            _ => Self { period, start },
        }
    }

    /// Returns the period.
    #[must_use]
    pub const fn period(self) -> Period {
        self.period
    }

    /// Returns the first instant.
    #[must_use]
    pub const fn start(self) -> Timestamp {
        self.start
    }
}

/// The number of the window's period, from 1, or 0 if it has no bounds.
impl From<Window> for (u8, Timestamp) {
    fn from(window: Window) -> Self {
        let number = window.period.number().map_or(0, |number| number + 1);
        (number, window.start)
    }
}

impl TryFrom<(u8, Timestamp)> for Window {
    type Error = &'static str;

    fn try_from((number, start): (u8, Timestamp)) -> Result<Self, &'static str> {
        let Some(number) = number.checked_sub(1) else {
            return Ok(Self::ALL_TIME);
        };
        let period = Period::BOUNDED.get(usize::from(number));
        let period = *period.ok_or("there is no period of this number")?;
        Ok(Self::starting_at(period, start))
    }
}

/// The extent of a window: from its start (inclusive) to `end` (exclusive).
///
/// Contributions arrive mostly in the order of their time, so that callers that cache the last span
/// seldom need the calendar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The window.
    pub window: Window,
    /// The first instant after it; `None` for the window without bounds.
    pub end: Option<Timestamp>,
}

impl Span {
    /// The span without bounds.
    pub const ALL_TIME: Self = Self {
        window: Window::ALL_TIME,
        end: None,
    };

    /// Returns whether the window covers this instant.
    #[must_use]
    pub fn contains(&self, at: Timestamp) -> bool {
        self.end
            .is_none_or(|end| self.window.start <= at && at < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_includes_its_start_and_excludes_its_end() {
        let at = Timestamp::from_millis;
        let window = Window::starting_at(Period::Hour, at(100));
        let span = Span {
            window,
            end: Some(at(200)),
        };
        let covered = [99, 100, 199, 200].map(|ms| span.contains(at(ms)));
        assert_eq!(covered, [false, true, true, false]);
    }

    #[test]
    fn all_time_contains_every_instant_and_is_one_window() {
        assert!(Span::ALL_TIME.contains(Timestamp::from_millis(i64::MIN)));
        assert!(Span::ALL_TIME.contains(Timestamp::from_millis(i64::MAX)));
        let read_back = Window::starting_at(Period::All, Timestamp::from_millis(5));
        assert_eq!(read_back, Window::ALL_TIME);
    }
}
