//! [`Timestamp`]: epoch microseconds in UTC, and the notations that clients may use.
//!
//! Not here: any clock (`now` is a parameter everywhere), and time zones, which are in `window`.

pub(crate) mod civil;
pub(crate) mod rfc3339;
pub(crate) mod text;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use rfc3339::TextError;
use text::excerpt;

/// The smallest integer that is interpreted as milliseconds. Smaller integers are seconds: in
/// seconds 10^11 is the year 5138, in milliseconds it is March 1973.
const REQUEST_MIN_MS: i64 = 100_000_000_000;

/// The smallest integer that is interpreted as microseconds, by the same rule.
const REQUEST_MIN_US: i64 = 1_000 * REQUEST_MIN_MS;

/// A moment: microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deserialize, Serialize)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The earliest moment a client may name, 1973-01-01T00:00:00.000000Z.
    pub const EARLIEST: Self = Self(94_694_400_000_000);

    /// The latest moment a client may name, 9999-12-31T23:59:59.999999Z.
    pub const LATEST: Self = Self(253_402_300_799_999_999);

    /// Parses the integer that a client sent: milliseconds below 10^14, otherwise microseconds.
    ///
    /// Fails for integers below 10^11, which are seconds, and for those after the year 9999.
    pub fn from_request_integer(value: i64) -> Result<Self, TimestampError> {
        match value {
            ..REQUEST_MIN_MS => Err(TimestampError::TooSmall { value }),
            REQUEST_MIN_MS..REQUEST_MIN_US => Ok(Self::from_millis(value)),
            _ if value <= Self::LATEST.0 => Ok(Self(value)),
            _ => Err(TimestampError::OutOfRange {
                text: value.to_string(),
            }),
        }
    }

    /// Parses RFC 3339 text, which has an offset or `Z`. Digits beyond the microseconds are
    /// dropped: the moment moves towards the past, never into the next window.
    pub fn parse_rfc3339(text: &str) -> Result<Self, TimestampError> {
        let at = Self::parse_stored(text)?;
        if !(Self::EARLIEST..=Self::LATEST).contains(&at) {
            return Err(TimestampError::OutOfRange {
                text: excerpt(text),
            });
        }
        Ok(at)
    }

    /// Parses text that a store has written: also the start of a window that contains the earliest
    /// accepted time.
    pub fn parse_stored(text: &str) -> Result<Self, TimestampError> {
        let us = rfc3339::parse(text).map_err(|fault| match fault {
            TextError::Malformed => TimestampError::Malformed {
                text: excerpt(text),
            },
            TextError::NoOffset => TimestampError::NoOffset {
                text: excerpt(text),
            },
        })?;
        Ok(Self(us))
    }

    /// Creates a timestamp without a check: from a clock, or from a value that was checked before
    /// it was stored.
    #[must_use]
    pub const fn from_micros(us: i64) -> Self {
        Self(us)
    }

    /// Converts a time in whole milliseconds. Saturates.
    #[must_use]
    pub const fn from_millis(ms: i64) -> Self {
        Self(ms.saturating_mul(1_000))
    }

    /// Microseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Whole milliseconds since 1970-01-01T00:00:00Z, rounded down.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// Returns the moment this much later, in whole microseconds. Saturates.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(whole_micros(duration)))
    }

    /// Returns the moment this much earlier, in whole microseconds. Saturates.
    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(whole_micros(duration)))
    }

    /// Returns how much later this moment is than another one; zero if it is earlier.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        let us = self.0.saturating_sub(earlier.0);
        Duration::from_micros(u64::try_from(us).unwrap_or(0))
    }

    /// Returns ASCII such as `2026-11-20T14:52:22.123456Z`.
    ///
    /// Outside of the years 0 to 9999, which RFC 3339 cannot express, returns the nearest moment
    /// inside.
    #[must_use]
    pub fn to_rfc3339(self) -> [u8; 27] {
        rfc3339::write(self.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.to_rfc3339();
        f.pad(str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

fn whole_micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// Why a client's text or number is not a timestamp.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TimestampError {
    /// An integer too small to be milliseconds.
    #[error(
        "{value} is too small for epoch milliseconds (at least {REQUEST_MIN_MS}); \
         seconds have to be multiplied by 1000"
    )]
    TooSmall {
        /// What was sent.
        value: i64,
    },
    /// Outside of the accepted years.
    #[error("`{text}` lies outside the years 1973 to 9999 (UTC)")]
    OutOfRange {
        /// What was sent.
        text: String,
    },
    /// A local time without an offset is ambiguous.
    #[error("`{text}` has no offset: end it with `Z` or one such as `+08:00`")]
    NoOffset {
        /// What was sent.
        text: String,
    },
    /// Neither notation, or a date or time of day that does not exist.
    #[error(
        "`{text}` is not a time: RFC 3339 such as `2026-11-20T14:52:22.123456Z`, \
 or integer epoch milliseconds or microseconds, is accepted"
    )]
    Malformed {
        /// What was sent.
        text: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_milliseconds_from_ten_to_the_eleven_and_microseconds_from_ten_to_the_fourteen_on()
     {
        for (value, us) in [
            (REQUEST_MIN_MS, REQUEST_MIN_US),
            (1_795_186_342_123, 1_795_186_342_123_000),
            (REQUEST_MIN_US - 1, 99_999_999_999_999_000),
            (REQUEST_MIN_US, REQUEST_MIN_US),
            (1_795_186_342_123_456, 1_795_186_342_123_456),
            (Timestamp::LATEST.micros(), Timestamp::LATEST.micros()),
        ] {
            assert_eq!(Timestamp::from_request_integer(value), Ok(Timestamp(us)));
        }
        for value in [REQUEST_MIN_MS - 1, 1_795_186_342, 0, -1, i64::MIN] {
            let refused = Timestamp::from_request_integer(value);
            assert_eq!(refused, Err(TimestampError::TooSmall { value }));
        }
        for value in [
            Timestamp::LATEST.micros() + 1,
            1_795_186_342_123_456_000,
            i64::MAX,
        ] {
            let refused = Timestamp::from_request_integer(value);
            assert_eq!(
                refused,
                Err(TimestampError::OutOfRange {
                    text: value.to_string()
                })
            );
        }
    }

    #[test]
    fn text_outside_the_accepted_years_is_rejected_by_its_instant() {
        let read = |text| Timestamp::parse_rfc3339(text);
        assert_eq!(read("1973-01-01T00:00:00Z"), Ok(Timestamp::EARLIEST));
        assert_eq!(read("1972-12-31T19:00:00-05:00"), Ok(Timestamp::EARLIEST));
        assert_eq!(read("9999-12-31T23:59:59.9999999Z"), Ok(Timestamp::LATEST));
        for text in [
            "1972-12-31T23:59:59.999999Z",
            "1973-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00",
        ] {
            assert_eq!(
                read(text),
                Err(TimestampError::OutOfRange {
                    text: text.to_owned()
                })
            );
        }
    }

    #[test]
    fn errors_name_what_was_sent_and_what_is_accepted() {
        let message = |text| Timestamp::parse_rfc3339(text).unwrap_err().to_string();
        assert_eq!(
            message("2026-11-20T14:52:22"),
            "`2026-11-20T14:52:22` has no offset: end it with `Z` or one such as `+08:00`"
        );
        assert_eq!(
            message("yesterday"),
            "`yesterday` is not a time: RFC 3339 such as `2026-11-20T14:52:22.123456Z`, \
 or integer epoch milliseconds or microseconds, is accepted"
        );
        assert_eq!(
            Timestamp::from_request_integer(1_795_186_342)
                .unwrap_err()
                .to_string(),
            "1795186342 is too small for epoch milliseconds (at least 100000000000); \
             seconds have to be multiplied by 1000"
        );
        assert!(
            message(&"9".repeat(10_000)).len() < 300,
            "a long text is quoted in part"
        );
    }

    #[test]
    fn adding_and_subtracting_saturate() {
        let at = Timestamp::from_millis(1);
        assert_eq!(at.plus(Duration::from_nanos(1_999)).micros(), 1_001);
        assert_eq!(at.minus(Duration::from_millis(2)).micros(), -1_000);
        assert_eq!(at.plus(Duration::MAX).micros(), i64::MAX);
        assert_eq!(Timestamp(-2).minus(Duration::MAX).micros(), i64::MIN);
        assert_eq!(Timestamp(-1).millis(), -1, "rounded down");
        assert_eq!(Timestamp::from_millis(i64::MIN).micros(), i64::MIN);
        assert_eq!(at.since(Timestamp(-1)), Duration::from_micros(1_001));
        assert_eq!(Timestamp(-1).since(at), Duration::ZERO);
    }

    #[test]
    fn display_pads() {
        let at = Timestamp::from_micros(1_795_186_342_123_456);
        assert_eq!(at.to_string(), "2026-11-20T14:52:22.123456Z");
        assert_eq!(format!("{at:>29}"), "  2026-11-20T14:52:22.123456Z");
    }
}
