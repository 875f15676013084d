//! [`DayStart`], [`Weekday`] and [`WeeksFrom`]: when the days and the weeks of a calendar begin.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::calendar::timestamp::civil::{
    MINUTE_MS, date_of, days_of, parse_date, parse_time_of_day,
};
use crate::calendar::timestamp::text::excerpt;

/// The local time at which days begin, to the minute. The default is midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DayStart {
    minutes: u16,
}

impl DayStart {
    /// Returns the time of day in milliseconds.
    pub(super) fn millis(self) -> i64 {
        i64::from(self.minutes) * MINUTE_MS
    }

    /// Returns the minutes after midnight.
    #[must_use]
    pub const fn minutes(self) -> u16 {
        self.minutes
    }
}

impl fmt::Display for DayStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.minutes / 60, self.minutes % 60)
    }
}

impl FromStr for DayStart {
    type Err = DayStartError;

    fn from_str(text: &str) -> Result<Self, DayStartError> {
        parse_time_of_day(text)
            .and_then(|ms| u16::try_from(ms / MINUTE_MS).ok())
            .map(|minutes| Self { minutes })
            .ok_or_else(|| DayStartError {
                text: excerpt(text),
            })
    }
}

crate::text_form::text_form!(DayStart);

/// A text that is not a time of day.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is not a time of day: times from `00:00` to `23:59` are accepted")]
pub struct DayStartError {
    /// The text.
    pub text: String,
}

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weekday {
    /// The first day of a week of ISO 8601.
    #[default]
    Monday,
    /// The second.
    Tuesday,
    /// The third.
    Wednesday,
    /// The fourth.
    Thursday,
    /// The fifth.
    Friday,
    /// The sixth.
    Saturday,
    /// The seventh.
    Sunday,
}

/// The date from which windows of several weeks are counted: one of each length begins on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WeeksFrom {
    /// Days since 1970-01-01.
    day: i64,
}

impl WeeksFrom {
    /// Returns the date as days since 1970-01-01.
    pub(super) const fn day(self) -> i64 {
        self.day
    }
}

impl fmt::Display for WeeksFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        date_of(self.day).fmt(f)
    }
}

impl FromStr for WeeksFrom {
    type Err = WeeksFromError;

    fn from_str(text: &str) -> Result<Self, WeeksFromError> {
        parse_date(text)
            .map(|date| Self { day: days_of(date) })
            .ok_or_else(|| WeeksFromError {
                text: excerpt(text),
            })
    }
}

crate::text_form::text_form!(WeeksFrom);

/// A text that is not a date.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is not a date: dates such as `2026-01-05` are accepted")]
pub struct WeeksFromError {
    /// The text.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_they_are_parsed() {
        for (text, day) in [
            ("1970-01-05", 4),
            ("2026-01-05", 20_458),
            ("0000-01-01", -719_528),
        ] {
            let from: WeeksFrom = text.parse().unwrap();
            assert_eq!((from.day(), from.to_string()), (day, text.to_owned()));
        }
        for text in ["", "2026-02-30", "2026-1-5", "2026-01-05T00", "26-01-05"] {
            let error = text.parse::<WeeksFrom>().unwrap_err();
            assert_eq!(error.text, text);
        }
        assert_eq!(
            "monday".parse::<WeeksFrom>().unwrap_err().to_string(),
            "`monday` is not a date: dates such as `2026-01-05` are accepted"
        );
    }

    #[test]
    fn times_of_day_are_written_as_they_are_parsed() {
        for (text, minutes) in [
            ("00:00", 0),
            ("05:00", 300),
            ("05:07", 307),
            ("23:59", 1439),
        ] {
            let start: DayStart = text.parse().unwrap();
            assert_eq!(
                (start.minutes(), start.to_string()),
                (minutes, text.to_owned())
            );
        }
        assert_eq!(DayStart::default().to_string(), "00:00");
        for text in [
            "", "5:00", "05", "24:00", "05:60", "05:00:00", "0500", "+5:00", "05:00 ",
        ] {
            let error = text.parse::<DayStart>().unwrap_err();
            assert_eq!(error.text, text);
        }
        assert_eq!(
            "5 am".parse::<DayStart>().unwrap_err().to_string(),
            "`5 am` is not a time of day: times from `00:00` to `23:59` are accepted"
        );
    }
}
