//! [`Naive`]: a calendar that reads the clock of every minute.

use board::calendar::Period;
use jiff::ToSpan;
use jiff::civil::{Date, DateTime};
use jiff::tz::{Offset, TimeZone};

use crate::windows::{Begin, HOUR_MS, MINUTE_MS, time_zone};

pub(crate) fn is_weekday(date: Date, from_monday: usize) -> bool {
    usize::try_from(date.weekday().to_monday_zero_offset()) == Ok(from_monday)
}

/// The number of weeks of a period such as `2w`.
pub(crate) fn weeks_of(period: Period) -> Option<i32> {
    period.as_str().strip_suffix('w')?.parse().ok()
}

/// The naive twin.
pub(crate) struct Naive {
    zone: TimeZone,
    /// Minutes after midnight at which days begin.
    day_start: i64,
    /// The day on which weeks begin, from Monday on.
    week_start: usize,
    /// A day on which windows of several weeks begin.
    weeks_from: Date,
}

impl Naive {
    pub(crate) fn new(zone: &str, (day_start, week_start, from): Begin) -> Self {
        let is_first = |date: &Date| is_weekday(*date, week_start);
        let first = (1..=7)
            .map(|day| Date::constant(1970, 1, day))
            .find(is_first);
        Self {
            zone: time_zone(zone),
            day_start,
            week_start,
            weeks_from: from.map_or(first.unwrap(), |date| date.parse().unwrap()),
        }
    }

    fn local(&self, ms: i64) -> DateTime {
        self.zone
            .to_datetime(jiff::Timestamp::from_millisecond(ms).unwrap())
    }

    fn offset(&self, ms: i64) -> Offset {
        self.zone
            .to_offset(jiff::Timestamp::from_millisecond(ms).unwrap())
    }

    /// The first minute at which the clock shows this time or a later one, by watching it.
    pub(crate) fn reaches(&self, local: DateTime) -> i64 {
        let utc = local.to_zoned(TimeZone::UTC).unwrap().timestamp();
        let from = utc.as_millisecond() - 15 * HOUR_MS;
        (0..30 * 60)
            .map(|minute| from + minute * MINUTE_MS)
            .find(|ms| self.local(*ms) >= local)
            .unwrap()
    }

    /// When a date begins by the clock.
    fn begin_of(&self, date: Date) -> DateTime {
        date.at(0, 0, 0, 0) + self.day_start.minutes()
    }

    /// The latest nominal start that has been reached by then. `start` is one around the time that the
    /// clock shows; they follow each other at this distance.
    fn latest(&self, mut start: DateTime, apart: jiff::Span, ms: i64) -> DateTime {
        while self.reaches(start + apart) <= ms {
            start += apart;
        }
        start
    }

    /// The latest date that has begun by then.
    fn date_at(&self, ms: i64) -> Date {
        let shown = (self.local(ms) - self.day_start.minutes()).date();
        let latest = self.latest(self.begin_of(shown), 1.day(), ms);
        (latest - self.day_start.minutes()).date()
    }

    /// The nominal start of a window of whole days, and of the next one.
    fn days(&self, period: Period, ms: i64) -> (DateTime, DateTime) {
        let date = self.date_at(ms);
        let first_of_month = date.first_of_month();
        let (first, next) = match period {
            Period::Day => (date, date.tomorrow().unwrap()),
            Period::Week => {
                let mut first = date;
                while !is_weekday(first, self.week_start) {
                    first = first.yesterday().unwrap();
                }
                (first, first + 7.days())
            }
            Period::Month => (first_of_month, first_of_month + 1.month()),
            Period::Quarter => {
                let mut first = first_of_month;
                while ![1, 4, 7, 10].contains(&first.month()) {
                    first -= 1.month();
                }
                (first, first + 3.months())
            }
            Period::Year => (date.first_of_year(), date.first_of_year() + 1.year()),
            _ => {
                let days = 7 * weeks_of(period).expect("a period of several weeks");
                let since = (date - self.weeks_from).get_days();
                let first = date - i64::from(since.rem_euclid(days)).days();
                (first, first + i64::from(days).days())
            }
        };
        (self.begin_of(first), self.begin_of(next))
    }

    /// The nominal start of a part of a day, and of the next part.
    fn part(&self, hours: i64, ms: i64) -> (DateTime, DateTime) {
        let shown = self.local(ms);
        let mut start = self.begin_of((shown - self.day_start.minutes()).date());
        while start + hours.hours() <= shown {
            start += hours.hours();
        }
        let start = self.latest(start, hours.hours(), ms);
        (start, start + hours.hours())
    }

    /// The minutes around this one with the same local hour at the same offset.
    fn hour(&self, ms: i64) -> (i64, i64) {
        let same = |other: i64| {
            let hour = |ms| {
                let local = self.local(ms);
                (local.date(), local.hour(), self.offset(ms))
            };
            hour(other) == hour(ms)
        };
        let mut start = ms.div_euclid(MINUTE_MS) * MINUTE_MS;
        let mut end = start + MINUTE_MS;
        while same(start - MINUTE_MS) {
            start -= MINUTE_MS;
        }
        while same(end) {
            end += MINUTE_MS;
        }
        (start, end)
    }

    /// Start, end and name of the window around an instant.
    pub(crate) fn window(&self, period: Period, ms: i64) -> (i64, i64, String) {
        if period == Period::Hour {
            let (start, end) = self.hour(ms);
            return (start, end, self.name_of_hour(start));
        }
        let hours = period.as_str().strip_suffix('h');
        let hours: Option<i64> = hours.and_then(|hours| hours.parse().ok());
        let (first, next) = match hours {
            Some(hours) => self.part(hours, ms),
            None => self.days(period, ms),
        };
        let name = match hours {
            Some(_) if first.minute() == 0 => first.strftime("%Y-%m-%dT%H").to_string(),
            Some(_) => first.strftime("%Y-%m-%dT%H:%M").to_string(),
            None => self.name_of_days(period, (first - self.day_start.minutes()).date()),
        };
        let name = format!("{period}:{name}");
        (self.reaches(first), self.reaches(next), name)
    }

    fn name_of_hour(&self, start: i64) -> String {
        let local = self.local(start);
        let offset = self.offset(start).seconds() / 60;
        let sign = if offset < 0 { '-' } else { '+' };
        let (hours, minutes) = (offset.abs() / 60, offset.abs() % 60);
        let hour = local.strftime("hour:%Y-%m-%dT%H");
        format!("{hour}{sign}{hours:02}:{minutes:02}")
    }

    fn name_of_days(&self, period: Period, first: Date) -> String {
        match period {
            Period::Day => first.strftime("%Y-%m-%d").to_string(),
            _ if weeks_of(period).is_some() => first.strftime("%Y-%m-%d").to_string(),
            Period::Week if self.week_start == 0 => {
                let week = first.iso_week_date();
                format!("{:04}-W{:02}", week.year(), week.week())
            }
            Period::Week => {
                // Counted from the first week with four days in the year of its fourth day.
                let year = (first + 3.days()).year();
                let weeks = (1..=53)
                    .take_while(|back| (first + 3.days() - (7 * back).days()).year() == year);
                format!("{year:04}-W{:02}", weeks.count() + 1)
            }
            Period::Month => first.strftime("%Y-%m").to_string(),
            Period::Quarter => format!("{:04}-Q{}", first.year(), (first.month() + 2) / 3),
            Period::Year => format!("{:04}", first.year()),
            _ => panic!("{period} is not made of days"),
        }
    }
}
