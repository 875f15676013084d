//! What may change of a kind that has boards, and what may not.

use std::time::Duration;

use board::{
    Calendar, DayStart, Direction, FieldName, FieldRule, Keep, Kind, KindSpec, Mode, Op, Period,
    RankStyle, Retain, Rules, Seasons, Ties, Timestamp, Weekday, WindowRule, WindowState,
};

use crate::fixtures;

const DAY: Duration = Duration::from_hours(24);

fn now() -> Timestamp {
    Timestamp::parse_rfc3339("2026-11-20T14:52:22.123000Z").unwrap()
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

fn field(name: &str) -> FieldRule {
    FieldRule::sum(FieldName::new(name).unwrap())
}

fn rules(fields: Vec<FieldRule>, mode: Mode, ties: Ties) -> Rules {
    Rules::new(fields, mode, ties).unwrap()
}

/// Points of the day and of all time, in Shanghai.
fn gifts(change: impl FnOnce(&mut KindSpec)) -> Kind {
    let mut spec = KindSpec {
        calendar: Calendar::new("Asia/Shanghai").unwrap(),
        ..fixtures::gifts(&[Period::Day, Period::All])
    };
    change(&mut spec);
    Kind::new(spec).unwrap()
}

fn listed(keep: u64) -> Retain {
    Retain {
        approximate: true,
        ..Retain::best(keep)
    }
}

fn seasonal(seasons: &[(&str, &str)]) -> Kind {
    gifts(|spec| {
        let season = WindowRule::with_defaults(Period::Season);
        spec.windows.push(season);
        let seasons = Seasons::named(seasons.iter().copied()).unwrap();
        spec.calendar = spec.calendar.clone().with_seasons(Some(seasons));
    })
}

#[test]
fn seasons_may_change_that_begin_later_than_a_day_from_now() {
    let kind = seasonal(&[("autumn", "2026-09-01"), ("winter", "2026-12-01")]);
    // Now is 22:52 of November 20 in Shanghai.
    for wanted in [
        &[("autumn", "2026-09-01")][..],
        &[("autumn", "2026-09-01"), ("winter", "2026-11-21T22:53")],
        &[
            ("autumn", "2026-09-01"),
            ("winter", "2026-12-01"),
            ("spring", "2027-03-01"),
        ],
        &[("autumn", "2026-09-01"), ("frost", "2026-12-24T20:00")],
    ] {
        let wanted = seasonal(wanted);
        assert_eq!(kind.changed_to(&wanted, now()), Ok(wanted));
    }
    for wanted in [
        &[("fall", "2026-09-01"), ("winter", "2026-12-01")][..],
        &[("autumn", "2026-09-02"), ("winter", "2026-12-01")],
        &[("autumn", "2026-09-01"), ("winter", "2026-11-21T22:52")],
        &[
            ("summer", "2026-06-01"),
            ("autumn", "2026-09-01"),
            ("winter", "2026-12-01"),
        ],
    ] {
        let error = kind.changed_to(&seasonal(wanted), now()).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with("seasons: "), "{wanted:?}: {error}");
    }
    // A window of seasons that is added begins with the next of them.
    let added = gifts(|_| ()).changed_to(&kind, now()).unwrap();
    let since = added.window_rule(Period::Season).unwrap().since;
    assert_eq!(since, Some(at("2026-11-30T16:00:00Z")));
    // It begins with another one that is moved before that.
    let moved = [
        ("autumn", "2026-09-01"),
        ("early", "2026-11-25"),
        ("winter", "2026-12-01"),
    ];
    let moved = added.changed_to(&seasonal(&moved), now()).unwrap();
    let since = moved.window_rule(Period::Season).unwrap().since;
    assert_eq!(since, Some(at("2026-11-24T16:00:00Z")));
    let none = seasonal(&[("autumn", "2026-09-01")]);
    let refused = gifts(|_| ()).changed_to(&none, now()).unwrap_err();
    assert!(
        refused.to_string().contains("season has no next start"),
        "{refused}"
    );
}

#[test]
fn settings_without_effect_on_standings_may_change() {
    let wanted = [
        gifts(|_| ()),
        gifts(|spec| spec.top = 10),
        gifts(|spec| spec.shards = 64),
        gifts(|spec| spec.max_staleness = Duration::ZERO),
        gifts(|spec| spec.dedupe = DAY),
        gifts(|spec| spec.rank = RankStyle::Competition),
        gifts(|spec| spec.windows[0].keep = Keep::Forever),
        gifts(|spec| spec.windows[0].close = Some(DAY)),
        gifts(|spec| spec.windows[1].keep = Keep::Idle(DAY)),
        gifts(|spec| spec.public_read = true),
    ];
    for wanted in wanted {
        assert_eq!(gifts(|_| ()).meaning(), wanted.meaning());
        assert_eq!(gifts(|_| ()).changed_to(&wanted, now()), Ok(wanted));
    }
}

#[test]
fn settings_that_determine_standings_may_not_change() {
    let ascending = FieldRule {
        order: Direction::Asc,
        ..field("points")
    };
    let max = FieldRule {
        op: Op::Max,
        ..field("points")
    };
    let accumulate = |fields| rules(fields, Mode::Accumulate, Ties::Earliest);
    let refused = [
        (
            "fields",
            gifts(|spec| spec.rules = accumulate(vec![field("likes")])),
        ),
        (
            "fields",
            gifts(|spec| spec.rules = accumulate(vec![field("points"), field("likes")])),
        ),
        (
            "fields",
            gifts(|spec| spec.rules = accumulate(vec![ascending])),
        ),
        ("fields", gifts(|spec| spec.rules = accumulate(vec![max]))),
        (
            "mode",
            gifts(|s| s.rules = rules(vec![field("points")], Mode::Best, Ties::Earliest)),
        ),
        (
            "ties",
            gifts(|s| s.rules = rules(vec![field("points")], Mode::Accumulate, Ties::Latest)),
        ),
        ("retain", gifts(|spec| spec.retain = Some(listed(1000)))),
        ("rank", gifts(|spec| spec.rank = RankStyle::Dense)),
        ("time_zone", gifts(|spec| spec.calendar = Calendar::utc())),
        (
            "day_starts_at",
            gifts(|spec| {
                spec.calendar = spec
                    .calendar
                    .clone()
                    .beginning("05:00".parse().unwrap(), Weekday::Monday);
            }),
        ),
        (
            "week_starts_on",
            gifts(|spec| {
                spec.calendar = spec
                    .calendar
                    .clone()
                    .beginning(DayStart::default(), Weekday::Sunday);
            }),
        ),
        (
            "weeks_count_from",
            gifts(|spec| {
                let from = "2026-01-05".parse().unwrap();
                spec.calendar = spec.calendar.clone().counting_weeks_from(Some(from));
            }),
        ),
        ("windows", gifts(|spec| spec.windows.truncate(1))),
        ("windows", gifts(|spec| spec.windows.reverse())),
        (
            "windows",
            gifts(|spec| spec.windows[0] = WindowRule::with_defaults(Period::Week)),
        ),
    ];
    for (setting, wanted) in refused {
        let error = gifts(|_| ())
            .changed_to(&wanted, now())
            .unwrap_err()
            .to_string();
        let begins = format!("{setting}: cannot change while the kind has boards: ");
        assert!(error.starts_with(&begins), "{error}");
    }
}

#[test]
fn an_added_window_begins_at_its_next_start() {
    for (period, begins) in [
        (Period::Hour, "2026-11-20T15:00:00Z"),
        (Period::Week, "2026-11-22T16:00:00Z"),
        (Period::Month, "2026-11-30T16:00:00Z"),
    ] {
        let wanted = gifts(|spec| spec.windows.push(WindowRule::with_defaults(period)));
        let changed = gifts(|_| ()).changed_to(&wanted, now()).unwrap();
        let begins = at(begins);
        assert_eq!(changed.window_rule(period).unwrap().since, Some(begins));
        assert_eq!(changed.window_rule(Period::Day).unwrap().since, None);
        // The one under way is never kept: part of it is lost already.
        let window = |at| changed.calendar().span_at(period, at).window;
        assert_eq!(
            changed.window_state(window(now()), now()),
            WindowState::BeforePeriod
        );
        assert!(changed.is_expired(window(now()), now()));
        assert_eq!(
            changed.window_state(window(begins), begins),
            WindowState::Open
        );
        assert_eq!(changed.admit(now(), now()).unwrap().len(), 2);
        assert_eq!(changed.admit(begins, begins).unwrap().len(), 3);
        assert_eq!(changed.admit(now(), begins).unwrap().len(), 2, "a late one");
        // A change after that, which knows of no start, leaves it.
        let later = changed.changed_to(&wanted, now().plus(DAY * 40)).unwrap();
        assert_eq!(later.window_rule(period).unwrap().since, Some(begins));
    }
}

#[test]
fn the_window_without_bounds_is_never_added() {
    let daily = gifts(|spec| spec.windows.truncate(1));
    let error = daily
        .changed_to(&gifts(|_| ()), now())
        .unwrap_err()
        .to_string();
    assert!(error.contains("all has no next start"), "{error}");
}

#[test]
fn a_list_stays_as_it_is() {
    let of = |retain| gifts(|spec| spec.retain = Some(retain));
    let kind = of(listed(1000));
    assert_eq!(kind.changed_to(&kind, now()), Ok(kind.clone()));
    let others = [
        listed(2000),
        Retain {
            trim_at: 1500,
            ..listed(1000)
        },
    ];
    for other in others {
        assert!(kind.changed_to(&of(other), now()).is_err(), "{other:?}");
        assert_ne!(kind.meaning(), of(other).meaning());
    }
    assert!(kind.changed_to(&gifts(|_| ()), now()).is_err());
    assert_ne!(kind.meaning(), gifts(|_| ()).meaning());
}
