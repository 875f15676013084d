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

/// Each period, shortest first: its name; from 1 the number by which stores persist what they hold by period, and a new
/// period gets the next; the hours of a part of a day; the number of weeks, if they are several.
const PERIODS: [(Period, &str, u8, u8, u8); 20] = [
    (Period::Hour, "hour", 1, 0, 0),
    (Period::TwoHours, "2h", 5, 2, 0),
    (Period::ThreeHours, "3h", 6, 3, 0),
    (Period::FourHours, "4h", 7, 4, 0),
    (Period::SixHours, "6h", 8, 6, 0),
    (Period::EightHours, "8h", 9, 8, 0),
    (Period::TwelveHours, "12h", 10, 12, 0),
    (Period::Day, "day", 2, 0, 0),
    (Period::Week, "week", 3, 0, 0),
    (Period::TwoWeeks, "2w", 13, 0, 2),
    (Period::ThreeWeeks, "3w", 14, 0, 3),
    (Period::FourWeeks, "4w", 15, 0, 4),
    (Period::Month, "month", 4, 0, 0),
    (Period::SixWeeks, "6w", 16, 0, 6),
    (Period::EightWeeks, "8w", 17, 0, 8),
    (Period::TwelveWeeks, "12w", 18, 0, 12),
    (Period::Quarter, "quarter", 11, 0, 0),
    (Period::Year, "year", 12, 0, 0),
    (Period::Season, "season", 19, 0, 0),
    (Period::All, "all", 0, 0, 0),
];

impl Period {
    /// Every period, shortest first.
    pub const ALL_PERIODS: [Self; 20] = {
        let mut all = [Self::All; 20];
        let mut index = 0;
        while index < all.len() {
            all[index] = PERIODS[index].0;
            index += 1;
        }
        all
    };

    /// The periods of a kind that does not set them.
    pub const DEFAULTS: [Self; 5] = [Self::Hour, Self::Day, Self::Week, Self::Month, Self::All];

    /// The periods whose windows have bounds, by [`number`](Self::number).
    pub const BOUNDED: [Self; 19] = {
        let mut bounded = [Self::All; 19];
        let mut index = 0;
        while index < PERIODS.len() {
            if let Some(number) = PERIODS[index].0.number() {
                bounded[number as usize] = PERIODS[index].0;
            }
            index += 1;
        }
        bounded
    };

    /// Returns the name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        PERIODS[self as usize].1
    }

    /// Returns the index in [`BOUNDED`](Self::BOUNDED). `None`: its window has no bounds.
    #[must_use]
    pub const fn number(self) -> Option<u8> {
        PERIODS[self as usize].2.checked_sub(1)
    }

    /// Returns the hours of a part of a day.
    #[must_use]
    pub const fn part_hours(self) -> Option<u8> {
        match PERIODS[self as usize].3 {
            0 => None,
            hours => Some(hours),
        }
    }

    /// Returns the number of weeks, if they are several.
    #[must_use]
    pub const fn weeks(self) -> Option<u8> {
        match PERIODS[self as usize].4 {
            0 => None,
            weeks => Some(weeks),
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

crate::text_form::text_form!(Period, as_str);

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
