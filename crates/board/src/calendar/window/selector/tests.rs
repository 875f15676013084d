//! What valid selectors select, and the errors of invalid ones.

use super::*;

fn parse(zone: &str, selector: &str) -> Result<WindowSelector, SelectorError> {
    Calendar::new(zone).unwrap().parse(selector)
}

/// Each line names a window, and says when it starts.
fn assert_starts(calendar: &Calendar, table: &str) {
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (selector, start) = line.rsplit_once(' ').unwrap();
        let start = format!("{start}:00.000000Z");
        match calendar.parse(selector.trim_end()) {
            Ok(WindowSelector::Named(window)) => {
                assert_eq!(window.start().to_string(), start, "{line}");
            }
            other => panic!("{line}: {other:?}"),
        }
    }
}

fn assert_starts_in(zone: &str, table: &str) {
    assert_starts(&Calendar::new(zone).unwrap(), table);
}

fn assert_rejected(zone: &str, selector: &str, because: &str) {
    let error = parse(zone, selector).unwrap_err().to_string();
    assert_eq!(error, format!("`{selector}` {because}"));
}

/// All of these, separated by bars, are refused with this error.
fn assert_refused(selectors: &str, error: fn(String) -> SelectorError) {
    for selector in selectors.split('|') {
        assert_eq!(parse("UTC", selector), Err(error(selector.to_owned())));
    }
}

#[test]
fn a_period_alone_selects_the_current_window() {
    let calendar = Calendar::new("Asia/Shanghai").unwrap();
    let now = Timestamp::parse_rfc3339("2026-11-20T14:52:22.123000Z").unwrap();
    for period in Period::ALL_PERIODS {
        let selector = calendar.parse(period.as_str()).unwrap();
        assert_eq!(selector.period(), period);
        assert_eq!(
            selector.resolve(&calendar, now),
            calendar.span_at(period, now).window
        );
    }
    assert_eq!(
        calendar.parse("day"),
        Ok(WindowSelector::Current(Period::Day))
    );
    assert_eq!(
        calendar.parse("all"),
        Ok(WindowSelector::Named(Window::ALL_TIME))
    );
}

#[test]
fn previous_selects_the_window_before_the_current_one() {
    // In Berlin, the clock is set back on 2026-10-25: that day has 25 hours, and two hours from 2 to 3.
    let calendar = Calendar::new("Europe/Berlin").unwrap();
    let previous = |selector: &str, now: &str| {
        let now = Timestamp::parse_rfc3339(now).unwrap();
        let selector = calendar.parse(selector).unwrap();
        calendar.name(selector.resolve(&calendar, now))
    };
    for line in [
        "hour 2026-10-25T01:30:00Z hour:2026-10-25T02+02:00",
        "hour 2026-10-25T02:00:00Z hour:2026-10-25T02+01:00",
        "day 2026-10-25T22:59:59.999000Z day:2026-10-24",
        "day 2026-10-25T23:00:00Z day:2026-10-25",
        "week 2027-01-04T00:00:00Z week:2026-W53",
        "month 2027-01-01T00:00:00Z month:2026-12",
        "month 2026-12-31T22:00:00Z month:2026-11",
        "quarter 2027-01-01T00:00:00Z quarter:2026-Q4",
        "year 2026-12-31T23:00:00Z year:2026",
        "6h 2026-10-25T05:00:00Z 6h:2026-10-25T00",
        "6h 2026-10-25T04:59:59Z 6h:2026-10-24T18",
    ] {
        let [period, now, name] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        assert_eq!(previous(&format!("{period}:previous"), now), name, "{line}");
    }
    assert_eq!(
        calendar.parse("day:previous"),
        Ok(WindowSelector::Previous(Period::Day))
    );
    for wrong in ["all:previous", "day:Previous", "previous:day"] {
        assert!(calendar.parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_name_selects_the_same_window_at_any_time() {
    assert_starts_in(
        "Asia/Shanghai",
        "day:2026-11-20 2026-11-19T16:00
         week:2026-W47  2026-11-15T16:00
         month:2026-11  2026-10-31T16:00",
    );
    assert_starts_in(
        "UTC",
        "week:2020-W53   2020-12-28T00:00
         week:2026-W53   2026-12-28T00:00
         week:2025-W01   2024-12-30T00:00
         quarter:2026-Q4 2026-10-01T00:00
         year:2026       2026-01-01T00:00
         2w:2026-11-09   2026-11-09T00:00
         day:2024-02-29  2024-02-29T00:00",
    );
    assert_starts_in("America/New_York", "week:2013-W02 2013-01-07T05:00");
    let selector = parse("UTC", "day:2026-11-20").unwrap();
    let elsewhen = selector.resolve(&Calendar::utc(), Timestamp::EARLIEST);
    assert_eq!(WindowSelector::Named(elsewhen), selector);
}

#[test]
fn a_part_of_a_day_is_named_by_its_start() {
    // The clock goes from 2 to 3: the part from 2 on begins at 3.
    assert_starts_in(
        "America/New_York",
        "6h:2026-11-20T12  2026-11-20T17:00
         12h:2026-11-01T12 2026-11-01T17:00
         2h:2026-03-08T02  2026-03-08T07:00",
    );
    assert_rejected(
        "America/New_York",
        "6h:2026-11-20T13",
        "is not the start of a window: use `6h:2026-11-20T12`",
    );
}

#[test]
fn names_count_from_when_days_and_weeks_begin() {
    let calendar =
        Calendar::utc().beginning("05:30".parse().unwrap(), super::super::Weekday::Saturday);
    // Several weeks count from Saturday, 1970-01-03; a year's from the Saturday before the first week with
    // four days in it.
    assert_starts(
        &calendar,
        "day:2026-11-20       2026-11-20T05:30
         12h:2026-11-20T17:30 2026-11-20T17:30
         2w:2026-11-07        2026-11-07T05:30
         week:2027-W01        2027-01-02T05:30
         quarter:2026-Q4      2026-10-01T05:30
         year:2026            2026-01-01T05:30
         hour:2026-11-20T05   2026-11-20T05:00",
    );
    for (selector, valid) in [
        ("12h:2026-11-20T05", "12h:2026-11-19T17:30"),
        ("2w:2026-11-14", "2w:2026-11-07"),
    ] {
        assert_eq!(
            calendar.parse(selector).unwrap_err().to_string(),
            format!("`{selector}` is not the start of a window: use `{valid}`")
        );
    }
}

#[test]
fn an_hour_may_be_written_in_several_ways() {
    assert_starts_in(
        "Asia/Shanghai",
        "hour:2026-11-20T14+08:00 2026-11-20T06:00
         hour:2026-11-20T14 08:00 2026-11-20T06:00
         hour:2026-11-20T14       2026-11-20T06:00",
    );
    assert_starts_in(
        "UTC",
        "hour:2026-11-20T14+00:00 2026-11-20T14:00
         hour:2026-11-20T14Z      2026-11-20T14:00
         hour:2026-11-20T14       2026-11-20T14:00",
    );
    assert_starts_in(
        "America/New_York",
        "hour:2013-01-15T07-05:00 2013-01-15T12:00",
    );
}

#[test]
fn an_hour_that_comes_twice_needs_its_offset() {
    let zone = "America/New_York";
    assert_rejected(
        zone,
        "hour:2026-11-01T01",
        "is ambiguous: use `hour:2026-11-01T01-04:00` or `hour:2026-11-01T01-05:00`",
    );
    assert_starts_in(
        zone,
        "hour:2026-11-01T01-04:00 2026-11-01T05:00
         hour:2026-11-01T01-05:00 2026-11-01T06:00",
    );
    assert_rejected(
        zone,
        "hour:2026-11-01T01+01:00",
        "does not exist in America/New_York: its offset in that hour is -04:00 or -05:00",
    );
    // Troll's clock goes back by two hours, so two hours come twice.
    for hour in ["hour:2026-10-25T01", "hour:2026-10-25T02"] {
        let error = parse("Antarctica/Troll", hour);
        assert!(
            matches!(error, Err(SelectorError::AmbiguousHour { .. })),
            "{error:?}"
        );
    }
    assert_starts_in("Antarctica/Troll", "hour:2026-10-25T03 2026-10-25T03:00");
}

#[test]
fn what_the_clock_skipped_does_not_exist() {
    for (zone, selector) in [
        ("America/New_York", "hour:2026-03-08T02-05:00"),
        ("America/Sao_Paulo", "hour:2018-11-04T00"),
        ("Pacific/Apia", "day:2011-12-30"),
        ("Pacific/Apia", "6h:2011-12-30T06"),
    ] {
        let because = format!("does not exist in {zone}: its clock skipped it");
        assert_rejected(zone, selector, &because);
    }
    assert_starts_in("Pacific/Apia", "day:2011-12-31 2011-12-30T10:00");
    assert_starts_in("America/Sao_Paulo", "day:2018-11-04 2018-11-04T03:00");
}

#[test]
fn an_offset_has_to_be_the_one_in_force() {
    assert_rejected(
        "America/New_York",
        "hour:2026-07-01T12-05:00",
        "does not exist in America/New_York: its offset in that hour is -04:00",
    );
    assert_rejected(
        "Asia/Shanghai",
        "hour:2026-07-01T12Z",
        "does not exist in Asia/Shanghai: its offset in that hour is +08:00",
    );
}

#[test]
fn dates_that_do_not_exist_are_rejected() {
    assert_refused(
        "day:2026-02-30|day:2026-02-29|day:2026-00-01|hour:2026-06-31T00|week:2025-W53|week:2026-W00|\
         week:2026-W54|month:2026-13|month:2026-00|quarter:2026-Q0|quarter:2026-Q5|12h:2026-02-30T12|\
         2w:2026-02-30",
        |selector| SelectorError::NoSuchDate { selector },
    );
}

#[test]
fn near_misses_are_rejected_with_the_expected_form() {
    for selectors in [
        "all:|all:2026|hour:|hour:2026-11-20|hour:2026-11-20T|hour:2026-11-20T24|hour:2026-11-20T1",
        "hour:2026-11-20t14|hour:2026-11-20T14:00|hour:2026-11-20T14:00Z|hour:2026-11-20T14z",
        "hour:2026-11-20T14+0000|hour:2026-11-20T14+00|hour:2026-11-20T14+00:00 ",
        "hour:2026-11-20T14 +00:00|hour:2026-11-20T14  00:00|day:2026-1-5|day:2026-11-20Z",
        "day:2026-11-20 |day:20261120|day:+026-11-20|day:10000-01-01|week:2026-47|week:2026-W7",
        "week:2026W47|week:2026-w47|week:2026-W47-1|week:12026-W47|month:2026-1|month:2026-11-20",
        "month:26-11|quarter:2026|quarter:2026-4|quarter:2026-Q|quarter:2026-Q10|quarter:2026-q4",
        "quarter:2026Q4|year:|year:26|year:02026|year:2026-01|6h:|6h:2026-11-20|6h:2026-11-20T",
        "6h:2026-11-20T6|6h:2026-11-20T24|6h:2026-11-20T12:00|6h:2026-11-20T12+00:00",
        "6h:2026-11-20 12|2w:|2w:2026-W47|2w:2026-11-16T00|2w:2026-11|day:２026-11-20",
    ] {
        for selector in selectors.split('|') {
            let error = parse("UTC", selector);
            assert!(
                matches!(error, Err(SelectorError::Malformed { .. })),
                "{selector}: {error:?}"
            );
        }
    }
    assert_rejected(
        "UTC",
        "day:2026-1-5",
        "is not a window: the form of period `day` is `day:2026-11-20`",
    );
    assert_refused(
        "|1h|24h|06h:2026-11-20T06|5w:2026-11-16|Day|days:2026-11-20|:| day|fortnight:2026-W47",
        |selector| SelectorError::Unknown { selector },
    );
    assert_rejected(
        "UTC",
        "fortnight",
        "is not a window: use a period such as `day`, `previous`, `day:previous`, or a name such as \
         `day:2026-11-20`, `week:2026-W47` or `hour:2026-11-20T14+08:00`",
    );
}

#[test]
fn a_window_has_to_cover_some_accepted_time() {
    assert_refused(
        "day:1972-12-31|week:1972-W52|month:1972-12|day:0000-01-01|quarter:1972-Q4|year:1972|\
         2w:1972-12-04|6h:1972-12-31T18",
        |selector| SelectorError::OutOfRange { selector },
    );
    assert_starts_in("UTC", "day:9999-12-31 9999-12-31T00:00");
    assert_starts_in("Asia/Tokyo", "hour:9999-12-31T23 9999-12-31T14:00");
    let beyond = parse("America/New_York", "hour:9999-12-31T19");
    assert!(
        matches!(beyond, Err(SelectorError::OutOfRange { .. })),
        "{beyond:?}"
    );
    assert_starts_in(
        "America/New_York",
        "day:1972-12-31     1972-12-31T05:00
         month:1972-12      1972-12-01T05:00
         hour:9999-12-31T18 9999-12-31T23:00",
    );
}
