//! [`Calendar`]: the windows of one time zone, by its clock.
//!
//! Not here: the names of windows; `name` writes them and `selector` parses them.

use std::fmt;
use std::sync::Arc;

use jiff::tz::TimeZoneDatabase;

use super::zone::{Zone, into_cycle};
use super::{Period, Span, Window};
use crate::Timestamp;
use crate::timestamp::civil::{Date, monday_of};
use crate::timestamp::text::excerpt;

/// The end of the last window of each period: nothing is later than the year 9999, in UTC.
const LAST_END: Timestamp = Timestamp::from_millis(Timestamp::LATEST.millis() + 1);

/// The windows of one time zone. Cheap to clone; two are equal if their zones have the same name.
///
/// Days, weeks and months follow the latest local date that has begun: a day lasts from the first
/// instant of its date to the first instant of a later one, so that an hour that is repeated after
/// midnight still belongs to the new day. Hours follow the clock itself: a repeated hour is two
/// windows, distinguished by their offsets, and an hour in which the clock changes ends there.
///
/// Instants before the year 0 or after 9999 fall into the first or last window of their period.
#[derive(Clone)]
pub struct Calendar {
    zone: Arc<Zone>,
}

impl Calendar {
    /// Returns the calendar of a time zone by its IANA name, such as `UTC` or `Asia/Shanghai`,
    /// case-insensitively.
    ///
    /// The database is compiled in. Loading a zone takes about 100 µs: load it once and clone it.
    pub fn new(time_zone: &str) -> Result<Self, UnknownTimeZone> {
        let unknown = || UnknownTimeZone {
            name: excerpt(time_zone),
        };
        let found = TimeZoneDatabase::bundled()
            .get(time_zone)
            .map_err(|_| unknown())?;
        let name = found.iana_name().ok_or_else(unknown)?.to_owned();
        Ok(Self {
            zone: Arc::new(Zone::from_jiff(name, &found)),
        })
    }

    /// Returns the calendar of UTC.
    #[must_use]
    pub fn utc() -> Self {
        Self {
            zone: Arc::new(Zone::fixed("UTC".to_owned(), 0)),
        }
    }

    /// IANA name of the time zone.
    #[must_use]
    pub fn time_zone(&self) -> &str {
        &self.zone.name
    }

    /// Returns whether every clock change from 2020 on is by whole hours. Otherwise hours would be
    /// cut in halves, and a kind cannot have windows of an hour.
    #[must_use]
    pub fn has_whole_hours(&self) -> bool {
        self.zone.has_whole_hours
    }

    /// Returns the one window of this period that covers an instant.
    #[must_use]
    pub fn span_at(&self, period: Period, at: Timestamp) -> Span {
        let zone = &*self.zone;
        let (at, moved) = into_cycle(zone.clamp(at.millis()));
        let (start, end) = match period {
            Period::Hour => zone.hour_around(at),
            Period::Day | Period::Week | Period::Month => {
                zone.days_around(at, |day| days_around(period, day))
            }
            Period::All => return Span::ALL_TIME,
        };
        let end = end.saturating_add(moved);
        let end = if end > zone.last_instant {
            LAST_END
        } else {
            Timestamp::from_millis(end)
        };
        let start = Timestamp::from_millis(start + moved);
        Span {
            window: Window::starting_at(period, start),
            end: Some(end),
        }
    }

    /// Returns the span of a window of this calendar.
    #[must_use]
    pub fn span(&self, window: Window) -> Span {
        self.span_at(window.period(), window.start())
    }

    /// Returns the local time and its difference from UTC, in milliseconds.
    pub(super) fn local_at(&self, at: Timestamp) -> (i64, i64) {
        let at = self.zone.clamp(at.millis());
        let offset = self.zone.offset_at(into_cycle(at).0);
        (at + offset, offset)
    }

    /// Returns the first instant at which the local clock shows this time or a later one.
    pub(super) fn reaches(&self, local_ms: i64) -> Timestamp {
        let (local, moved) = into_cycle(local_ms);
        Timestamp::from_millis(self.zone.reaches(local) + moved)
    }

    /// Returns the windows of this local hour, each with its offset in milliseconds: usually one,
    /// two where the clock is set back, none where the hour is skipped.
    pub(super) fn hours(&self, local_hour_ms: i64) -> impl Iterator<Item = (Window, i64)> {
        let (local, moved) = into_cycle(local_hour_ms);
        self.zone.occurrences(local).map(move |(start, offset)| {
            (
                Window::starting_at(Period::Hour, Timestamp::from_millis(start + moved)),
                offset,
            )
        })
    }
}

impl PartialEq for Calendar {
    fn eq(&self, other: &Self) -> bool {
        self.zone.name == other.zone.name
    }
}

impl Eq for Calendar {}

impl fmt::Debug for Calendar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Calendar").field(&self.zone.name).finish()
    }
}

/// Returns the first day of the day, week or month around a day, and the first day after it.
pub(super) const fn days_around(period: Period, day: i64) -> (i64, i64) {
    match period {
        Period::Week => (monday_of(day), monday_of(day) + 7),
        Period::Month => {
            let first = Date {
                day: 1,
                ..Date::from_days(day)
            };
            (first.days(), first.next_month().days())
        }
        Period::Hour | Period::Day | Period::All => (day, day + 1),
    }
}

/// A text that is not the name of a time zone.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{name}` is not a time zone: IANA names such as `UTC` or `Asia/Shanghai` are accepted")]
pub struct UnknownTimeZone {
    /// The text.
    pub name: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timestamp::civil::{DAY_MS, HOUR_MS};

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text).unwrap()
    }

    fn span(zone: &str, period: Period, text: &str) -> (String, String) {
        let span = Calendar::new(zone).unwrap().span_at(period, at(text));
        (
            span.window.start().to_string(),
            span.end.unwrap().to_string(),
        )
    }

    fn hours_of_day(zone: &str, text: &str) -> i64 {
        let span = Calendar::new(zone).unwrap().span_at(Period::Day, at(text));
        (span.end.unwrap().millis() - span.window.start().millis()) / HOUR_MS
    }

    #[test]
    fn zones_are_found_by_iana_name() {
        for name in [
            "UTC",
            "Asia/Shanghai",
            "America/Argentina/Ushuaia",
            "Asia/Calcutta",
        ] {
            assert_eq!(Calendar::new(name).unwrap().time_zone(), name);
        }
        assert_eq!(Calendar::new("utc").unwrap(), Calendar::utc());
        assert_ne!(
            Calendar::new("Asia/Tokyo").unwrap(),
            Calendar::new("Asia/Seoul").unwrap()
        );
        for name in [
            "",
            "+08:00",
            "EST5EDT4",
            "Etc/Unknown",
            "Asia/Atlantis",
            " UTC",
            "Local",
        ] {
            let unknown = UnknownTimeZone {
                name: name.to_owned(),
            };
            assert_eq!(Calendar::new(name), Err(unknown));
        }
    }

    #[test]
    fn days_have_23_or_25_hours_around_a_clock_change() {
        assert_eq!(hours_of_day("America/New_York", "2026-03-08T12:00:00Z"), 23);
        assert_eq!(hours_of_day("America/New_York", "2026-03-09T12:00:00Z"), 24);
        assert_eq!(hours_of_day("America/New_York", "2026-11-01T12:00:00Z"), 25);
        assert_eq!(hours_of_day("Antarctica/Troll", "2026-03-29T12:00:00Z"), 22);
        // The clock is set forward at midnight: the day begins at 01:00.
        assert_eq!(
            hours_of_day("America/Sao_Paulo", "2018-11-04T12:00:00Z"),
            23
        );
    }

    #[test]
    fn a_day_is_not_split_by_a_clock_set_back_over_midnight() {
        // At 00:01 on the 7th the clock went back to 23:01 on the 6th: the 7th had begun.
        let day = (
            "2010-11-07T02:30:00.000Z".to_owned(),
            "2010-11-08T03:30:00.000Z".to_owned(),
        );
        for instant in [
            "2010-11-07T02:30:00Z",
            "2010-11-07T02:31:00Z",
            "2010-11-07T03:29:59Z",
        ] {
            assert_eq!(span("America/St_Johns", Period::Day, instant), day);
        }
        assert_eq!(
            hours_of_day("America/St_Johns", "2010-11-07T02:29:59.999Z"),
            24
        );
    }

    #[test]
    fn hours_end_where_the_clock_changes() {
        let hour = |zone, text| span(zone, Period::Hour, text);
        let pair = |start: &str, end: &str| (start.to_owned(), end.to_owned());
        assert_eq!(
            hour("America/St_Johns", "2010-11-07T02:30:59.999Z"),
            pair("2010-11-07T02:30:00.000Z", "2010-11-07T02:31:00.000Z")
        );
        assert_eq!(
            hour("America/St_Johns", "2010-11-07T02:31:00Z"),
            pair("2010-11-07T02:31:00.000Z", "2010-11-07T03:30:00.000Z")
        );
        // 1986-01-01T00:00+05:30 became 00:15+05:45.
        assert_eq!(
            hour("Asia/Kathmandu", "1985-12-31T18:30:00Z"),
            pair("1985-12-31T18:30:00.000Z", "1985-12-31T19:15:00.000Z")
        );
        assert_eq!(
            hour("Asia/Kolkata", "2026-11-20T14:52:22Z"),
            pair("2026-11-20T14:30:00.000Z", "2026-11-20T15:30:00.000Z")
        );
    }

    #[test]
    fn a_skipped_date_has_no_day() {
        let before = span("Pacific/Apia", Period::Day, "2011-12-30T09:59:59.999Z");
        let after = span("Pacific/Apia", Period::Day, "2011-12-30T10:00:00Z");
        assert_eq!(before.0, "2011-12-29T10:00:00.000Z");
        assert_eq!(before.1, after.0);
        assert_eq!(after.1, "2011-12-31T10:00:00.000Z");
    }

    #[test]
    fn the_last_windows_end_with_the_year_9999() {
        for zone in [
            "UTC",
            "Asia/Tokyo",
            "America/New_York",
            "Pacific/Kiritimati",
        ] {
            let calendar = Calendar::new(zone).unwrap();
            for period in [Period::Hour, Period::Day, Period::Week, Period::Month] {
                let last = calendar.span_at(period, Timestamp::LATEST);
                assert_eq!(last.end, Some(LAST_END));
                assert!(last.contains(Timestamp::LATEST));
                assert_eq!(calendar.span(last.window), last);
                let beyond = calendar.span_at(period, Timestamp::from_millis(i64::MAX));
                assert_eq!(beyond, last);
                let before = last.window.start().millis() - 1;
                let before = calendar.span_at(period, Timestamp::from_millis(before));
                assert_eq!(before.end, Some(last.window.start()));
            }
        }
    }

    #[test]
    fn instants_before_1973_have_windows_too() {
        let calendar = Calendar::new("America/New_York").unwrap();
        for ms in [-1, 0, -DAY_MS * 100_000] {
            for period in Period::ALL_PERIODS {
                let at = Timestamp::from_millis(ms);
                assert!(calendar.span_at(period, at).contains(at));
            }
        }
        let first = calendar.span_at(Period::Month, Timestamp::from_millis(i64::MIN));
        assert_eq!(calendar.span(first.window), first);
    }
}
