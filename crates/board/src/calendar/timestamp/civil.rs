//! Days and local times as counts, to and from the dates of jiff; weeks.
//!
//! A day is a day of whatever clock the caller uses. Not here: time zones.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};

use super::text::has_form;

pub(crate) const MINUTE_MS: i64 = 60_000;
pub(crate) const HOUR_MS: i64 = 60 * MINUTE_MS;
pub(crate) const DAY_MS: i64 = 24 * HOUR_MS;

/// Days after which dates and weekdays repeat: 400 years, a whole number of weeks.
pub(crate) const CYCLE_DAYS: i64 = 146_097;

/// The form of a date.
pub(crate) const DATE: &str = "0000-00-00";

const EPOCH: Date = Date::constant(1970, 1, 1);

/// Days from 0001-01-01 to 1970-01-01.
const EPOCH_DAYS: i64 = 719_162;

/// Returns the start of a year, in milliseconds. Also of years that jiff does not have.
pub(crate) const fn new_year(year: i64) -> i64 {
    let before = year - 1;
    let leap_days = before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400);
    (365 * before + leap_days - EPOCH_DAYS) * DAY_MS
}

/// Returns the date so many days after 1970-01-01, or the nearest one that jiff has: to the end of 9999.
pub(crate) fn date_of(days: i64) -> Date {
    EPOCH.saturating_add(SignedDuration::from_hours(24 * days))
}

/// Returns the days since 1970-01-01.
pub(crate) fn days_of(date: Date) -> i64 {
    date.duration_since(EPOCH).as_hours() / 24
}

/// Returns the time so much later than the start of 1970, or the nearest one that jiff has.
pub(crate) fn time_after(since: SignedDuration) -> DateTime {
    EPOCH.to_datetime(Time::midnight()).saturating_add(since)
}

/// Returns how much later a time is than the start of 1970.
pub(crate) fn since_epoch(local: DateTime) -> SignedDuration {
    local.duration_since(EPOCH.to_datetime(Time::midnight()))
}

/// Parses `2026-11-20` alone: jiff accepts other forms, too. `None` also if there is no such date.
pub(crate) fn parse_date(text: &str) -> Option<Date> {
    let date = has_form(text, DATE).then(|| text.parse());
    date?.ok()
}

/// Parses `05:30` alone. Returns milliseconds.
pub(crate) fn parse_time_of_day(text: &str) -> Option<i64> {
    let time = has_form(text, "00:00").then(|| text.parse::<Time>());
    let since = time?.ok()?.duration_since(Time::midnight());
    Some(since.as_secs() * 1_000)
}

/// Parses an offset such as `+08:00`, which has the limits of a time of day. Returns milliseconds.
pub(crate) fn parse_offset(text: &str) -> Option<i64> {
    match text.split_at_checked(1)? {
        ("+", time) => parse_time_of_day(time),
        ("-", time) => parse_time_of_day(time).map(|offset| -offset),
        _ => None,
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
pub(crate) fn week_number(first: i64) -> (i64, i64) {
    let fourth = date_of(first + 3);
    (
        fourth.year().into(),
        i64::from(fourth.day_of_year() - 1) / 7 + 1,
    )
}

/// Returns the first day of a week by its number, if the year has that week. `begin` as in
/// [`week_around`].
pub(crate) fn week_start(year: i64, week: i64, begin: i64) -> Option<i64> {
    // The fourth of January lies in week 1 of every year.
    let january = new_year(year) / DAY_MS + 3;
    let first = week_around(january, begin) + 7 * (week - 1);
    (week_number(first) == (year, week)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_weeks_agree_with_jiff_day_by_day() {
        let mut date = jiff::civil::date(1968, 1, 1);
        let mut days = -731;
        while date.year() < 2405 {
            assert_eq!((date_of(days), days_of(date)), (date, days));
            if date.day_of_year() == 1 {
                assert_eq!(new_year(date.year().into()), days * DAY_MS);
            }
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
    fn weeks_that_do_not_exist() {
        for (year, week) in [(2025, 53), (2026, 54), (2026, 0), (2021, 53)] {
            assert_eq!(week_start(year, week, 0), None);
        }
        assert!(week_start(2026, 53, 0).is_some());
        assert!(week_start(2020, 53, 0).is_some());
    }

    #[test]
    fn the_last_weeks_of_9999_have_different_names() {
        let end = new_year(10_000) / DAY_MS;
        for begin in 0..7 {
            let first = week_around(end - 1, begin);
            let (year, week) = week_number(first);
            assert_eq!(week_start(year, week, begin), Some(first));
            assert_eq!((year, week - 1), week_number(first - 7));
        }
    }

    #[test]
    fn dates_and_times_have_one_form() {
        assert_eq!(parse_date("2024-02-29").map(days_of), Some(19_782));
        for text in [
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-13-01",
            "2026-00-01",
            "2026-01-00",
            "20261120",
            "+002026-11-20",
            "2026-W47-5",
            "2026-11-20T00:00",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
        assert_eq!(parse_time_of_day("23:59"), Some(DAY_MS - MINUTE_MS));
        for text in ["24:00", "05:60", "0530", "05", "05:30:00", "T05:30"] {
            assert_eq!(parse_time_of_day(text), None, "{text}");
        }
        assert_eq!(parse_offset("-03:30"), Some(-7 * HOUR_MS / 2));
        for text in [
            "", "Z", "08:00", "+8:00", "+0800", "+24:00", "+08:60", "é08:00",
        ] {
            assert_eq!(parse_offset(text), None, "{text}");
        }
    }
}
