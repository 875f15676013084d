//! Seasons by example.

use super::*;

fn at(text: &str) -> i64 {
    local_time(text).unwrap()
}

fn names_around(seasons: &Seasons, text: &str) -> (String, i64) {
    let (first, next) = seasons.around(at(text));
    assert!(first <= at(text) && at(text) < next);
    assert_eq!(seasons.around(next - 1), (first, next));
    (seasons.name_of(first), next)
}

#[test]
fn listed_seasons_last_until_the_next_one() {
    let list = [("winter", "2026-01-05"), ("spring-26", "2026-03-01T05:00")];
    let seasons = Seasons::named(list).unwrap();
    let listed = seasons.listed();
    let expected = list.map(|(name, start)| (name, start.to_owned()));
    assert!(listed.eq(expected));
    for (text, name, next) in [
        ("2026-01-04T23:59", "before", at("2026-01-05")),
        ("2026-01-05", "winter", at("2026-03-01T05:00")),
        ("2026-03-01T04:59", "winter", at("2026-03-01T05:00")),
        ("2026-03-01T05:00", "spring-26", OUTER.1),
        ("2399-12-31", "spring-26", OUTER.1),
    ] {
        assert_eq!(names_around(&seasons, text), (name.to_owned(), next));
    }
    assert_eq!(seasons.start_of("winter"), Some(at("2026-01-05")));
    assert_eq!(seasons.start_of("before"), Some(at("1972-12-31")));
    assert_eq!(seasons.start_of("2026-01-05"), None);
    let at_midnight = [("winter", "2026-01-05T00:00"), list[1]];
    assert_eq!(Seasons::named(at_midnight).unwrap(), seasons);
    let first = at("1972-12-31");
    assert_eq!(seasons.around(first - 1), (OUTER.0, first));
}

#[test]
fn a_cron_expression_begins_seasons() {
    let seasons = Seasons::cron("  0 5  1 */3 *").unwrap();
    assert_eq!(seasons.as_cron(), Some("0 5 1 */3 *"));
    for (text, name, next) in [
        ("2026-04-01T04:59", "2026-01-01T05:00", "2026-04-01T05:00"),
        ("2026-04-01T05:00", "2026-04-01T05:00", "2026-07-01T05:00"),
        ("1973-01-01T05:00", "1973-01-01T05:00", "1973-04-01T05:00"),
    ] {
        assert_eq!(
            names_around(&seasons, text),
            (name.to_owned(), at(next)),
            "{text}"
        );
    }
    let midnight = Seasons::cron("0 0 1 * *").unwrap();
    assert_eq!(midnight.start_of("2026-04-01T00:00"), None);
    assert!(midnight.start_of("2026-04-01").is_some());
    // Both day fields: the days of either.
    let either = Seasons::cron("0 0 L * MON#1").unwrap();
    assert_eq!(
        ["2026-10-31", "2026-11-02"].map(|text| either.start_of(text)),
        ["2026-10-31", "2026-11-02"].map(|text| Some(at(text)))
    );
    let workday = Seasons::cron("0 0 1W NOV *").unwrap();
    assert_eq!(workday.start_of("2026-11-02"), Some(at("2026-11-02")));
    // What is behind 2100 is one season.
    let last = seasons.around(at("2100-01-01")).0;
    assert_eq!(seasons.name_of(last), "2099-10-01T05:00");
    assert_eq!(seasons.around(at("2399-01-01")), (last, OUTER.1));
    assert_eq!(
        seasons.start_of("2026-04-01T05:00"),
        Some(at("2026-04-01T05:00"))
    );
    assert_eq!(seasons.start_of("2026-04-01"), None);
    assert_eq!(seasons.listed().count(), 0);
    let month_ends = Seasons::cron("0 0 L * *").unwrap();
    assert_eq!(
        names_around(&month_ends, "2027-01-01"),
        ("2026-12-31".to_owned(), at("2027-01-31"))
    );
    let fridays = Seasons::cron("0 0 * * 5L").unwrap();
    assert_eq!(
        names_around(&fridays, "2026-12-25"),
        ("2026-12-25".to_owned(), at("2027-01-29"))
    );
    let weekly = Seasons::cron("0 0 * * MON").unwrap();
    assert_eq!(
        weekly.name_of(weekly.around(at("2026-11-26")).0),
        "2026-11-23"
    );
}

#[test]
fn seasons_agree_until_one_of_them_begins_another() {
    let named =
        |list: &[(&'static str, &'static str)]| Seasons::named(list.iter().copied()).unwrap();
    let short = named(&[("a", "2026-01-01"), ("b", "2026-04-01")]);
    let long = named(&[
        ("a", "2026-01-01"),
        ("b", "2026-04-01"),
        ("c", "2026-07-01"),
    ]);
    let renamed = named(&[("a", "2026-01-01"), ("x", "2026-04-01")]);
    assert!(short.agree_until(&long, at("2026-07-01")));
    assert!(!short.agree_until(&long, at("2026-07-01T00:01")));
    assert!(short.agree_until(&renamed, at("2026-04-01")));
    assert!(!short.agree_until(&renamed, at("2026-04-02")));
    assert!(!short.agree_until(&Seasons::cron("0 0 1 */3 *").unwrap(), at("2026-02-01")));
}

#[test]
fn errors_name_what_is_wrong() {
    for (cron, part) in [
        ("", "0 fields"),
        ("0 0 1 *", "4 fields"),
        ("0 0 1 * * UTC", "6 fields"),
        ("61 0 1 * *", "`61 0 1 * *` is not a cron expression"),
        ("0 0 1 * FRIDAY", "is not a cron expression"),
        ("0 0 30 2 *", "names no time"),
        ("0 0 * * *", "more than 10000 seasons"),
    ] {
        let error = Seasons::cron(cron).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let many: Vec<String> = (0..1001).map(|number| format!("s{number}")).collect();
    let many: Vec<_> = many.iter().map(|name| (&**name, "2026-01-01")).collect();
    let named = |list: &[(&'static str, &'static str)]| {
        Seasons::named(list.iter().copied())
            .unwrap_err()
            .to_string()
    };
    assert!(named(&[]).starts_with("lists 0 seasons"));
    let error = Seasons::named(many).unwrap_err();
    assert_eq!(error, SeasonsError::Order("s1".to_owned()));
    for (list, part) in [
        (&[("", "2026-01-01")][..], "`` is not a name"),
        (&[("previous", "2026-01-01")], "`previous` is not a name"),
        (&[("a b", "2026-01-01")], "`a b` is not a name"),
        (
            &[("a", "2026-02-30")],
            "a: `2026-02-30` is not a local time",
        ),
        (&[("a", "2026-01-01T05")], "is not a local time"),
        (&[("a", "1972-12-31")], "is not a local time"),
        (&[("a", "2400-01-01")], "is not a local time"),
        (
            &[("a", "2026-01-01"), ("a", "2026-02-01")],
            "`a` is named twice",
        ),
        (
            &[("a", "2026-01-01"), ("b", "2026-01-01")],
            "b: does not begin after",
        ),
    ] {
        let error = named(list);
        assert!(error.contains(part), "{error}");
    }
}
