//! Windows partition time and have unique names: compared with a naive calendar that reads the clock
//! of every minute, in time zones with unusual changes.

use board::{Calendar, Period, Span, Timestamp, WindowSelector};
use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use proptest::prelude::*;

const ZONES: [&str; 18] = [
    "UTC",
    "Asia/Shanghai",
    "Asia/Kolkata",
    "America/New_York",
    "Europe/London",
    "Pacific/Apia",        // skipped a day
    "Pacific/Kwajalein",   // skipped another
    "America/St_Johns",    // changed its clock at 00:01
    "Australia/Lord_Howe", // changes it by half an hour
    "Asia/Kathmandu",      // changed it by a quarter, once
    "America/Caracas",     // by half an hour, back and forth
    "Asia/Pyongyang",      // at half past eleven
    "America/Sao_Paulo",   // at midnight
    "Africa/Casablanca",   // around Ramadan
    "Antarctica/Troll",    // by two hours
    "Asia/Gaza",           // on dates listed one by one
    "Pacific/Kiritimati",  // farthest ahead
    "Pacific/Pago_Pago",   // farthest behind
];

/// The periods whose windows have bounds.
const BOUNDED: [Period; 4] = [Period::Hour, Period::Day, Period::Week, Period::Month];

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// A month and more before the end, so that jiff can read all that follows an instant.
const LAST_NATURAL_MS: i64 = Timestamp::LATEST.millis() - 40 * DAY_MS;

fn calendar(zone: &str) -> Calendar {
    Calendar::new(zone).unwrap()
}

fn time_zone(zone: &str) -> TimeZone {
    TimeZone::get(zone).unwrap()
}

fn end(span: Span) -> Timestamp {
    span.end.unwrap()
}

/// A zone and an instant, mostly close to one of its clock changes or to a bound of local days.
fn zone_and_instant() -> impl Strategy<Value = (&'static str, Timestamp)> {
    let anywhere = Timestamp::EARLIEST.millis()..LAST_NATURAL_MS;
    let around_now = Timestamp::EARLIEST.millis()..4_200_000_000_000;
    let instant = prop_oneof![1 => anywhere, 4 => around_now];
    let near = prop_oneof![
        -2..=2_i64,
        -2 * HOUR_MS..2 * HOUR_MS,
        -2 * DAY_MS..2 * DAY_MS
    ];
    let zone = prop::sample::select(ZONES.to_vec());
    (zone, instant, near, 0..3).prop_map(|(zone, instant, near, how)| {
        let at = match how {
            0 => instant,
            1 => instant.div_euclid(HOUR_MS) * HOUR_MS + near,
            _ => clock_change_after(zone, instant).unwrap_or(instant) + near,
        };
        (
            zone,
            Timestamp::from_millis(at.max(Timestamp::EARLIEST.millis())),
        )
    })
}

fn clock_change_after(zone: &str, ms: i64) -> Option<i64> {
    let since = jiff::Timestamp::from_millisecond(ms).unwrap();
    let zone = time_zone(zone);
    let change = zone.following(since).next()?.timestamp().as_millisecond();
    Some(change).filter(|change| *change < LAST_NATURAL_MS)
}

/// The naive twin.
struct Naive {
    zone: TimeZone,
}

impl Naive {
    fn local(&self, ms: i64) -> DateTime {
        self.zone
            .to_datetime(jiff::Timestamp::from_millisecond(ms).unwrap())
    }

    fn offset(&self, ms: i64) -> Offset {
        self.zone
            .to_offset(jiff::Timestamp::from_millisecond(ms).unwrap())
    }

    /// The first minute at which the clock shows this date or a later one, by watching it.
    fn begin_of(&self, date: Date) -> i64 {
        let midnight = date
            .to_datetime(Time::midnight())
            .to_zoned(TimeZone::UTC)
            .unwrap()
            .timestamp();
        let from = midnight.as_millisecond() - 30 * HOUR_MS;
        (0..60 * 60)
            .map(|minute| from + minute * MINUTE_MS)
            .find(|ms| self.local(*ms).date() >= date)
            .unwrap()
    }

    /// The latest date that has begun by then.
    fn date_at(&self, ms: i64) -> Date {
        let shown = self.local(ms).date();
        let next = shown.tomorrow().unwrap();
        if self.begin_of(next) <= ms {
            next
        } else {
            shown
        }
    }

    fn days(&self, period: Period, ms: i64) -> (i64, i64) {
        let date = self.date_at(ms);
        let (first, after) = match period {
            Period::Day => (date, date.tomorrow().unwrap()),
            Period::Week => {
                let monday = date - i32::from(date.weekday().to_monday_zero_offset()).days();
                (monday, monday + 7.days())
            }
            Period::Month => {
                let first = date.first_of_month();
                (first, first + 1.month())
            }
            _ => panic!("{period} is not made of days"),
        };
        (self.begin_of(first), self.begin_of(after))
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

    fn window(&self, period: Period, ms: i64) -> (i64, i64) {
        if period == Period::Hour {
            self.hour(ms)
        } else {
            self.days(period, ms)
        }
    }

    /// The name of the window that starts here.
    fn name(&self, period: Period, start: i64) -> String {
        let local = self.local(start);
        let offset = self.offset(start).seconds() / 60;
        let sign = if offset < 0 { '-' } else { '+' };
        let (hours, minutes) = (offset.abs() / 60, offset.abs() % 60);
        let week = local.date().iso_week_date();
        match period {
            Period::Hour => {
                format!(
                    "{}{sign}{hours:02}:{minutes:02}",
                    local.strftime("hour:%Y-%m-%dT%H")
                )
            }
            Period::Day => local.strftime("day:%Y-%m-%d").to_string(),
            Period::Week => format!("week:{:04}-W{:02}", week.year(), week.week()),
            Period::Month => local.strftime("month:%Y-%m").to_string(),
            Period::All => "all".to_owned(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn windows_partition_time((zone, at) in zone_and_instant()) {
        let calendar = calendar(zone);
        for period in BOUNDED {
            let span = calendar.span_at(period, at);
            let start = span.window.start();
            prop_assert!(span.contains(at));
            prop_assert_eq!(calendar.span(span.window), span);
            let last = Timestamp::from_millis(end(span).millis() - 1);
            prop_assert_eq!(calendar.span_at(period, last), span);
            let next = calendar.span_at(period, end(span));
            prop_assert_eq!(next.window.start(), end(span));
            let before = Timestamp::from_millis(start.millis() - 1);
            prop_assert_eq!(end(calendar.span_at(period, before)), start);
        }
        prop_assert_eq!(calendar.span_at(Period::All, at), Span::ALL_TIME);
    }

    #[test]
    fn names_lead_back_to_their_window((zone, at) in zone_and_instant()) {
        let calendar = calendar(zone);
        for period in Period::ALL_PERIODS {
            let window = calendar.span_at(period, at).window;
            let name = calendar.name(window);
            prop_assert_eq!(calendar.parse(&name), Ok(WindowSelector::Named(window)), "{}", name);
            // A query string turns the plus of an offset into a space.
            let name = name.replace('+', " ");
            prop_assert_eq!(calendar.parse(&name), Ok(WindowSelector::Named(window)), "{}", name);
        }
    }

    #[test]
    fn a_name_with_a_slip_is_refused_or_means_what_it_says(
        (zone, at) in zone_and_instant(),
        period in prop::sample::select(Period::ALL_PERIODS.to_vec()),
        place in any::<prop::sample::Index>(),
        cut in 0..=1_usize,
        put in "[-0-9+ :TWZ]?",
    ) {
        let calendar = calendar(zone);
        let mut text = calendar.name(calendar.span_at(period, at).window);
        let place = place.index(text.len());
        text.replace_range(place..place + cut, &put);
        if let Ok(WindowSelector::Named(window)) = calendar.parse(&text) {
            let says = text.replace(' ', "+").replace("-00:00", "+00:00").replace('Z', "+00:00");
            prop_assert_eq!(calendar.name(window), says, "in {}", zone);
        }
    }

    #[test]
    fn utc_goes_as_jiff_does(ms in Timestamp::EARLIEST.millis()..LAST_NATURAL_MS) {
        let naive = Naive { zone: TimeZone::UTC };
        for calendar in [Calendar::utc(), calendar("UTC")] {
            for period in BOUNDED {
                let span = calendar.span_at(period, Timestamp::from_millis(ms));
                let expected = naive.window(period, ms);
                prop_assert_eq!((span.window.start().millis(), end(span).millis()), expected);
                prop_assert_eq!(calendar.name(span.window), naive.name(period, expected.0));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn windows_are_those_of_the_naive_calendar((zone, at) in zone_and_instant()) {
        let calendar = calendar(zone);
        let naive = Naive { zone: time_zone(zone) };
        for period in BOUNDED {
            let span = calendar.span_at(period, at);
            let expected = naive.window(period, at.millis());
            let found = (span.window.start().millis(), end(span).millis());
            prop_assert_eq!(found, expected, "{} of {} in {}", period, at, zone);
            prop_assert_eq!(calendar.name(span.window), naive.name(period, expected.0));
        }
    }
}

#[test]
fn windows_follow_each_other_through_every_clock_change() {
    for zone in ZONES {
        let calendar = calendar(zone);
        let changes = time_zone(zone);
        let changes = changes.following("1973-01-08T00:00:00Z".parse().unwrap());
        for change in changes.take_while(|change| change.timestamp().as_second() < 2_500_000_000) {
            let change = change.timestamp().as_millisecond();
            for period in [Period::Hour, Period::Day] {
                let mut span =
                    calendar.span_at(period, Timestamp::from_millis(change - 2 * DAY_MS));
                while end(span).millis() < change + 2 * DAY_MS {
                    let next = calendar.span_at(period, end(span));
                    assert_eq!(next.window.start(), end(span), "{zone}");
                    let name = calendar.name(next.window);
                    let parsed = calendar.parse(&name);
                    assert_eq!(
                        parsed,
                        Ok(WindowSelector::Named(next.window)),
                        "{name} in {zone}"
                    );
                    let length = end(next).millis() - next.window.start().millis();
                    assert!(
                        length > 0 && (period == Period::Day || length <= HOUR_MS),
                        "{name}"
                    );
                    span = next;
                }
            }
        }
    }
}

#[test]
fn the_clock_changes_of_a_year_make_days_of_23_and_25_hours() {
    let calendar = calendar("America/New_York");
    let mut lengths = std::collections::BTreeMap::<i64, u32>::new();
    let mut at = Timestamp::parse_rfc3339("2026-01-01T12:00:00Z").unwrap();
    for _ in 0..365 {
        let span = calendar.span_at(Period::Day, at);
        let hours = (end(span).millis() - span.window.start().millis()) / HOUR_MS;
        *lengths.entry(hours).or_default() += 1;
        at = end(span);
    }
    assert_eq!(
        lengths.into_iter().collect::<Vec<_>>(),
        [(23, 1), (24, 363), (25, 1)]
    );
    let new_year = Timestamp::parse_rfc3339("2027-01-01T05:00:00Z").unwrap();
    assert_eq!(at, new_year);
}

#[test]
fn an_hour_without_an_offset_selects_the_only_one() {
    let calendar = calendar("Europe/London");
    let mut at = Timestamp::parse_rfc3339("2026-10-20T00:00:00Z").unwrap();
    let mut ambiguous = Vec::new();
    for _ in 0..24 * 10 {
        let span = calendar.span_at(Period::Hour, at);
        let name = calendar.name(span.window);
        let bare = &name[.."hour:2026-10-20T00".len()];
        match calendar.parse(bare) {
            Ok(selector) => assert_eq!(selector, WindowSelector::Named(span.window)),
            Err(error) => {
                assert!(error.to_string().contains(&format!("`{name}`")), "{error}");
                ambiguous.push(name);
            }
        }
        at = end(span);
    }
    assert_eq!(
        ambiguous,
        ["hour:2026-10-25T01+01:00", "hour:2026-10-25T01+00:00"]
    );
}
