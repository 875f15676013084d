//! [`SelectorError`]: why a text does not select a window.
//!
//! Not here: HTTP statuses.

use super::Period;

/// Why a text does not select a window.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectorError {
    /// It does not begin with a period.
    #[error(
        "`{selector}` is not a window: use a period such as `day`, `previous`, `day:previous`, or a name such as \
         `day:2026-11-20`, `week:2026-W47` or `hour:2026-11-20T14+08:00`"
    )]
    Unknown {
        /// The text.
        selector: String,
    },
    /// The text after the period does not have the expected form.
    #[error("`{selector}` is not a window: the form of period `{period}` is `{example}`")]
    Malformed {
        /// The text.
        selector: String,
        /// The period it begins with.
        period: Period,
        /// An example of a window of that period.
        example: &'static str,
    },
    /// A time or a day at which no window of the period begins.
    #[error("`{selector}` is not the start of a window: use `{around}`")]
    NotAStart {
        /// The text.
        selector: String,
        /// Name of the window around that time.
        around: String,
    },
    /// A date or week that does not exist in the calendar.
    #[error("`{selector}` names a date that does not exist")]
    NoSuchDate {
        /// The text.
        selector: String,
    },
    /// A name that no season of the kind has.
    #[error("`{selector}` names no season of this kind")]
    NoSuchSeason {
        /// The text.
        selector: String,
    },
    /// A day, or hours, that the local clock skipped.
    #[error("`{selector}` does not exist in {time_zone}: its clock skipped it")]
    Skipped {
        /// The text.
        selector: String,
        /// The time zone.
        time_zone: String,
    },
    /// An hour without an offset that occurs twice, because the clock was set back.
    #[error("`{selector}` is ambiguous: use `{earlier}` or `{later}`")]
    AmbiguousHour {
        /// The text.
        selector: String,
        /// Name of the first one.
        earlier: String,
        /// Name of the second one.
        later: String,
    },
    /// An hour with an offset that the local clock does not have in that hour.
    #[error("`{selector}` does not exist in {time_zone}: its offset in that hour is {in_force}")]
    WrongOffset {
        /// The text.
        selector: String,
        /// The time zone.
        time_zone: String,
        /// The offset that it has; `-04:00 or -05:00` where the hour comes twice.
        in_force: String,
    },
    /// The window contains no accepted time.
    #[error("`{selector}` lies outside the years 1973 to 9999")]
    OutOfRange {
        /// The text.
        selector: String,
    },
}
