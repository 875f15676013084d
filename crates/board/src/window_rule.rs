//! [`WindowRule`]: one period that a kind ranks by, and how long its windows are kept.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::calendar::Period;
use crate::calendar::Timestamp;

/// How long a window is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// Forever.
    Forever,
    /// This long after the window's end.
    After(Duration),
    /// Until the board was not written to for this long. Only for the window without bounds.
    Idle(Duration),
}

/// One period that a kind ranks by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WindowRule {
    /// The period.
    pub period: Period,
    /// How long its windows are kept.
    pub keep: Keep,
    /// How long after its end a window accepts late contributions. `None`: as long as it is kept.
    pub close: Option<Duration>,
    /// The first start of a window, for a period that was added to a kind with boards.
    pub since: Option<Timestamp>,
}

impl WindowRule {
    /// Returns the rule of a period with default settings.
    #[must_use]
    pub const fn with_defaults(period: Period) -> Self {
        const DAY: u64 = 24 * 3600;
        let keep = match period {
            Period::Hour => Keep::After(Duration::from_hours(48)),
            Period::TwoHours
            | Period::ThreeHours
            | Period::FourHours
            | Period::SixHours
            | Period::EightHours
            | Period::TwelveHours => Keep::After(Duration::from_secs(7 * DAY)),
            Period::Day => Keep::After(Duration::from_secs(35 * DAY)),
            Period::Week => Keep::After(Duration::from_secs(70 * DAY)),
            // As `humantime` counts: a month is 30.44 days.
            Period::TwoWeeks
            | Period::ThreeWeeks
            | Period::FourWeeks
            | Period::Month
            | Period::SixWeeks
            | Period::EightWeeks
            | Period::TwelveWeeks => Keep::After(Duration::from_secs(13 * 2_630_016)),
            // And a year 365.25 days.
            Period::Quarter | Period::Season => Keep::After(Duration::from_hours(2 * 8766)),
            Period::Year => Keep::After(Duration::from_hours(10 * 8766)),
            Period::All => Keep::Forever,
        };
        Self {
            period,
            keep,
            close: None,
            since: None,
        }
    }
}
