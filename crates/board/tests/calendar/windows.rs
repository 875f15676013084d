//! Windows partition time and have unique names: compared with a naive calendar that reads the clock
//! of every minute, in time zones with unusual changes.

use board::calendar::{Calendar, Period, Seasons, Span, Timestamp, Weekday, WindowSelector};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use proptest::prelude::*;

use crate::naive::Naive;

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

/// When days begin, in minutes after midnight.
const DAY_STARTS: [i64; 5] = [0, 0, 5 * 60, 2 * 60 + 30, 24 * 60 - 1];

const WEEKDAYS: [Weekday; 7] = [
    Weekday::Monday,
    Weekday::Tuesday,
    Weekday::Wednesday,
    Weekday::Thursday,
    Weekday::Friday,
    Weekday::Saturday,
    Weekday::Sunday,
];

/// From when windows of several weeks are counted.
const WEEKS_FROM: [Option<&str>; 5] = [
    None,
    Some("2026-01-05"),
    Some("1970-01-01"),
    Some("2024-02-29"),
    Some("0001-01-01"),
];

pub(crate) const MINUTE_MS: i64 = 60_000;
pub(crate) const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// A year and more before the end, so that jiff can read all that follows an instant.
const LAST_NATURAL_MS: i64 = Timestamp::LATEST.millis() - 400 * DAY_MS;

fn calendar(zone: &str) -> Calendar {
    Calendar::new(zone).unwrap()
}

pub(crate) fn time_zone(zone: &str) -> TimeZone {
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

/// When days begin, in minutes after midnight, and weeks, from Monday on; and the date from which several are counted.
pub(crate) type Begin = (i64, usize, Option<&'static str>);

fn begin() -> impl Strategy<Value = Begin> {
    let day_start = prop::sample::select(DAY_STARTS.to_vec());
    (
        day_start,
        0..7_usize,
        prop::sample::select(WEEKS_FROM.to_vec()),
    )
}

/// The calendar of a zone in which days and weeks begin like this.
fn beginning(zone: &str, begin: Begin) -> Calendar {
    begun(calendar(zone), begin)
}

fn begun(calendar: Calendar, (minutes, weekday, from): Begin) -> Calendar {
    let start = format!("{:02}:{:02}", minutes / 60, minutes % 60);
    calendar
        .beginning(start.parse().unwrap(), WEEKDAYS[weekday])
        .counting_weeks_from(from.map(|date| date.parse().unwrap()))
}

/// The periods whose windows have bounds, but for seasons.
fn counted() -> Vec<Period> {
    let periods = Period::BOUNDED.into_iter();
    periods.filter(|period| *period != Period::Season).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn windows_partition_time((zone, at) in zone_and_instant(), begin in begin()) {
        let calendar = beginning(zone, begin);
        for period in counted() {
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
    fn names_lead_back_to_their_window((zone, at) in zone_and_instant(), begin in begin()) {
        let calendar = beginning(zone, begin);
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
        begin in begin(),
        period in prop::sample::select(Period::ALL_PERIODS.to_vec()),
        place in any::<prop::sample::Index>(),
        cut in 0..=1_usize,
        put in "[-0-9+ :TWQZh]?",
    ) {
        let calendar = beginning(zone, begin);
        let mut text = calendar.name(calendar.span_at(period, at).window);
        let place = place.index(text.len());
        text.replace_range(place..place + cut, &put);
        if let Ok(WindowSelector::Named(window)) = calendar.parse(&text) {
            let says = text.replace(' ', "+").replace("-00:00", "+00:00").replace('Z', "+00:00");
            prop_assert_eq!(calendar.name(window), says, "in {}", zone);
        }
    }

    #[test]
    fn utc_goes_as_jiff_does(
        ms in Timestamp::EARLIEST.millis()..LAST_NATURAL_MS,
        begin in begin(),
        period in prop::sample::select(counted()),
    ) {
        let expected = Naive::new("UTC", begin).window(period, ms);
        for calendar in [begun(Calendar::utc(), begin), beginning("UTC", begin)] {
            let span = calendar.span_at(period, Timestamp::from_millis(ms));
            let found = (span.window.start().millis(), end(span).millis(), calendar.name(span.window));
            prop_assert_eq!(&found, &expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn windows_are_those_of_the_naive_calendar((zone, at) in zone_and_instant(), begin in begin()) {
        let calendar = beginning(zone, begin);
        let naive = Naive::new(zone, begin);
        for period in counted() {
            let span = calendar.span_at(period, at);
            let expected = naive.window(period, at.millis());
            let name = calendar.name(span.window);
            let found = (span.window.start().millis(), end(span).millis(), name);
            prop_assert_eq!(found, expected, "{} of {} in {}, {:?}", period, at, zone, begin);
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
            for period in [
                Period::Hour,
                Period::TwoHours,
                Period::SixHours,
                Period::Day,
            ] {
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
                        length > 0 && (period != Period::Hour || length <= HOUR_MS),
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

/// Listed so that some begin where a clock is set back or forward.
fn seasons() -> impl Strategy<Value = Seasons> {
    prop_oneof![
        Just(Seasons::cron("30 2 * 3,4,10,11 SUN").unwrap()),
        Just(Seasons::cron("0 5 1 */3 *").unwrap()),
        Just(
            Seasons::named([
                ("first", "1999-12-31"),
                ("before-the-day-that-was-skipped", "2011-12-29T23:59"),
                ("skipped", "2011-12-30T12:00"),
                ("last", "2026-03-29T02:30"),
            ])
            .unwrap()
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn seasons_partition_time((zone, at) in zone_and_instant(), seasons in seasons()) {
        let calendar = calendar(zone).with_seasons(Some(seasons));
        let naive = Naive::new(zone, (0, 0, None));
        let span = calendar.span_at(Period::Season, at);
        prop_assert!(span.contains(at));
        prop_assert_eq!(calendar.span(span.window), span);
        let before = Timestamp::from_millis(span.window.start().millis() - 1);
        prop_assert_eq!(end(calendar.span_at(Period::Season, before)), span.window.start());
        if end(span) <= Timestamp::LATEST {
            let next = calendar.span_at(Period::Season, end(span));
            prop_assert_eq!(next.window.start(), end(span));
        }
        let name = calendar.name(span.window);
        let named = calendar.parse(&name);
        prop_assert_eq!(named, Ok(WindowSelector::Named(span.window)), "{}", name);
        // It begins in the first minute at which the clock shows its start.
        let listed = calendar.seasons().unwrap().listed();
        let listed: Vec<_> = listed.map(|(name, start)| (name.to_owned(), start)).collect();
        let name = name.strip_prefix("season:").unwrap();
        let start = match name {
            "before" => return Ok(()),
            _ if listed.is_empty() => name,
            _ => &listed.iter().find(|(listed, _)| listed == name).unwrap().1,
        };
        let start: DateTime = start.parse().unwrap();
        prop_assert_eq!(naive.reaches(start), span.window.start().millis());
    }
}
