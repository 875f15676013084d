//! Times, and the windows of time zones.
//!
//! A [`Timestamp`] is a moment in microseconds. A [`Calendar`] says which [`Window`] of a [`Period`] contains it:
//! hours, parts of days, days, weeks, months, quarters, years, and seasons of a list or of a cron expression.
//!
//! Pure: no clock (`now` is a parameter), and the time zones are compiled in.

mod timestamp;
mod window;

pub use timestamp::{Timestamp, TimestampError};
pub use window::{
    Calendar, DayStart, DayStartError, Period, Seasons, SeasonsError, SelectorError, Span,
    UnknownPeriod, UnknownTimeZone, Weekday, WeeksFrom, WeeksFromError, Window, WindowSelector,
};
