//! The bounds of windows around clock changes, and at the ends of time.

use super::*;
use crate::calendar::timestamp::civil::{DAY_MS, HOUR_MS};

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
        "2010-11-07T02:30:00.000000Z".to_owned(),
        "2010-11-08T03:30:00.000000Z".to_owned(),
    );
    for instant in [
        "2010-11-07T02:30:00Z",
        "2010-11-07T02:31:00Z",
        "2010-11-07T03:29:59Z",
    ] {
        assert_eq!(span("America/St_Johns", Period::Day, instant), day);
    }
    assert_eq!(
        hours_of_day("America/St_Johns", "2010-11-07T02:29:59.999000Z"),
        24
    );
}

#[test]
fn parts_of_a_day_are_longer_or_shorter_where_the_clock_changes() {
    // The lengths of all parts of the day around an instant, in hours.
    let parts = |zone, period, day: &str| {
        let calendar = Calendar::new(zone).unwrap();
        let day = calendar.span_at(Period::Day, at(day));
        let mut part = calendar.span_at(period, day.window.start());
        let mut lengths = Vec::new();
        while part.window.start() < day.end.unwrap() {
            let end = part.end.unwrap();
            lengths.push((end.millis() - part.window.start().millis()) / HOUR_MS);
            part = calendar.span_at(period, end);
        }
        assert_eq!(part.window.start(), day.end.unwrap());
        lengths
    };
    let new_york = "America/New_York";
    let forward = "2026-03-08T12:00:00Z";
    let back = "2026-11-01T12:00:00Z";
    assert_eq!(parts(new_york, Period::SixHours, forward), [5, 6, 6, 6]);
    assert_eq!(parts(new_york, Period::SixHours, back), [7, 6, 6, 6]);
    assert_eq!(parts(new_york, Period::TwelveHours, back), [13, 12]);
    // The clock goes from 2 to 3, and back from 2 to 1: the hour from 1 is shown again before 2.
    assert_eq!(parts(new_york, Period::TwoHours, forward)[..3], [2, 1, 2]);
    assert_eq!(parts(new_york, Period::TwoHours, back)[..3], [3, 2, 2]);
    // It is set back from 3 to 2 in Berlin: the hour from 2 is shown again within its part.
    let berlin = "2026-10-25T12:00:00Z";
    assert_eq!(
        parts("Europe/Berlin", Period::TwoHours, berlin)[..3],
        [2, 3, 2]
    );
    // The clock is set forward at midnight, so that the first part begins at 1.
    let sao_paulo = "2018-11-04T12:00:00Z";
    assert_eq!(
        parts("America/Sao_Paulo", Period::EightHours, sao_paulo),
        [7, 8, 8]
    );
}

#[test]
fn days_and_what_they_are_in_begin_at_another_time_and_on_another_day() {
    let calendar = Calendar::new("Europe/Berlin")
        .unwrap()
        .beginning("05:00".parse().unwrap(), Weekday::Sunday);
    assert_ne!(calendar, Calendar::new("Europe/Berlin").unwrap());
    // Of the days, the third is the one from 5 to 5 in which the clock is set back.
    for line in [
        "day 2026-11-20T03:59:59.999000Z 2026-11-19T04 2026-11-20T04",
        "day 2026-11-20T04:00:00Z 2026-11-20T04 2026-11-21T04",
        "day 2026-10-25T03:59:59Z 2026-10-24T03 2026-10-25T04",
        "week 2026-11-20T12:00:00Z 2026-11-15T04 2026-11-22T04",
        "month 2026-12-01T03:00:00Z 2026-11-01T04 2026-12-01T04",
        "quarter 2026-07-01T02:00:00Z 2026-04-01T03 2026-07-01T03",
        "year 2027-01-01T03:00:00Z 2026-01-01T04 2027-01-01T04",
        "12h 2026-11-20T03:00:00Z 2026-11-19T16 2026-11-20T04",
        "hour 2026-11-20T03:30:00Z 2026-11-20T03 2026-11-20T04",
    ] {
        let [period, instant, start, end] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let span = calendar.span_at(period.parse().unwrap(), at(instant));
        assert_eq!(
            span.window.start(),
            at(&format!("{start}:00:00Z")),
            "{line}"
        );
        assert_eq!(span.end, Some(at(&format!("{end}:00:00Z"))), "{line}");
        assert_eq!(calendar.span(span.window), span);
    }
}

#[test]
fn hours_end_where_the_clock_changes() {
    let hour = |zone, text| span(zone, Period::Hour, text);
    let pair = |start: &str, end: &str| (start.to_owned(), end.to_owned());
    assert_eq!(
        hour("America/St_Johns", "2010-11-07T02:30:59.999000Z"),
        pair("2010-11-07T02:30:00.000000Z", "2010-11-07T02:31:00.000000Z")
    );
    assert_eq!(
        hour("America/St_Johns", "2010-11-07T02:31:00Z"),
        pair("2010-11-07T02:31:00.000000Z", "2010-11-07T03:30:00.000000Z")
    );
    // 1986-01-01T00:00+05:30 became 00:15+05:45.
    assert_eq!(
        hour("Asia/Kathmandu", "1985-12-31T18:30:00Z"),
        pair("1985-12-31T18:30:00.000000Z", "1985-12-31T19:15:00.000000Z")
    );
    assert_eq!(
        hour("Asia/Kolkata", "2026-11-20T14:52:22Z"),
        pair("2026-11-20T14:30:00.000000Z", "2026-11-20T15:30:00.000000Z")
    );
}

#[test]
fn a_skipped_date_has_no_day() {
    let before = span("Pacific/Apia", Period::Day, "2011-12-30T09:59:59.999000Z");
    let after = span("Pacific/Apia", Period::Day, "2011-12-30T10:00:00Z");
    assert_eq!(before.0, "2011-12-29T10:00:00.000000Z");
    assert_eq!(before.1, after.0);
    assert_eq!(after.1, "2011-12-31T10:00:00.000000Z");
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
        for period in Period::BOUNDED {
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
