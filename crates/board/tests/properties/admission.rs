//! Which windows take a contribution: edges by example, and the caching admission held against one
//! that is made afresh each time.

use std::sync::Arc;
use std::time::Duration;

use board::limits::FUTURE_MAX;
use board::{
    Admission, AdmissionError, Calendar, Keep, Kind, KindSpec, Period, Timestamp, WindowRule,
    WindowState,
};
use proptest::prelude::*;

use crate::fixtures::gifts;

const MS: Duration = Duration::from_millis(1);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

fn kind(zone: &str, windows: Vec<WindowRule>) -> Kind {
    let spec = KindSpec {
        windows,
        calendar: Calendar::new(zone).unwrap(),
        ..gifts(&[])
    };
    Kind::new(spec).unwrap()
}

fn kept(period: Period, keep: Duration) -> WindowRule {
    WindowRule {
        keep: Keep::After(keep),
        ..WindowRule::with_defaults(period)
    }
}

fn closing(period: Period, close: Duration) -> WindowRule {
    WindowRule {
        close: Some(close),
        ..WindowRule::with_defaults(period)
    }
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

/// The periods of the windows that take it.
fn taken(kind: &Kind, at: Timestamp, now: Timestamp) -> Vec<Period> {
    let Ok(windows) = kind.admit(at, now) else {
        return Vec::new();
    };
    for window in windows.iter() {
        assert!(kind.calendar().span(*window).contains(at));
    }
    windows.iter().map(|window| window.period()).collect()
}

#[test]
fn a_contribution_counts_in_every_window_of_its_time_in_the_kinds_order() {
    let periods = [
        Period::All,
        Period::Hour,
        Period::Month,
        Period::Week,
        Period::Day,
    ];
    let kind = kind("UTC", periods.map(WindowRule::with_defaults).to_vec());
    let now = at("2026-11-20T14:52:22Z");
    assert_eq!(taken(&kind, now, now), periods);
    let names = kind.admit(at("2026-11-19T23:59:59.999000Z"), now).unwrap();
    let names: Vec<_> = names
        .iter()
        .map(|window| kind.calendar().name(*window))
        .collect();
    let expected = [
        "all",
        "hour:2026-11-19T23+00:00",
        "month:2026-11",
        "week:2026-W47",
        "day:2026-11-19",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_window_is_gone_when_its_retention_has_passed() {
    let kind = kind("Asia/Shanghai", vec![kept(Period::Day, DAY * 2)]);
    let noon = at("2026-11-20T12:00:00+08:00");
    let gone = at("2026-11-23T00:00:00+08:00");
    let window = kind.calendar().span_at(Period::Day, noon).window;
    for (now, state) in [
        (noon.minus(DAY), WindowState::Open),
        (noon, WindowState::Open),
        (gone.minus(MS), WindowState::Open),
        (gone, WindowState::Expired),
        (gone.plus(DAY), WindowState::Expired),
    ] {
        assert_eq!(kind.window_state(window, now), state, "{now}");
        assert_eq!(kind.is_expired(window, now), state == WindowState::Expired);
    }
    assert_eq!(taken(&kind, noon, gone.minus(MS)), [Period::Day]);
    let error = kind.admit(noon, gone).unwrap_err();
    assert_eq!(error, AdmissionError::WindowClosed { at: noon });
    assert!(error.to_string().starts_with("at: "), "{error}");
    let week = kind.calendar().span_at(Period::Week, noon).window;
    assert_eq!(
        kind.window_state(week, noon),
        WindowState::BeforePeriod,
        "no period of the kind"
    );
}

#[test]
fn a_window_closes_before_it_goes() {
    let kind = kind("UTC", vec![closing(Period::Day, HOUR)]);
    let noon = at("2026-11-20T12:00:00Z");
    let midnight = at("2026-11-21T00:00:00Z");
    let window = kind.calendar().span_at(Period::Day, noon).window;
    for (now, state) in [
        (midnight, WindowState::Open),
        (midnight.plus(HOUR).minus(MS), WindowState::Open),
        (midnight.plus(HOUR), WindowState::Closed),
        (midnight.plus(DAY * 35).minus(MS), WindowState::Closed),
        (midnight.plus(DAY * 35), WindowState::Expired),
    ] {
        assert_eq!(kind.window_state(window, now), state, "{now}");
        let open = state == WindowState::Open;
        assert_eq!(kind.admit(noon, now).is_ok(), open);
    }
    assert!(
        !kind.is_expired(window, midnight.plus(HOUR)),
        "it can be read"
    );
}

#[test]
fn a_contribution_counts_in_the_windows_that_admit_it() {
    let windows = vec![
        kept(Period::Hour, HOUR),
        closing(Period::Day, Duration::ZERO),
        WindowRule::with_defaults(Period::Week),
        WindowRule::with_defaults(Period::All),
    ];
    let kind = kind("UTC", windows);
    let event = at("2026-11-20T22:30:00Z");
    for (now, periods) in [
        (
            "2026-11-20T23:59:59.999000Z",
            vec![Period::Hour, Period::Day, Period::Week, Period::All],
        ),
        ("2026-11-21T00:00:00Z", vec![Period::Week, Period::All]),
        (
            "2027-01-31T23:59:59.999000Z",
            vec![Period::Week, Period::All],
        ),
        ("2027-02-01T00:00:00Z", vec![Period::All]),
    ] {
        assert_eq!(taken(&kind, event, at(now)), periods, "{now}");
    }
}

#[test]
fn five_minutes_ahead_is_not_the_future() {
    let kind = kind("UTC", vec![WindowRule::with_defaults(Period::All)]);
    let now = at("2026-11-20T14:52:22.123000Z");
    assert_eq!(FUTURE_MAX, Duration::from_mins(5));
    assert_eq!(taken(&kind, now.plus(FUTURE_MAX), now), [Period::All]);
    let ahead = now.plus(FUTURE_MAX + MS);
    let error = kind.admit(ahead, now).unwrap_err();
    assert_eq!(error, AdmissionError::FromTheFuture { at: ahead, now });
    assert!(
        error
            .to_string()
            .starts_with("at: 2026-11-20T14:57:22.124000Z is more"),
        "{error}"
    );
}

const ZONES: [&str; 6] = [
    "UTC",
    "Asia/Kolkata",
    "America/New_York",
    "Europe/London",
    "America/Sao_Paulo",
    "Africa/Casablanca",
];

fn rule_strategy() -> impl Strategy<Value = WindowRule> {
    let period = prop::sample::select(Period::ALL_PERIODS.to_vec());
    let hours = 0..2000_u32;
    let since = prop::option::of(0..3000_u32);
    (period, hours.clone(), prop::option::of(hours), since).prop_map(
        |(period, keep, close, since)| {
            if period == Period::All {
                return WindowRule::with_defaults(period);
            }
            let since = since.map(|hours| at("2026-01-01T00:00:00Z").plus(HOUR * hours));
            WindowRule {
                close: close.map(|hours| HOUR * hours),
                since,
                ..kept(period, HOUR * keep)
            }
        },
    )
}

/// At, and now: around one another, often the same as before, now and then elsewhere.
fn steps_strategy() -> impl Strategy<Value = Vec<(Timestamp, Timestamp)>> {
    let step = prop_oneof![
        Just(0),
        -1..=1_i64,
        -3_600_000..3_600_000_i64,
        -100_000_000..100_000_000_i64,
        -5_000_000_000..5_000_000_000_i64,
    ];
    prop::collection::vec((step.clone(), step, prop::bool::ANY), 1..60).prop_map(|steps| {
        let start = at("2026-03-01T00:00:00Z").millis();
        let (mut event, mut now) = (start, start);
        let walk = steps.into_iter().map(|(at_by, now_by, clock_stands)| {
            event += at_by;
            if !clock_stands {
                now += now_by;
            }
            (Timestamp::from_millis(event), Timestamp::from_millis(now))
        });
        walk.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_is_remembered_admits_as_what_is_asked(
        zone in prop::sample::select(ZONES.to_vec()),
        rules in prop::collection::vec(rule_strategy(), 1..6),
        steps in steps_strategy(),
    ) {
        let mut windows: Vec<WindowRule> = Vec::new();
        for rule in rules {
            if windows.iter().all(|other| other.period != rule.period) {
                windows.push(rule);
            }
        }
        let kind = kind(zone, windows);
        let mut remembering = Admission::default();
        for (at, now) in steps {
            let admitted = remembering.admit(&kind, at, now);
            prop_assert_eq!(&admitted, &kind.admit(at, now), "at {} now {}", at, now);
            if let Ok(windows) = admitted {
                let states = windows.iter().map(|window| kind.window_state(*window, now));
                prop_assert!(states.into_iter().all(|state| state == WindowState::Open));
                // Of several windows, the first to close decides until when the contribution is applied.
                let closings = windows.iter().filter_map(|window| kind.closes_at(*window));
                prop_assert_eq!(remembering.closes_at(), closings.min());
                // The same again is the same list, which stores look at.
                let again = remembering.admit(&kind, at, now).unwrap();
                prop_assert!(Arc::ptr_eq(&windows, &again));
            }
        }
    }
}
