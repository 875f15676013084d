//! Kinds that may rank only their best members, and the errors of all others.

use board::limits::{RETAIN_MAX, TRIM_AT_MAX};
use board::{
    Direction, FieldName, FieldRule, Kind, KindError, KindSpec, Mode, Op, Period, Retain, Rules,
    Ties,
};

use crate::fixtures::gifts;

fn field(name: &str, order: Direction, op: Op) -> FieldRule {
    FieldRule {
        name: FieldName::new(name).unwrap(),
        order,
        op,
    }
}

fn rules(fields: &[(Direction, Op)], mode: Mode, ties: Ties) -> Rules {
    let names = ["laps", "seconds", "likes", "points"];
    let fields = fields.iter().zip(names);
    let fields = fields.map(|((order, op), name)| field(name, *order, *op));
    Rules::new(fields.collect(), mode, ties).unwrap()
}

/// Rises only, whatever is contributed.
fn highest() -> Rules {
    rules(
        &[(Direction::Desc, Op::Max)],
        Mode::Accumulate,
        Ties::Earliest,
    )
}

fn kind(rules: Rules, top: u64, retain: Retain) -> Result<Kind, KindError> {
    Kind::new(KindSpec {
        rules,
        top,
        retain: Some(retain),
        ..gifts(&[Period::All])
    })
}

#[test]
fn a_list_keeps_a_fifth_of_slack() {
    let slack = |keep| Retain::best(keep).trim_at - keep;
    assert_eq!([slack(1), slack(4), slack(5), slack(1000)], [1, 1, 1, 200]);
    assert!(!Retain::best(1000).approximate);
}

#[test]
fn values_at_the_limits_are_accepted() {
    let widest = Retain {
        trim_at: TRIM_AT_MAX,
        ..Retain::best(RETAIN_MAX)
    };
    for (top, retain) in [
        (1, Retain::best(1)),
        (1000, Retain::best(1000)),
        (10_000, widest),
    ] {
        let kind = kind(highest(), top, retain).unwrap();
        assert_eq!(kind.retain(), Some(&retain));
    }
}

#[test]
fn errors_name_the_exceeded_limit() {
    let list = |keep, trim_at| Retain {
        keep,
        trim_at,
        approximate: true,
    };
    let broken = [
        ("retain.keep", 1, list(0, 10), "0 is not between 1 and"),
        ("retain.keep", 1, list(RETAIN_MAX + 1, 200_000), "100001"),
        (
            "retain.trim_at",
            1,
            list(100, 100),
            "100 is not above keep, 100",
        ),
        ("retain.trim_at", 1, list(100, 99), "99 is not above keep"),
        ("retain.trim_at", 1, list(100, TRIM_AT_MAX + 1), "200001"),
        (
            "top",
            101,
            list(100, 120),
            "101 is more than retain.keep, 100",
        ),
    ];
    for (setting, top, retain, reason) in broken {
        let error = kind(highest(), top, retain).unwrap_err();
        assert_eq!(error.setting(), setting, "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn standings_that_only_rise_make_an_exact_list() {
    use Direction::{Asc, Desc};
    use Op::{Max, Min, Sum};
    for ties in [Ties::Earliest, Ties::Member] {
        for rules in [
            rules(&[(Desc, Max)], Mode::Accumulate, ties),
            rules(&[(Asc, Min)], Mode::Accumulate, ties),
            rules(&[(Desc, Max), (Asc, Min)], Mode::Accumulate, ties),
            rules(&[(Desc, Sum), (Asc, Sum)], Mode::Best, ties),
        ] {
            assert!(kind(rules, 10, Retain::best(10)).is_ok());
        }
    }
}

#[test]
fn rules_that_may_lower_standings_are_named_and_require_approximate() {
    use Direction::{Asc, Desc};
    use Op::{Last, Max, Min, Sum};
    let accumulate = |fields: &[_]| rules(fields, Mode::Accumulate, Ties::Earliest);
    let cases = [
        (accumulate(&[(Desc, Sum)]), "field laps has op sum"),
        (accumulate(&[(Asc, Sum)]), "field laps has op sum"),
        (
            accumulate(&[(Desc, Max), (Desc, Last)]),
            "field seconds has op last",
        ),
        (
            accumulate(&[(Asc, Max)]),
            "field laps has op max, where lower is better,",
        ),
        (
            accumulate(&[(Desc, Min)]),
            "field laps has op min, where higher is better,",
        ),
        (
            rules(&[(Desc, Sum)], Mode::Latest, Ties::Earliest),
            "mode latest",
        ),
        (
            rules(&[(Desc, Max)], Mode::Accumulate, Ties::Latest),
            "ties latest",
        ),
        (
            rules(&[(Desc, Sum)], Mode::Best, Ties::Latest),
            "ties latest",
        ),
    ];
    for (rules, why) in cases {
        let error = kind(rules.clone(), 10, Retain::best(10)).unwrap_err();
        assert_eq!(error.setting(), "retain");
        let text = error.to_string();
        assert!(text.starts_with(&format!("retain: {why}")), "{text}");
        assert!(
            text.contains("can lower standings") || text.contains("lets an earlier time"),
            "{text}"
        );
        assert!(text.contains("add approximate = true"), "{text}");
        let allowed = Retain {
            approximate: true,
            ..Retain::best(10)
        };
        assert!(kind(rules, 10, allowed).is_ok());
    }
}

#[test]
fn errors_say_where_positive_deltas_alone_are_enough() {
    use Direction::{Asc, Desc};
    let hint = |order, ties| {
        let rules = rules(&[(order, Op::Sum)], Mode::Accumulate, ties);
        let error = kind(rules, 10, Retain::best(10)).unwrap_err();
        error.to_string().contains("stays exact")
    };
    assert!(hint(Desc, Ties::Earliest) && hint(Desc, Ties::Member));
    assert!(!hint(Desc, Ties::Latest));
    assert!(!hint(Asc, Ties::Earliest));
}
