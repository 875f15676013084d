//! Kinds as they are read and shown.

use super::*;

#[test]
fn defaults_are_those_of_the_contract() {
    let kind = KindShape::default().into_kind("gifts").unwrap();
    let shape = serde_json::to_value(KindShape::from(&kind)).unwrap();
    let expected = serde_json::json!({
        "kind": "gifts", "mode": "accumulate", "rank": "ordinal", "ties": "earliest",
        "fields": [{"name": "points", "order": "desc", "op": "sum"}],
        "windows": ["hour", "day", "week", "month", "all"], "time_zone": "UTC",
        "shards": 16, "top": 1000, "max_staleness": "200ms", "dedupe": "1h",
        "keep": {"hour": "2d", "day": "35d", "week": "70d", "month": "13months", "all": "forever"},
    });
    assert_eq!(shape, expected);
}

#[test]
fn a_shown_kind_can_be_put_again() {
    let shape = serde_json::json!({
        "mode": "best", "rank": "competition", "windows": ["week", "all"],
        "fields": [{"name": "laps"}, {"name": "seconds", "order": "asc"}],
        "keep": {"week": "90m", "all": {"idle": "7d"}}, "close": {"week": "1500ms"},
    });
    let shape: KindShape = serde_json::from_value(shape).unwrap();
    let kind = shape.into_kind("races").unwrap();
    let shown = serde_json::to_value(KindShape::from(&kind)).unwrap();
    let again: KindShape = serde_json::from_value(shown).unwrap();
    assert_eq!(again.into_kind("races").unwrap(), kind);
}

#[test]
fn every_window_has_a_default_retention_and_days_may_begin_later() {
    let shape = serde_json::json!({
        "windows": ["2h", "3h", "4h", "6h", "8h", "12h", "2w", "6w", "quarter", "year"], "day_starts_at": "05:00",
        "week_starts_on": "sunday", "weeks_count_from": "2026-01-04", "close": {"6h": "10m"},
    });
    let shape: KindShape = serde_json::from_value(shape).unwrap();
    let kind = shape.into_kind("k").unwrap();
    let shown = serde_json::to_value(KindShape::from(&kind)).unwrap();
    let keep = serde_json::json!({
        "2h": "7d", "3h": "7d", "4h": "7d", "6h": "7d", "8h": "7d", "12h": "7d", "2w": "13months", "6w": "13months",
        "quarter": "2years", "year": "10years",
    });
    assert_eq!(shown["keep"], keep);
    assert_eq!(shown["day_starts_at"], "05:00");
    assert_eq!(shown["week_starts_on"], "sunday");
    assert_eq!(shown["weeks_count_from"], "2026-01-04");
    let again: KindShape = serde_json::from_value(shown).unwrap();
    assert_eq!(again.into_kind("k").unwrap(), kind);
    let error = serde_json::from_str::<KindShape>(r#"{"week_starts_on": "Sunday"}"#).unwrap_err();
    assert!(error.to_string().contains("`sunday`"), "{error}");
}

#[test]
fn members_may_leave_after_a_while() {
    let shape = serde_json::json!({"score_ttl": "30d"});
    let shape: KindShape = serde_json::from_value(shape).unwrap();
    let kind = shape.into_kind("k").unwrap();
    let shown = serde_json::to_value(KindShape::from(&kind)).unwrap();
    assert_eq!(shown["score_ttl"], "30d");
    let again: KindShape = serde_json::from_value(shown).unwrap();
    assert_eq!(again.into_kind("k").unwrap(), kind);
}

#[test]
fn a_public_kind_is_shown_as_one_and_others_as_before() {
    for (shape, shown) in [
        (r#"{"public_read": true}"#, Some(&serde_json::json!(true))),
        (r#"{"public_read": false}"#, None),
        ("{}", None),
    ] {
        let shape: KindShape = serde_json::from_str(shape).unwrap();
        let kind = shape.into_kind("k").unwrap();
        assert_eq!(kind.is_public(), shown.is_some());
        let json = serde_json::to_value(KindShape::from(&kind)).unwrap();
        assert_eq!(json.get("public_read"), shown);
        let again: KindShape = serde_json::from_value(json).unwrap();
        assert_eq!(again.into_kind("k").unwrap(), kind);
    }
    let error = serde_json::from_str::<KindShape>(r#"{"public_read": "yes"}"#).unwrap_err();
    assert!(error.to_string().contains("a boolean"), "{error}");
}

#[test]
fn seasons_are_named_or_begin_at_times_of_cron() {
    for seasons in [
        serde_json::json!({"cron": "0 5 1 */3 *"}),
        serde_json::json!([
            {"name": "winter", "starts_at": "2026-01-05"},
            {"name": "spring-2026", "starts_at": "2026-03-01T05:00"},
        ]),
    ] {
        let shape = serde_json::json!({"windows": ["season", "all"], "seasons": seasons});
        let shape: KindShape = serde_json::from_value(shape).unwrap();
        let kind = shape.into_kind("k").unwrap();
        let shown = serde_json::to_value(KindShape::from(&kind)).unwrap();
        assert_eq!(shown["seasons"], seasons);
        assert_eq!(shown["keep"]["season"], "2years");
        let again: KindShape = serde_json::from_value(shown).unwrap();
        assert_eq!(again.into_kind("k").unwrap(), kind);
    }
}

#[test]
fn an_error_of_seasons_names_what_is_wrong() {
    for (seasons, part) in [
        ("7", "expected { cron"),
        ("{}", "missing field `cron`"),
        (
            r#"{"cron": "0 0 1 * *", "zone": "UTC"}"#,
            "unknown field `zone`",
        ),
        (r#"[{"name": "a"}]"#, "missing field `starts_at`"),
        (
            r#"[{"name": "a", "start": "2026-01-01"}]"#,
            "unknown field `start`",
        ),
        (r#"[["a", "2026-01-01"]]"#, "expected an object"),
    ] {
        let text = format!(r#"{{"seasons": {seasons}}}"#);
        let error = serde_json::from_str::<KindShape>(&text).unwrap_err();
        assert!(error.to_string().contains(part), "{text}: {error}");
    }
}

#[test]
fn a_repeated_name_is_rejected() {
    for text in [
        r#"{"top": 1, "top": 1}"#,
        r#"{"keep": {}, "keep": {}}"#,
        r#"{"keep": {"day": "1d", "day": "2d"}}"#,
        r#"{"keep": {"all": {"idle": "1d", "idle": "2d"}}}"#,
        r#"{"keep": {"day": "1d", "d\u0061y": "1d"}}"#,
        r#"{"close": {"day": "1h", "day": "1h"}}"#,
        r#"{"fields": [{"name": "a", "name": "b"}]}"#,
        r#"{"retain": {"keep": 1, "keep": 2}}"#,
        r#"{"packed": {"most": 1, "most": 2}}"#,
        r#"{"publish": {"target": "a", "target": "b", "key": "k"}}"#,
        r#"{"seasons": {"cron": "0 0 1 * *", "cron": "0 0 2 * *"}}"#,
        r#"{"seasons": [{"name": "a", "name": "b", "starts_at": "2026-01-01"}]}"#,
    ] {
        let read = serde_json::from_str::<KindShape>(text);
        let error = read.err().map(|error| error.to_string());
        assert!(error.is_some(), "{text}");
    }
    let read = serde_json::from_str::<KindShape>(r#"{"keep": {"day": "1d", "day": "2d"}}"#);
    let error = read.unwrap_err().to_string();
    assert!(error.starts_with("\"day\" is named twice"), "{error}");
}

#[test]
fn retain_has_defaults_for_trim_at_and_top() {
    let shown = |text: &str| {
        let shape: KindShape = serde_json::from_str(text).unwrap();
        let kind = shape.into_kind("races").unwrap();
        let shown = serde_json::to_value(KindShape::from(&kind)).unwrap();
        let again: KindShape = serde_json::from_value(shown.clone()).unwrap();
        assert_eq!(again.into_kind("races").unwrap(), kind);
        (shown["top"].clone(), shown["retain"].clone())
    };
    let list = |keep, trim_at, approximate| serde_json::json!({"keep": keep, "trim_at": trim_at, "approximate": approximate});
    assert_eq!(
        shown(r#"{"mode": "best", "retain": {"keep": 500}}"#),
        (500.into(), list(500, 600, false))
    );
    assert_eq!(
        shown(r#"{"top": 10, "retain": {"keep": 5000, "trim_at": 5001, "approximate": true}}"#),
        (10.into(), list(5000, 5001, true))
    );
    assert_eq!(
        shown(r#"{"retain": {"keep": 5000, "approximate": true}}"#).0,
        1000
    );
}

#[test]
fn retain_must_be_an_object_without_nulls() {
    for text in [
        r#"{"retain": 1000}"#,
        r#"{"retain": null}"#,
        r#"{"retain": [1000, 1200, true]}"#,
        r#"{"retain": {}}"#,
        r#"{"retain": {"keep": 10, "slack": 2}}"#,
        r#"{"retain": {"keep": 10, "trim_at": null}}"#,
        r#"{"top": null}"#,
        r#"{"weeks_count_from": null}"#,
        r#"{"score_ttl": null}"#,
    ] {
        assert!(serde_json::from_str::<KindShape>(text).is_err(), "{text}");
    }
}

#[test]
fn errors_name_the_setting() {
    let cases = [
        (r#"{"windows": ["decade"]}"#, "windows"),
        (r#"{"windows": ["5h"]}"#, "windows"),
        (r#"{"windows": ["6h"], "keep": {"hour": "1d"}}"#, "keep"),
        (r#"{"day_starts_at": "24:00"}"#, "day_starts_at"),
        (r#"{"weeks_count_from": "2026-13-01"}"#, "weeks_count_from"),
        (r#"{"windows": ["season"]}"#, "seasons"),
        (r#"{"score_ttl": "soon"}"#, "score_ttl"),
        (r#"{"score_ttl": "999ms"}"#, "score_ttl"),
        (r#"{"score_ttl": "1d", "windows": ["day"]}"#, "score_ttl"),
        (r#"{"score_ttl": "1d", "mode": "best"}"#, "score_ttl"),
        (
            r#"{"score_ttl": "1d", "retain": {"keep": 10}}"#,
            "score_ttl",
        ),
        (
            r#"{"score_ttl": "1d", "fields": [{"name": "a"}, {"name": "b", "op": "max"}]}"#,
            "score_ttl",
        ),
        (r#"{"seasons": {"cron": "0 0 1 * *"}}"#, "seasons"),
        (
            r#"{"windows": ["season"], "seasons": {"cron": "0 0 32 * *"}}"#,
            "seasons",
        ),
        (
            r#"{"windows": ["season"], "seasons": [{"name": "before", "starts_at": "2026-01-01"}]}"#,
            "seasons",
        ),
        (
            r#"{"windows": ["season"], "seasons": {"cron": "0 0 1 * *"}, "packed": {"most": 10}}"#,
            "packed",
        ),
        (r#"{"windows": ["day", "day"]}"#, "windows"),
        (r#"{"windows": []}"#, "windows"),
        (r#"{"windows": ["all"], "keep": {"day": "1d"}}"#, "keep"),
        (r#"{"keep": {"all": "35d"}}"#, "keep.all"),
        (r#"{"keep": {"day": {"idle": "1d"}}}"#, "keep.day"),
        (r#"{"keep": {"day": "soon"}}"#, "keep.day"),
        (r#"{"close": {"all": "1d"}}"#, "close.all"),
        (r#"{"shards": 3}"#, "shards"),
        (r#"{"shards": 8192}"#, "shards"),
        (r#"{"top": 0}"#, "top"),
        (r#"{"time_zone": "Mars/Olympus"}"#, "time_zone"),
        (r#"{"time_zone": "Australia/Lord_Howe"}"#, "windows"),
        (r#"{"fields": []}"#, "fields"),
        (r#"{"fields": [{"name": "rank"}]}"#, "fields"),
        (
            r#"{"mode": "best", "fields": [{"name": "a", "op": "max"}]}"#,
            "fields",
        ),
        (r#"{"max_staleness": "1y"}"#, "max_staleness"),
        (r#"{"dedupe": "30d"}"#, "dedupe"),
        (r#"{"kind": "other"}"#, "kind"),
        (r#"{"retain": {"keep": 10}}"#, "retain"),
        (r#"{"mode": "best", "retain": {"keep": 0}}"#, "retain.keep"),
        (
            r#"{"mode": "best", "retain": {"keep": 10, "trim_at": 10}}"#,
            "retain.trim_at",
        ),
        (
            r#"{"mode": "best", "top": 11, "retain": {"keep": 10}}"#,
            "top",
        ),
    ];
    for (text, setting) in cases {
        let shape: KindShape = serde_json::from_str(text).unwrap();
        let error = shape.into_kind("gifts").unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{setting}: ")),
            "{text}: {error}"
        );
    }
}
