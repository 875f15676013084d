//! [`Calendar`]: the windows of one time zone, by its clock.
//!
//! Not here: the names of windows; `name` writes them and `selector` parses them.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jiff::civil::date;
use jiff::tz::TimeZoneDatabase;
use serde::{Deserialize, Serialize};

use super::begin::{DayStart, Weekday, WeeksFrom};
use super::seasons::Seasons;
use super::zone::{CYCLE_END, Zone, into_cycle};
use super::{Period, Span, Window};
use crate::calendar::Timestamp;
use crate::calendar::timestamp::civil::{DAY_MS, HOUR_MS, date_of, days_of, week_around};
use crate::calendar::timestamp::text::excerpt;

/// The end of the last window of each period: nothing is later than the year 9999, in UTC.
const LAST_END: Timestamp = Timestamp::from_millis(Timestamp::LATEST.millis() + 1);

/// The last day of the first seven of 1970: without another date, windows of several weeks are counted from the week
/// that begins on one of them.
const FIRST_WEEK_AROUND: i64 = 6;

/// The windows of one time zone. Cheap to clone; two are equal if their zones have the same name and
/// their days and weeks begin alike.
///
/// Days and longer windows follow the latest local date that has begun: a day lasts from the first
/// instant of its date to the first instant of a later one, so that an hour that is repeated after
/// midnight still belongs to the new day. If days begin at another time than midnight
/// ([`beginning`](Self::beginning)), a date begins at that time.
///
/// Parts of a day (of 2, 3, 4, 6, 8 or 12 hours) begin with the day, and then each where the clock
/// first reaches its nominal start or passes it. So a part in which the clock is set forward is
/// shorter, one in which it is set back longer: of the day of 23 hours, in which the clock skips the
/// hour from 2, the first part of 6 hours lasts 5, and 7 on the day of 25. A part that the clock skips as a
/// whole does not exist.
///
/// Windows of several weeks follow one another from a date on, and before it
/// ([`counting_weeks_from`](Self::counting_weeks_from)).
///
/// Seasons follow one another ([`with_seasons`](Self::with_seasons)); without any, all time is before the first.
///
/// Hours follow the clock itself, wherever days begin: a repeated hour is two windows, distinguished by
/// their offsets, and an hour in which the clock changes ends there.
///
/// Instants before the year 0 or after 9999 fall into the first or last window of their period.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "StoredCalendar", into = "StoredCalendar")]
pub struct Calendar {
    zone: Arc<Zone>,
    day_start: DayStart,
    week_start: Weekday,
    weeks_from: Option<WeeksFrom>,
    seasons: Option<Arc<Seasons>>,
}

impl Calendar {
    /// Returns the calendar of a time zone by its IANA name, such as `UTC` or `Asia/Shanghai`,
    /// case-insensitively.
    ///
    /// The database is compiled in. Loading a zone takes about 100 µs, once in a process.
    pub fn new(time_zone: &str) -> Result<Self, UnknownTimeZone> {
        let unknown = || UnknownTimeZone {
            name: excerpt(time_zone),
        };
        let found = TimeZoneDatabase::bundled()
            .get(time_zone)
            .map_err(|_| unknown())?;
        let name = found.iana_name().ok_or_else(unknown)?;
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let zone = loaded.entry(name.to_owned());
        let zone = zone.or_insert_with(|| Arc::new(Zone::from_jiff(name.to_owned(), &found)));
        Ok(Self::of(zone.clone()))
    }

    /// Returns the calendar of UTC.
    #[must_use]
    pub fn utc() -> Self {
        Self::of(Arc::new(Zone::fixed("UTC".to_owned(), 0)))
    }

    fn of(zone: Arc<Zone>) -> Self {
        Self {
            zone,
            day_start: DayStart::default(),
            week_start: Weekday::default(),
            weeks_from: None,
            seasons: None,
        }
    }

    /// Returns the calendar of the same time zone whose days begin at this time, and whose weeks begin
    /// on this day. A day has the date on which it begins.
    #[must_use]
    pub fn beginning(self, day_start: DayStart, week_start: Weekday) -> Self {
        Self {
            day_start,
            week_start,
            ..self
        }
    }

    /// Returns the same calendar with windows of several weeks that are counted from this date; without one, from the
    /// first week that begins in 1970.
    #[must_use]
    pub fn counting_weeks_from(self, weeks_from: Option<WeeksFrom>) -> Self {
        Self { weeks_from, ..self }
    }

    /// Returns the same calendar with these seasons.
    #[must_use]
    pub fn with_seasons(self, seasons: Option<Seasons>) -> Self {
        Self {
            seasons: seasons.map(Arc::new),
            ..self
        }
    }

    /// IANA name of the time zone.
    #[must_use]
    pub fn time_zone(&self) -> &str {
        &self.zone.name
    }

    /// Returns the local time at which days begin.
    #[must_use]
    pub const fn day_start(&self) -> DayStart {
        self.day_start
    }

    /// Returns the day on which weeks begin.
    #[must_use]
    pub const fn week_start(&self) -> Weekday {
        self.week_start
    }

    /// Returns the date from which windows of several weeks are counted, if one was set.
    #[must_use]
    pub const fn weeks_from(&self) -> Option<WeeksFrom> {
        self.weeks_from
    }

    /// Returns the seasons, if they were set.
    #[must_use]
    pub fn seasons(&self) -> Option<&Seasons> {
        self.seasons.as_deref()
    }

    /// Returns whether both have the same seasons until an instant. Both are of the same time zone.
    #[must_use]
    pub fn has_seasons_of_until(&self, other: &Self, at: Timestamp) -> bool {
        let none = &Seasons::none();
        let (own, others) = (self.seasons(), other.seasons());
        let local = self.local_at(at).0;
        own.unwrap_or(none)
            .agree_until(others.unwrap_or(none), local)
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
        let mut at = zone.clamp(at.millis());
        if period == Period::Season {
            // None begins as late, and none is counted on from an earlier one.
            at = at.min(CYCLE_END - DAY_MS);
        }
        let (at, moved) = into_cycle(at);
        let (start, end) = match period {
            Period::Hour => zone.hour_around(at),
            Period::All => return Span::ALL_TIME,
            _ => zone.around(at, |local| {
                // The table repeats after 400 years, which are not a multiple of every number of weeks.
                let (start, next) = self.nominal(period, local + moved);
                (start - moved, next - moved)
            }),
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

    /// Returns the nominal start of the window around a local time, and the start of the next one.
    /// The period is not an hour, and has bounds.
    pub(super) fn nominal(&self, period: Period, local_ms: i64) -> (i64, i64) {
        if period == Period::Season {
            return match &self.seasons {
                Some(seasons) => seasons.around(local_ms),
                None => Seasons::none().around(local_ms),
            };
        }
        let begin = self.day_start.millis();
        let local = local_ms - begin;
        let (first, next) = if let Some(hours) = period.part_hours() {
            let length = i64::from(hours) * HOUR_MS;
            let first = local.div_euclid(length) * length;
            (first, first + length)
        } else {
            let day = local.div_euclid(DAY_MS);
            let (first, next) = match period.weeks() {
                Some(weeks) => self.weeks_around(day, weeks),
                None => days_around(period, day, self.week_start),
            };
            (first * DAY_MS, next * DAY_MS)
        };
        (first + begin, next + begin)
    }

    /// Returns the first day of the window of so many weeks around a day, and the first day after it.
    fn weeks_around(&self, day: i64, weeks: u8) -> (i64, i64) {
        let from = self.weeks_from.map_or_else(
            || week_around(FIRST_WEEK_AROUND, self.week_start as i64),
            WeeksFrom::day,
        );
        let length = 7 * i64::from(weeks);
        let first = day - (day - from).rem_euclid(length);
        (first, first + length)
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

/// The time zones that were loaded, by their IANA names: kinds share a few.
static LOADED: LazyLock<Mutex<HashMap<String, Arc<Zone>>>> = LazyLock::new(Mutex::default);

/// A calendar as stores keep it.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct StoredCalendar {
    time_zone: String,
    day_starts_at: DayStart,
    week_starts_on: Weekday,
    weeks_count_from: Option<WeeksFrom>,
    seasons: Option<Seasons>,
}

impl From<Calendar> for StoredCalendar {
    fn from(calendar: Calendar) -> Self {
        Self {
            time_zone: calendar.zone.name.clone(),
            day_starts_at: calendar.day_start,
            week_starts_on: calendar.week_start,
            weeks_count_from: calendar.weeks_from,
            seasons: calendar.seasons.map(Arc::unwrap_or_clone),
        }
    }
}

impl TryFrom<StoredCalendar> for Calendar {
    type Error = UnknownTimeZone;

    fn try_from(stored: StoredCalendar) -> Result<Self, UnknownTimeZone> {
        Ok(Self::new(&stored.time_zone)?
            .beginning(stored.day_starts_at, stored.week_starts_on)
            .counting_weeks_from(stored.weeks_count_from)
            .with_seasons(stored.seasons))
    }
}

impl fmt::Debug for Calendar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Calendar")
            .field(&self.zone.name)
            .field(&self.day_start)
            .field(&self.week_start)
            .field(&self.weeks_from)
            .field(&self.seasons)
            .finish()
    }
}

/// Returns the first day of the window of whole days around a day, and the first day after it.
fn days_around(period: Period, day: i64, week_start: Weekday) -> (i64, i64) {
    match period {
        Period::Week => {
            let first = week_around(day, week_start as i64);
            (first, first + 7)
        }
        Period::Month => months_around(day, 1),
        Period::Quarter => months_around(day, 3),
        Period::Year => months_around(day, 12),
        _ => (day, day + 1),
    }
}

/// Returns the first day of the window of so many months around a day, and the first day after it. A year has a whole
/// number of such windows.
fn months_around(day: i64, months: i8) -> (i64, i64) {
    let around = date_of(day);
    let first = around.month() - (around.month() - 1) % months;
    let last = date(around.year(), first + months - 1, 1).last_of_month();
    (days_of(date(around.year(), first, 1)), days_of(last) + 1)
}

/// A text that is not the name of a time zone.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{name}` is not a time zone: IANA names such as `UTC` or `Asia/Shanghai` are accepted")]
pub struct UnknownTimeZone {
    /// The text.
    pub name: String,
}

#[cfg(test)]
mod tests;
