//! [`Period`]: the length of a window. Its names are those of selectors and of a kind's
//! configuration.

use std::fmt;
use std::str::FromStr;

use crate::calendar::timestamp::text::excerpt;

/// The length of a window, shortest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Period {
    /// An hour of the local clock.
    Hour,
    /// A twelfth of a day; parts of a day are longer or shorter where the clock changes within them.
    TwoHours,
    /// An eighth of a day.
    ThreeHours,
    /// A sixth of a day.
    FourHours,
    /// A quarter of a day.
    SixHours,
    /// A third of a day.
    EightHours,
    /// Half a day.
    TwelveHours,
    /// A local day, of 23 or 25 hours where the clock changes.
    Day,
    /// Seven days, from Monday on unless the calendar says another day.
    Week,
    /// Two weeks, counted from a date of the calendar. The others of several weeks likewise.
    TwoWeeks,
    /// Three weeks.
    ThreeWeeks,
    /// Four weeks.
    FourWeeks,
    /// A month of the Gregorian calendar.
    Month,
    /// Six weeks.
    SixWeeks,
    /// Eight weeks.
    EightWeeks,
    /// Twelve weeks.
    TwelveWeeks,
    /// Three months, from January, April, July or October on.
    Quarter,
    /// A year of the Gregorian calendar.
    Year,
    /// A season of the calendar: as long as its kind says.
    Season,
    /// All of time.
    All,
}

impl Period {
    /// Every period, shortest first.
    pub const ALL_PERIODS: [Self; 20] = [
        Self::Hour,
        Self::TwoHours,
        Self::ThreeHours,
        Self::FourHours,
        Self::SixHours,
        Self::EightHours,
        Self::TwelveHours,
        Self::Day,
        Self::Week,
        Self::TwoWeeks,
        Self::ThreeWeeks,
        Self::FourWeeks,
        Self::Month,
        Self::SixWeeks,
        Self::EightWeeks,
        Self::TwelveWeeks,
        Self::Quarter,
        Self::Year,
        Self::Season,
        Self::All,
    ];

    /// The periods of a kind that does not set them.
    pub const DEFAULTS: [Self; 5] = [Self::Hour, Self::Day, Self::Week, Self::Month, Self::All];

    /// The periods whose windows have bounds, by [`number`](Self::number).
    pub const BOUNDED: [Self; 19] = {
        let mut bounded = [Self::All; 19];
        let mut index = 0;
        while index < Self::ALL_PERIODS.len() {
            let period = Self::ALL_PERIODS[index];
            if let Some(number) = period.number() {
                bounded[number as usize] = period;
            }
            index += 1;
        }
        bounded
    };

    /// Returns the name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::TwoHours => "2h",
            Self::ThreeHours => "3h",
            Self::FourHours => "4h",
            Self::SixHours => "6h",
            Self::EightHours => "8h",
            Self::TwelveHours => "12h",
            Self::Day => "day",
            Self::Week => "week",
            Self::TwoWeeks => "2w",
            Self::ThreeWeeks => "3w",
            Self::FourWeeks => "4w",
            Self::Month => "month",
            Self::SixWeeks => "6w",
            Self::EightWeeks => "8w",
            Self::TwelveWeeks => "12w",
            Self::Quarter => "quarter",
            Self::Year => "year",
            Self::Season => "season",
            Self::All => "all",
        }
    }

    /// Returns the index in [`BOUNDED`](Self::BOUNDED), by which stores persist what they hold by
    /// period. A new period gets the next number. `None`: its window has no bounds.
    #[must_use]
    pub const fn number(self) -> Option<u8> {
        match self {
            Self::Hour => Some(0),
            Self::Day => Some(1),
            Self::Week => Some(2),
            Self::Month => Some(3),
            Self::TwoHours => Some(4),
            Self::ThreeHours => Some(5),
            Self::FourHours => Some(6),
            Self::SixHours => Some(7),
            Self::EightHours => Some(8),
            Self::TwelveHours => Some(9),
            Self::Quarter => Some(10),
            Self::Year => Some(11),
            Self::TwoWeeks => Some(12),
            Self::ThreeWeeks => Some(13),
            Self::FourWeeks => Some(14),
            Self::SixWeeks => Some(15),
            Self::EightWeeks => Some(16),
            Self::TwelveWeeks => Some(17),
            Self::Season => Some(18),
            Self::All => None,
        }
    }

    /// Returns the hours of a part of a day.
    #[must_use]
    pub const fn part_hours(self) -> Option<u8> {
        match self {
            Self::TwoHours => Some(2),
            Self::ThreeHours => Some(3),
            Self::FourHours => Some(4),
            Self::SixHours => Some(6),
            Self::EightHours => Some(8),
            Self::TwelveHours => Some(12),
            _ => None,
        }
    }

    /// Returns the number of weeks, if they are several.
    #[must_use]
    pub const fn weeks(self) -> Option<u8> {
        match self {
            Self::TwoWeeks => Some(2),
            Self::ThreeWeeks => Some(3),
            Self::FourWeeks => Some(4),
            Self::SixWeeks => Some(6),
            Self::EightWeeks => Some(8),
            Self::TwelveWeeks => Some(12),
            _ => None,
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
#[error(
    "`{word}` is not a period: hour, 2h, 3h, 4h, 6h, 8h, 12h, day, week, 2w, 3w, 4w, month, 6w, 8w, 12w, quarter, \
     year, season and all are accepted"
)]
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
        let expected = [
            "hour", "2h", "3h", "4h", "6h", "8h", "12h", "day", "week", "2w", "3w", "4w", "month",
            "6w", "8w", "12w", "quarter", "year", "season", "all",
        ];
        assert_eq!(words, expected);
        assert_eq!(
            words.map(|word| word.parse::<Period>().unwrap()),
            Period::ALL_PERIODS
        );
        assert!(Period::ALL_PERIODS.is_sorted());
    }

    #[test]
    fn numbers_are_indexes_of_the_periods_with_bounds() {
        for (index, period) in Period::BOUNDED.into_iter().enumerate() {
            assert_eq!(period.number().map(usize::from), Some(index));
        }
        let unbounded: Vec<_> = Period::ALL_PERIODS
            .into_iter()
            .filter(|period| !Period::BOUNDED.contains(period))
            .collect();
        assert_eq!(unbounded, [Period::All]);
        assert_eq!(Period::All.number(), None);
    }

    #[test]
    fn other_words_are_rejected() {
        for word in [
            "",
            "Day",
            "days",
            "fortnight",
            " day",
            "1h",
            "5h",
            "06h",
            "24h",
            "6H",
            "1w",
            "5w",
            "2W",
        ] {
            assert_eq!(
                word.parse::<Period>(),
                Err(UnknownPeriod {
                    word: word.to_owned()
                })
            );
        }
        assert_eq!(
            "fortnight".parse::<Period>().unwrap_err().to_string(),
            "`fortnight` is not a period: hour, 2h, 3h, 4h, 6h, 8h, 12h, day, week, 2w, 3w, 4w, month, 6w, 8w, \
             12w, quarter, year, season and all are accepted"
        );
    }
}
