//! What a leaderboard is: kinds, fields, order, folding, windows, identifiers, limits.
//!
//! Pure: no I/O, no async, no clock (`now` is a parameter), no serde.

mod timestamp;
mod window;

pub use timestamp::{Timestamp, TimestampError};
pub use window::{
    Calendar, Period, SelectorError, Span, UnknownPeriod, UnknownTimeZone, Window, WindowSelector,
};
