//! [`Period`]: the length of a window. Its names are those of selectors and of a kind's
//! configuration.

use std::fmt;
use std::str::FromStr;

use crate::timestamp::text::excerpt;

/// The length of a window, shortest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Period {
    /// An hour of the local clock.
    Hour,
    /// A local day, of 23 or 25 hours where the clock changes.
    Day,
    /// An ISO week, Monday to Sunday.
    Week,
    /// A month of the Gregorian calendar.
    Month,
    /// All of time.
    All,
}

impl Period {
    /// Every period, shortest first.
    pub const ALL_PERIODS: [Self; 5] = [Self::Hour, Self::Day, Self::Week, Self::Month, Self::All];

    /// Returns the name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::All => "all",
        }
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Period {
    type Err = UnknownPeriod;

    fn from_str(word: &str) -> Result<Self, UnknownPeriod> {
        Self::ALL_PERIODS
            .into_iter()
            .find(|period| period.as_str() == word)
            .ok_or_else(|| UnknownPeriod {
                word: excerpt(word),
            })
    }
}

/// A text that is not the name of a period.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{word}` is not a period: `hour`, `day`, `week`, `month` and `all` are accepted")]
pub struct UnknownPeriod {
    /// The text.
    pub word: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_their_period() {
        let words = Period::ALL_PERIODS.map(Period::as_str);
        assert_eq!(words, ["hour", "day", "week", "month", "all"]);
        assert_eq!(
            words.map(|word| word.parse::<Period>().unwrap()),
            Period::ALL_PERIODS
        );
        assert!(Period::ALL_PERIODS.is_sorted());
    }

    #[test]
    fn other_words_are_rejected() {
        for word in ["", "Day", "days", "fortnight", " day"] {
            assert_eq!(
                word.parse::<Period>(),
                Err(UnknownPeriod {
                    word: word.to_owned()
                })
            );
        }
        assert_eq!(
            "fortnight".parse::<Period>().unwrap_err().to_string(),
            "`fortnight` is not a period: `hour`, `day`, `week`, `month` and `all` are accepted"
        );
    }
}
