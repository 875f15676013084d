//! [`Drain`]: how long the server has its clients leave before it stops.

use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

/// The maximum. Files of `deploy/` and other supervisors allow a minute for the default.
const DRAIN_MAX: Duration = Duration::from_mins(5);

/// How long the server has its clients leave before it stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Drain(pub(crate) Duration);

/// A text that is not a valid time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a time between 0s and 5m, such as 5s")]
pub(crate) struct UnknownTime(String);

impl FromStr for Drain {
    type Err = UnknownTime;

    fn from_str(text: &str) -> Result<Self, UnknownTime> {
        let time = humantime::parse_duration(text).ok();
        let time = time.filter(|time| *time <= DRAIN_MAX);
        time.map(Self).ok_or_else(|| UnknownTime(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Drain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drain_takes_up_to_five_minutes() {
        for (text, seconds) in [("0s", 0), ("5s", 5), ("1m 30s", 90), ("5m", 300)] {
            assert_eq!(text.parse(), Ok(Drain(Duration::from_secs(seconds))));
        }
        for text in ["", "5", "-1s", "301s", "soon"] {
            let error = text.parse::<Drain>().unwrap_err().to_string();
            assert!(error.contains(&format!("{text:?}")), "{error}");
        }
    }
}
