//! Every rule that a kind's settings are held to, by the setting that is named where it is broken.

use std::time::Duration;

use board::limits::{DEDUPE_MAX, KEEP_MAX, STALENESS_MAX};
use board::{
    Calendar, Direction, FieldName, FieldRule, Keep, Kind, KindSpec, Mode, Op, Period, Rules,
    RulesError, Ties, WindowRule,
};

use crate::fixtures;

const DAY: Duration = Duration::from_hours(24);
const MS: Duration = Duration::from_millis(1);

fn points() -> FieldRule {
    FieldRule::sum(FieldName::new("points").unwrap())
}

fn gifts(change: impl FnOnce(&mut KindSpec)) -> KindSpec {
    let mut spec = fixtures::gifts(&Period::DEFAULTS);
    change(&mut spec);
    spec
}

/// `gifts` with one window of this period.
fn only(period: Period, keep: Keep, close: Option<Duration>) -> KindSpec {
    let rule = WindowRule {
        keep,
        close,
        ..WindowRule::with_defaults(period)
    };
    gifts(|spec| spec.windows = vec![rule])
}

#[test]
fn the_defaults_are_a_kind() {
    let kind = Kind::new(gifts(|_| ())).unwrap();
    assert_eq!(kind.spec(), &gifts(|_| ()));
    assert_eq!((kind.shards().get(), kind.top()), (16, 1000));
    let keep = Period::DEFAULTS.map(|period| kind.window_rule(period).unwrap().keep);
    let month = Duration::from_secs(2_630_016);
    let after = [DAY * 2, DAY * 35, DAY * 70, month * 13].map(Keep::After);
    assert_eq!(keep[..4], after);
    assert_eq!(keep[4], Keep::Forever);
    assert!(
        kind.windows()
            .iter()
            .all(|rule| rule.close.is_none() && rule.since.is_none())
    );
    assert_eq!(kind.idle(), None);
}

#[test]
fn values_at_the_limits_are_accepted() {
    let at_limits = [
        gifts(|spec| spec.shards = 1),
        gifts(|spec| spec.shards = 4096),
        gifts(|spec| spec.top = 1),
        gifts(|spec| spec.top = 10_000),
        gifts(|spec| spec.max_staleness = STALENESS_MAX),
        gifts(|spec| spec.max_staleness = Duration::ZERO),
        gifts(|spec| spec.dedupe = DEDUPE_MAX),
        gifts(|spec| spec.dedupe = Duration::ZERO),
        only(Period::Day, Keep::After(KEEP_MAX), Some(KEEP_MAX)),
        only(
            Period::Day,
            Keep::After(Duration::ZERO),
            Some(Duration::ZERO),
        ),
        only(Period::Day, Keep::Forever, None),
        only(Period::All, Keep::Idle(KEEP_MAX), None),
        only(Period::All, Keep::Idle(MS), None),
    ];
    for spec in at_limits {
        assert!(Kind::new(spec.clone()).is_ok(), "{spec:?}");
    }
    let idle = Kind::new(only(Period::All, Keep::Idle(DAY), None)).unwrap();
    assert_eq!(idle.idle(), Some(DAY));
}

#[test]
fn errors_name_the_broken_rule() {
    let day = WindowRule::with_defaults(Period::Day);
    let broken = [
        (
            "windows",
            gifts(|spec| spec.windows.clear()),
            "at least one",
        ),
        (
            "windows",
            gifts(|spec| spec.windows.push(day)),
            "day is named twice",
        ),
        (
            "shards",
            gifts(|spec| spec.shards = 0),
            "0 is not a power of two",
        ),
        (
            "shards",
            gifts(|spec| spec.shards = 24),
            "24 is not a power of two",
        ),
        ("shards", gifts(|spec| spec.shards = 8192), "4096"),
        (
            "top",
            gifts(|spec| spec.top = 0),
            "0 is not between 1 and 10000",
        ),
        ("top", gifts(|spec| spec.top = 10_001), "10001"),
        ("top", gifts(|spec| spec.top = u64::MAX), "10000"),
        (
            "max_staleness",
            gifts(|spec| spec.max_staleness = STALENESS_MAX + MS),
            "hour",
        ),
        (
            "dedupe",
            gifts(|spec| spec.dedupe = DEDUPE_MAX + MS),
            "seven days",
        ),
        (
            "keep.all",
            only(Period::All, Keep::After(DAY), None),
            "never ends",
        ),
        (
            "keep.all",
            only(Period::All, Keep::Idle(Duration::ZERO), None),
            "idle is 0",
        ),
        (
            "keep.all",
            only(Period::All, Keep::Idle(KEEP_MAX + MS), None),
            "thousand years",
        ),
        (
            "keep.day",
            only(Period::Day, Keep::After(KEEP_MAX + MS), None),
            "thousand years",
        ),
        (
            "keep.hour",
            only(Period::Hour, Keep::Idle(DAY), None),
            "idle is supported only for",
        ),
        (
            "close.all",
            only(Period::All, Keep::Forever, Some(DAY)),
            "never closes",
        ),
        (
            "close.week",
            only(Period::Week, Keep::Forever, Some(KEEP_MAX + MS)),
            "thousand years",
        ),
    ];
    for (setting, spec, reason) in broken {
        let error = Kind::new(spec).unwrap_err();
        assert_eq!(error.setting(), setting, "{error}");
        let text = error.to_string();
        assert!(
            text.starts_with(&format!("{setting}: ")) && text.contains(reason),
            "{text}"
        );
    }
}

#[test]
fn hours_need_a_clock_that_changes_by_hours() {
    let in_zone = |zone: &str, period| {
        let rule = WindowRule::with_defaults(period);
        Kind::new(gifts(|spec| {
            spec.windows = vec![rule];
            spec.calendar = Calendar::new(zone).unwrap();
        }))
    };
    let error = in_zone("Australia/Lord_Howe", Period::Hour).unwrap_err();
    assert_eq!(error.setting(), "windows");
    assert!(error.to_string().contains("Australia/Lord_Howe"), "{error}");
    assert!(in_zone("Australia/Lord_Howe", Period::Day).is_ok());
    // Half an hour off, and never changing.
    assert!(in_zone("Asia/Kolkata", Period::Hour).is_ok());
    assert!(in_zone("America/New_York", Period::Hour).is_ok());
}

#[test]
fn fields_are_one_to_four_with_names_of_their_own() {
    let field = |index: usize| FieldRule::sum(FieldName::new(&format!("f{index}")).unwrap());
    for count in 0..=5 {
        let rules = Rules::new((0..count).map(field).collect(), Mode::Best, Ties::Member);
        if (1..=4).contains(&count) {
            assert_eq!(rules.unwrap().fields().len(), count);
        } else {
            let error = rules.unwrap_err();
            assert_eq!(error, RulesError::FieldCount(count));
            assert_eq!(
                error.to_string(),
                format!("fields: a kind has 1 to 4 fields, not {count}")
            );
        }
    }
    let ascending = FieldRule {
        order: Direction::Asc,
        ..points()
    };
    let twice = Rules::new(
        vec![points(), field(1), ascending],
        Mode::Latest,
        Ties::Member,
    );
    assert_eq!(
        twice.unwrap_err().to_string(),
        "fields: points is named twice"
    );
}

#[test]
fn ops_are_for_what_accumulates() {
    for op in [Op::Max, Op::Min, Op::Last] {
        let field = FieldRule { op, ..points() };
        assert!(Rules::new(vec![field.clone()], Mode::Accumulate, Ties::Earliest).is_ok());
        for mode in [Mode::Best, Mode::Latest] {
            let error = Rules::new(vec![field.clone()], mode, Ties::Earliest).unwrap_err();
            assert_eq!(error, RulesError::OpInAttempts(field.name.clone()));
            assert!(
                error.to_string().starts_with("fields: points has an op"),
                "{error}"
            );
        }
    }
}

#[test]
fn fields_are_found_by_name() {
    let fields = ["laps", "seconds"].map(|name| FieldRule::sum(FieldName::new(name).unwrap()));
    let rules = Rules::new(fields.to_vec(), Mode::Best, Ties::Earliest).unwrap();
    assert_eq!(rules.field_index("laps"), Some(0));
    assert_eq!(rules.field_index("seconds"), Some(1));
    assert_eq!(rules.field_index("points"), None);
}
