//! The calendar as arithmetic: [`Date`] to and from a count of days, weeks.
//!
//! Proleptic Gregorian. Internally, years begin in March, so that the leap day comes last. Not
//! here: time zones; a day is a day of whatever clock the caller uses.

pub(crate) const SECOND_MS: i64 = 1_000;
pub(crate) const MINUTE_MS: i64 = 60 * SECOND_MS;
pub(crate) const HOUR_MS: i64 = 60 * MINUTE_MS;
pub(crate) const DAY_MS: i64 = 24 * HOUR_MS;

/// Days after which dates and weekdays repeat: 400 years, a whole number of weeks.
pub(crate) const CYCLE_DAYS: i64 = 146_097;

/// Days from 0000-03-01 to 1970-01-01.
const MARCH_EPOCH_DAYS: i64 = 719_468;

/// Cycles added before dividing, so that nothing is negative.
const SHIFT_CYCLES: i64 = 82;

/// A day of the Gregorian calendar. `month` and `day` count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Date {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
}

impl Date {
    /// Returns the date with these numbers, if it exists.
    pub(crate) fn new(year: i64, month: i64, day: i64) -> Option<Self> {
        let date = Self { year, month, day };
        ((1..=12).contains(&month) && Self::from_days(date.days()) == date).then_some(date)
    }

    /// Returns the date that many days after 1970-01-01.
    ///
    /// Uses multiplications and shifts in place of most divisions, after Neri and Schneider,
    /// "Euclidean affine functions and their application to calendar algorithms" (2023), figure 12.
    /// Correct from the year -32800 on.
    pub(crate) const fn from_days(days: i64) -> Self {
        let quarters = 4 * (days + MARCH_EPOCH_DAYS + SHIFT_CYCLES * CYCLE_DAYS) + 3;
        let century = quarters / CYCLE_DAYS;
        let scaled = 2_939_745 * ((quarters % CYCLE_DAYS) | 3);
        let year_of_century = scaled >> 32;
        let of_year = (scaled & 0xffff_ffff) / 2_939_745 / 4;
        let month_and_day = 2_141 * of_year + 197_913;
        let month = month_and_day >> 16;
        let day = (month_and_day & 0xffff) / 2_141 + 1;
        let year = 100 * century + year_of_century - 400 * SHIFT_CYCLES;
        // January and February are months 13 and 14 of the previous year.
        if month > 12 {
            Self {
                year: year + 1,
                month: month - 12,
                day,
            }
        } else {
            Self { year, month, day }
        }
    }

    /// Returns the days since 1970-01-01. After Howard Hinnant's `days_from_civil`.
    pub(crate) const fn days(self) -> i64 {
        let year = if self.month <= 2 {
            self.year - 1
        } else {
            self.year
        };
        let cycle = year.div_euclid(400);
        let year_of_cycle = year.rem_euclid(400);
        let from_march = (self.month + 9) % 12;
        let of_year = (153 * from_march + 2) / 5 + self.day - 1;
        let of_cycle = year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + of_year;
        cycle * CYCLE_DAYS + of_cycle - MARCH_EPOCH_DAYS
    }

    /// Returns the first day of the span of so many months (a divisor of 12) around this date.
    pub(crate) const fn months_around(self, months: i64) -> Self {
        Self {
            year: self.year,
            month: self.month - (self.month - 1) % months,
            day: 1,
        }
    }

    /// Returns the same day so many months later, up to 12.
    pub(crate) const fn months_later(self, months: i64) -> Self {
        let month = self.month + months;
        let turns = (month > 12) as i64;
        Self {
            year: self.year + turns,
            month: month - 12 * turns,
            ..self
        }
    }
}

/// Returns the first day of the week around a day. `begin` is the weekday of first days: 0 for
/// Monday to 6 for Sunday.
pub(crate) const fn week_around(days: i64, begin: i64) -> i64 {
    // 1970-01-01 was a Thursday.
    days - (days + 3 - begin).rem_euclid(7)
}

/// Returns year and number of the week that begins with this day: as in ISO 8601 if that is a Monday.
/// A week belongs to the year that contains most of its days, which is that of its fourth day.
pub(crate) const fn week_number(first: i64) -> (i64, i64) {
    let fourth = first + 3;
    let year = Date::from_days(fourth).year;
    let new_year = Date {
        year,
        month: 1,
        day: 1,
    }
    .days();
    (year, (fourth - new_year) / 7 + 1)
}

/// Returns the first day of a week by its number, if the year has that week. `begin` as in
/// [`week_around`].
pub(crate) fn week_start(year: i64, week: i64, begin: i64) -> Option<i64> {
    // The fourth of January lies in week 1 of every year.
    let january = Date {
        year,
        month: 1,
        day: 4,
    };
    let first = week_around(january.days(), begin) + 7 * (week - 1);
    (week_number(first) == (year, week)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_agree_with_jiff_day_by_day() {
        let mut date = jiff::civil::date(1968, 1, 1);
        let mut days = -731;
        while date.year() < 2405 {
            let (year, month, day) = (
                i64::from(date.year()),
                i64::from(date.month()),
                i64::from(date.day()),
            );
            assert_eq!(Date::from_days(days), Date { year, month, day });
            assert_eq!(Date { year, month, day }.days(), days);
            let iso = date.iso_week_date();
            let expected = (i64::from(iso.year()), i64::from(iso.week()));
            let monday = week_around(days, 0);
            assert_eq!(week_number(monday), expected, "{date}");
            assert_eq!(week_start(expected.0, expected.1, 0), Some(monday));
            for begin in 0..7 {
                let first = week_around(days, begin);
                assert!((first..first + 7).contains(&days));
                assert_eq!((first + 3).rem_euclid(7), begin, "{date}");
                let (year, week) = week_number(first);
                assert_eq!(week_start(year, week, begin), Some(first));
            }
            date = date.tomorrow().unwrap();
            days += 1;
        }
    }

    #[test]
    fn days_that_do_not_exist() {
        for (year, month, day) in [
            (2026, 2, 29),
            (2026, 2, 30),
            (1900, 2, 29),
            (2026, 4, 31),
            (2026, 13, 1),
        ] {
            assert_eq!(Date::new(year, month, day), None);
        }
        for (year, month, day) in [(2026, 0, 1), (2026, 1, 0), (2026, 12, 32)] {
            assert_eq!(Date::new(year, month, day), None);
        }
        for (year, month, day) in [(2024, 2, 29), (2000, 2, 29), (2026, 12, 31)] {
            assert_eq!(Date::new(year, month, day), Some(Date { year, month, day }));
        }
    }

    #[test]
    fn weeks_that_do_not_exist() {
        for (year, week) in [(2025, 53), (2026, 54), (2026, 0), (2021, 53)] {
            assert_eq!(week_start(year, week, 0), None);
        }
        assert!(week_start(2026, 53, 0).is_some());
        assert!(week_start(2020, 53, 0).is_some());
    }
}
