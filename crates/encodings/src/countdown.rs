//! Times as the time left until a far moment, so that an earlier time is a greater number: [`Countdown`].

use std::fmt;
use std::time::Duration;

use board::Timestamp;

use crate::error::{DecodeError, EncodeError};

/// The unit of times. Times are rounded down to it, towards the past, as other services do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Seconds, written `s`.
    #[default]
    Seconds,
    /// Milliseconds, written `ms`.
    Millis,
}

impl Unit {
    /// Returns the milliseconds of one unit.
    #[must_use]
    pub const fn millis(self) -> i64 {
        match self {
            Self::Seconds => 1000,
            Self::Millis => 1,
        }
    }

    /// Returns the name, in the plural.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Millis => "milliseconds",
        }
    }

    /// Returns the number of units since 1970.
    pub(crate) const fn count(self, at: Timestamp) -> i64 {
        at.millis().div_euclid(self.millis())
    }

    /// Returns the moment that many units after 1970, if a board accepts it.
    pub(crate) fn moment(self, count: i64) -> Result<Timestamp, DecodeError> {
        let millis = count.saturating_mul(self.millis());
        let at = Timestamp::from_millis(millis);
        if (Timestamp::EARLIEST..=Timestamp::LATEST).contains(&at) {
            Ok(at)
        } else {
            Err(DecodeError::Time(millis))
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seconds => "s",
            Self::Millis => "ms",
        })
    }
}

/// Counts down to a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Countdown {
    /// The moment to which it counts down, in units since 1970.
    pub(crate) until: i64,
    pub(crate) unit: Unit,
    /// The smallest number: 0, or 1 where 0 means that there is no time.
    pub(crate) least: i64,
    /// The largest number.
    pub(crate) most: i64,
}

impl Countdown {
    /// Returns how much is left at a moment.
    pub(crate) fn left(&self, at: Timestamp) -> Result<i64, EncodeError> {
        let left = self.until - self.unit.count(at);
        let (earliest, latest) = (self.earliest(), self.latest());
        if (earliest..=latest).contains(&at) && (self.least..=self.most).contains(&left) {
            Ok(left)
        } else {
            Err(EncodeError::Time {
                at,
                earliest,
                latest,
            })
        }
    }

    /// Returns the moment at which this much was left.
    pub(crate) fn moment(&self, left: i64) -> Result<Timestamp, DecodeError> {
        self.unit.moment(self.until.saturating_sub(left))
    }

    /// Returns the earliest moment that can be represented.
    pub(crate) fn earliest(&self) -> Timestamp {
        let first = (self.until - self.most).saturating_mul(self.unit.millis());
        Timestamp::from_millis(first).max(Timestamp::EARLIEST)
    }

    /// Returns the latest moment that can be represented.
    pub(crate) fn latest(&self) -> Timestamp {
        let end = (self.until - self.least + 1).saturating_mul(self.unit.millis());
        let last = Timestamp::from_millis(end).minus(Duration::from_micros(1));
        last.min(Timestamp::LATEST)
    }

    /// Returns whether it can represent any moment that a board accepts.
    pub(crate) fn has_times(&self) -> bool {
        self.earliest() <= self.latest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_grows_towards_the_past() {
        let countdown = Countdown {
            until: 1_800_000_000,
            unit: Unit::Seconds,
            least: 0,
            most: 999,
        };
        let at = |ms| Timestamp::from_millis(ms);
        assert_eq!(countdown.left(at(1_799_999_001_000)), Ok(999));
        assert_eq!(countdown.left(at(1_799_999_001_999)), Ok(999));
        assert_eq!(countdown.left(at(1_800_000_000_999)), Ok(0));
        for outside in [1_799_999_000_999, 1_800_000_001_000] {
            assert!(countdown.left(at(outside)).is_err(), "{outside}");
        }
        assert_eq!(countdown.moment(999), Ok(at(1_799_999_001_000)));
        assert!(countdown.moment(i64::MIN).is_err());
    }
}
