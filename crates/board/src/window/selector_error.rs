//! [`SelectorError`]: why a selector names no window, in words for whoever wrote it.
//!
//! Not here: HTTP statuses.

use super::Period;

/// Why a selector names no window.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectorError {
    /// It does not begin with a period.
    #[error(
        "`{selector}` is no window: `hour`, `day`, `week`, `month` and `all` are accepted, and \
         names such as `hour:2026-11-20T14+08:00`, `day:2026-11-20`, `week:2026-W47`, \
         `month:2026-11`"
    )]
    Unknown {
        /// What was given.
        selector: String,
    },
    /// What follows the period is not in its form.
    #[error("`{selector}` is no window: one of period `{period}` is written `{example}`")]
    Malformed {
        /// What was given.
        selector: String,
        /// The period it begins with.
        period: Period,
        /// A window of that period.
        example: &'static str,
    },
    /// A date or week that is on no calendar.
    #[error("`{selector}` names a date that does not exist")]
    NoSuchDate {
        /// What was given.
        selector: String,
    },
    /// A day or hour that the local clock left out.
    #[error("`{selector}` does not exist in {time_zone}: its clock skipped it")]
    Skipped {
        /// What was given.
        selector: String,
        /// The time zone.
        time_zone: String,
    },
    /// An hour without an offset, in which the clock was set back.
    #[error("`{selector}` means two hours: name `{earlier}` or `{later}`")]
    AmbiguousHour {
        /// What was given.
        selector: String,
        /// Name of the first one.
        earlier: String,
        /// Name of the second one.
        later: String,
    },
    /// An hour with an offset that the local clock does not have then.
    #[error("`{selector}` does not exist in {time_zone}: its offset in that hour is {in_force}")]
    WrongOffset {
        /// What was given.
        selector: String,
        /// The time zone.
        time_zone: String,
        /// The offset that it has; `-04:00 or -05:00` where the hour comes twice.
        in_force: String,
    },
    /// No time that is accepted lies in it.
    #[error("`{selector}` lies outside the years 1973 to 9999")]
    OutOfRange {
        /// What was given.
        selector: String,
    },
}
