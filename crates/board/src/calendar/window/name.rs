//! The names of windows: `day:2026-11-20`. Written here, parsed by `selector`.

use super::seasons::Seasons;
use super::{Calendar, Period, Window};
use crate::calendar::timestamp::civil::{DAY_MS, HOUR_MS, MINUTE_MS, date_of, week_number};

impl Calendar {
    /// Returns the name of a window of this calendar, by its local date: `hour:2026-11-20T14+08:00`,
    /// `6h:2026-11-20T12`, `day:2026-11-20`, `week:2026-W47`, `2w:2026-11-09`, `month:2026-11`,
    /// `quarter:2026-Q4`, `year:2026`, `season:spring-2026`, `all`.
    ///
    /// An hour always has its offset, since the same local hour may occur twice. A part of a day is
    /// named by its nominal start, with the minutes if days do not begin at a full hour.
    #[must_use]
    pub fn name(&self, window: Window) -> String {
        let period = window.period();
        let (shown, offset) = self.local_at(window.start());
        let local = match period {
            Period::All => return "all".to_owned(),
            Period::Season => return self.name_of_season(self.nominal(period, shown).0),
            Period::Hour => shown,
            _ => self.nominal(period, shown).0,
        };
        let days = match period.part_hours() {
            None if period != Period::Hour => local - self.day_start().millis(),
            _ => local,
        }
        .div_euclid(DAY_MS);
        let date = date_of(days);
        let (year, month) = (date.year(), date.month());
        let hour = local.rem_euclid(DAY_MS) / HOUR_MS;
        match period {
            Period::Hour => format!("hour:{date}T{hour:02}{}", offset_text(offset)),
            days if days == Period::Day || days.weeks().is_some() => format!("{days}:{date}"),
            Period::Week => {
                let (year, week) = week_number(days);
                format!("week:{year:04}-W{week:02}")
            }
            Period::Month => format!("month:{year:04}-{month:02}"),
            Period::Quarter => format!("quarter:{year:04}-Q{}", (month + 2) / 3),
            Period::Year => format!("year:{year:04}"),
            // All others are named above.
            part => {
                let minutes = match local.rem_euclid(HOUR_MS) / MINUTE_MS {
                    0 => String::new(),
                    minutes => format!(":{minutes:02}"),
                };
                format!("{part}:{date}T{hour:02}{minutes}")
            }
        }
    }
}

impl Calendar {
    fn name_of_season(&self, start: i64) -> String {
        let name = self.seasons().map(|seasons| seasons.name_of(start));
        let name = name.unwrap_or_else(|| Seasons::none().name_of(start));
        format!("season:{name}")
    }
}

/// Formats an offset in milliseconds as `+08:00`.
pub(super) fn offset_text(offset: i64) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let (hours, minutes) = (offset.abs() / HOUR_MS, offset.abs() / MINUTE_MS % 60);
    format!("{sign}{hours:02}:{minutes:02}")
}

#[cfg(test)]
mod tests {
    use crate::calendar::{Calendar, Period, Timestamp, Weekday};

    fn names(zone: &str, at: &str) -> [String; 5] {
        let calendar = Calendar::new(zone).unwrap();
        Period::DEFAULTS.map(|period| name(&calendar, period, at))
    }

    fn name(calendar: &Calendar, period: Period, at: &str) -> String {
        let at = Timestamp::parse_rfc3339(at).unwrap();
        calendar.name(calendar.span_at(period, at).window)
    }

    #[test]
    fn parts_of_days_and_of_years_are_named_by_their_start() {
        let calendar = Calendar::new("Asia/Shanghai").unwrap();
        let at = "2026-11-20T14:52:22.123000Z";
        for (period, expected) in [
            (Period::TwoHours, "2h:2026-11-20T22"),
            (Period::ThreeHours, "3h:2026-11-20T21"),
            (Period::FourHours, "4h:2026-11-20T20"),
            (Period::SixHours, "6h:2026-11-20T18"),
            (Period::EightHours, "8h:2026-11-20T16"),
            (Period::TwelveHours, "12h:2026-11-20T12"),
            // Counted from 1970-01-05.
            (Period::TwoWeeks, "2w:2026-11-09"),
            (Period::ThreeWeeks, "3w:2026-11-16"),
            (Period::TwelveWeeks, "12w:2026-10-26"),
            (Period::Quarter, "quarter:2026-Q4"),
            (Period::Year, "year:2026"),
        ] {
            assert_eq!(name(&calendar, period, at), expected);
        }
        for (at, expected) in [
            ("2026-12-31T16:00:00Z", "quarter:2027-Q1"),
            ("2026-03-31T15:59:59Z", "quarter:2026-Q1"),
            ("2026-03-31T16:00:00Z", "quarter:2026-Q2"),
            ("2026-09-30T15:59:59Z", "quarter:2026-Q3"),
        ] {
            assert_eq!(name(&calendar, Period::Quarter, at), expected);
        }
        // The clock skips the hour from 2 to 3: the part is named by its nominal start.
        let new_york = Calendar::new("America/New_York").unwrap();
        let skipped = name(&new_york, Period::TwoHours, "2026-03-08T07:30:00Z");
        assert_eq!(skipped, "2h:2026-03-08T02");
    }

    #[test]
    fn a_day_that_begins_later_has_the_date_on_which_it_begins() {
        let calendar = Calendar::utc().beginning("05:30".parse().unwrap(), Weekday::Sunday);
        for (period, at, expected) in [
            (
                Period::Hour,
                "2026-11-20T05:29:59Z",
                "hour:2026-11-20T05+00:00",
            ),
            (
                Period::SixHours,
                "2026-11-20T05:29:59Z",
                "6h:2026-11-19T23:30",
            ),
            (Period::Day, "2026-11-20T05:29:59Z", "day:2026-11-19"),
            (Period::Day, "2026-11-20T05:30:00Z", "day:2026-11-20"),
            (Period::Week, "2026-11-22T05:29:59Z", "week:2026-W46"),
            (Period::Week, "2026-11-22T05:30:00Z", "week:2026-W47"),
            // The week from Sunday, 2027-01-03, is the first with four days in 2027.
            (Period::Week, "2027-01-03T05:00:00Z", "week:2026-W52"),
            (Period::Week, "2027-01-03T05:30:00Z", "week:2027-W01"),
            (Period::Month, "2026-12-01T05:29:59Z", "month:2026-11"),
            (Period::Quarter, "2027-01-01T05:29:59Z", "quarter:2026-Q4"),
            (Period::Year, "2027-01-01T05:29:59Z", "year:2026"),
        ] {
            assert_eq!(name(&calendar, period, at), expected, "{at}");
        }
    }

    #[test]
    fn windows_are_named_by_their_local_date() {
        assert_eq!(
            names("UTC", "2026-11-20T14:52:22.123000Z"),
            [
                "hour:2026-11-20T14+00:00",
                "day:2026-11-20",
                "week:2026-W47",
                "month:2026-11",
                "all"
            ]
        );
        assert_eq!(
            names("Asia/Shanghai", "2026-11-20T06:52:22Z")[0],
            "hour:2026-11-20T14+08:00"
        );
        assert_eq!(
            names("America/New_York", "2013-01-15T12:30:00Z")[0],
            "hour:2013-01-15T07-05:00"
        );
        assert_eq!(
            names("America/New_York", "2013-01-14T04:59:59Z"),
            [
                "hour:2013-01-13T23-05:00",
                "day:2013-01-13",
                "week:2013-W02",
                "month:2013-01",
                "all"
            ]
        );
        assert_eq!(
            names("America/St_Johns", "2026-12-31T12:00:00Z")[0],
            "hour:2026-12-31T08-03:30"
        );
    }

    #[test]
    fn weeks_belong_to_the_year_of_their_thursday() {
        for (date, week) in [
            ("2020-12-31", "week:2020-W53"),
            ("2021-01-03", "week:2020-W53"),
            ("2021-01-04", "week:2021-W01"),
            ("2024-12-29", "week:2024-W52"),
            ("2024-12-30", "week:2025-W01"),
            ("2026-12-28", "week:2026-W53"),
            ("2027-01-03", "week:2026-W53"),
            ("2024-02-29", "week:2024-W09"),
        ] {
            assert_eq!(
                names("UTC", &format!("{date}T23:59:59.999000Z"))[2],
                week,
                "{date}"
            );
        }
    }

    #[test]
    fn the_ends_of_time_have_names() {
        let tokyo = names("Asia/Tokyo", "9999-12-31T23:59:59.999000Z");
        assert_eq!(tokyo[..2], ["hour:9999-12-31T23+09:00", "day:9999-12-31"]);
        let new_york = names("America/New_York", "1973-01-01T00:00:00Z");
        assert_eq!(
            new_york[..4],
            [
                "hour:1972-12-31T19-05:00",
                "day:1972-12-31",
                "week:1972-W52",
                "month:1972-12"
            ]
        );
    }
}
