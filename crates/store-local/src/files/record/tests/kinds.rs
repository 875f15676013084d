//! Kinds as JSON: the longest fits into the journal, and unknown settings are rejected.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use board::limits::{
    DEDUPE_MAX, ENCODING_BYTES_MAX, HIDDEN_MAX, KEEP_MAX, KEY_TEMPLATE_BYTES_MAX, NAME_BYTES_MAX,
    PUBLISH_EVERY_MAX, RETAIN_MAX, STALENESS_MAX,
};
use board::{
    Calendar, Direction, FieldName, FieldRule, Hidden, Keep, Kind, KindName, KindSpec, Member,
    Mode, Op, Period, Publication, RankStyle, Retain, Rules, Seasons, Ties, Timestamp, Weekday,
    WindowRule,
};
use serde_json::{Value, json};

use super::super::{Record, decode, encoded, kind_bytes_max};
use super::any_kind::LONGEST_ZONE;
use engine::Event;
use journal::{BATCH_BYTES_MAX, reserved_bytes};
use shard_store::kind_text::{KindTextError, decode_record, encode_record};
use shard_store::{KindRecord, Revision};

fn written(record: &KindRecord) -> Record<'_> {
    Record::Event(Event::KindWritten {
        record: Cow::Borrowed(record),
        without_boards: true,
    })
}

fn read(json: &Value) -> Result<KindRecord, KindTextError> {
    decode_record(&json.to_string())
}

fn gifts() -> Value {
    json!({"name": "gifts", "revision": 3, "kind": {
        "settings": {
            "name": "gifts",
            "rules": {
                "fields": [{"name": "points", "order": "desc", "op": "sum"}],
                "mode": "accumulate", "ties": "earliest", "packing": null,
            },
            "rank": "ordinal",
            "windows": [
                {"period": "day", "keep": {"after": {"secs": 3_024_000, "nanos": 0}},
                 "close": {"secs": 60, "nanos": 0}, "since": null},
                {"period": "all", "keep": {"idle": {"secs": 0, "nanos": 500_000}}, "close": null,
                 "since": null},
            ],
            "calendar": {
                "time_zone": "UTC", "day_starts_at": "00:00", "week_starts_on": "monday",
                "weeks_count_from": null, "seasons": null,
            },
            "shards": 16, "top": 1000,
            "max_staleness": {"secs": 0, "nanos": 200_000_000},
            "dedupe": {"secs": 3600, "nanos": 0},
            "score_ttl": null, "retain": null,
            "publish": {
                "target": "readers", "key": "lb:{subject}:{period}", "windows": ["day"],
                "encoding": "plain", "top": 100, "every": {"secs": 1, "nanos": 0},
            },
            "public_read": false,
        },
        "hidden": [],
    }})
}

#[test]
fn the_longest_kind_fits_into_the_journal_with_a_zone_of_255_bytes() {
    // A little less than the maximum, and not whole milliseconds.
    let long = |longest: Duration| longest.checked_sub(Duration::from_nanos(1)).unwrap();
    let field = |index| FieldRule {
        name: FieldName::new(&format!("{}{index}", "f".repeat(31))).unwrap(),
        order: Direction::Desc,
        op: Op::Last,
    };
    let window = |period| WindowRule {
        period,
        keep: match period {
            Period::All => Keep::Idle(long(KEEP_MAX)),
            _ => Keep::After(long(KEEP_MAX)),
        },
        close: (period != Period::All).then_some(long(KEEP_MAX)),
        since: Some(Timestamp::from_millis(i64::MIN)),
    };
    let kind = Kind::new(KindSpec {
        name: KindName::new(&"k".repeat(63)).unwrap(),
        rules: Rules::new(
            (0..4).map(field).collect(),
            Mode::Accumulate,
            Ties::Earliest,
        )
        .unwrap(),
        rank: RankStyle::Competition,
        windows: Period::ALL_PERIODS.map(window).into(),
        calendar: longest_calendar(),
        shards: 4096,
        top: 10_000,
        max_staleness: long(STALENESS_MAX),
        dedupe: long(DEDUPE_MAX),
        score_ttl: None,
        retain: Some(Retain {
            approximate: true,
            ..Retain::best(RETAIN_MAX)
        }),
        publish: Some(Publication {
            target: "t".repeat(63).parse().unwrap(),
            // Each of these takes two bytes as JSON.
            key: format!(
                "{{subject}}{{window}}{}",
                "\"".repeat(KEY_TEMPLATE_BYTES_MAX - 17)
            )
            .parse()
            .unwrap(),
            windows: Period::ALL_PERIODS.into(),
            encoding: "\"".repeat(ENCODING_BYTES_MAX),
            top: Some(10_000),
            every: long(PUBLISH_EVERY_MAX),
        }),
        public_read: true,
    });
    let record = KindRecord {
        name: KindName::new(&"k".repeat(63)).unwrap(),
        revision: Revision(u64::MAX),
        kind: Some(Arc::new(kind.unwrap().hiding(longest_names()))),
    };
    let bytes = encoded(&written(&record));
    let room_bytes = kind_bytes_max(&record.name, record.kind.as_ref());
    assert!(
        reserved_bytes(bytes.len()) <= room_bytes,
        "{} bytes",
        bytes.len()
    );
    assert!(room_bytes + 255 < BATCH_BYTES_MAX, "{room_bytes} bytes");
    assert_eq!(decode(&bytes), Ok(written(&record)));
}

/// As many seasons as a kind may list, with the longest names.
fn longest_calendar() -> Calendar {
    let name = |number| format!("{number:064}");
    let start = |number| format!("{}-{:02}-28T05:07", 1973 + number / 12, 1 + number % 12);
    let listed: Vec<_> = (0..1_000)
        .map(|number| (name(number), start(number)))
        .collect();
    let listed = listed.iter().map(|(name, start)| (&**name, &**start));
    Calendar::new(LONGEST_ZONE)
        .unwrap()
        .beginning("05:07".parse().unwrap(), Weekday::Wednesday)
        .counting_weeks_from(Some("2026-01-05".parse().unwrap()))
        .with_seasons(Some(Seasons::named(listed).unwrap()))
}

/// As many members as a kind may hide, with names each byte of which takes two as JSON.
fn longest_names() -> Hidden {
    let name = |number| format!("{number:04}{}", "\"".repeat(NAME_BYTES_MAX - 4));
    let members = (0..HIDDEN_MAX).map(|number| Member::new(&name(number)).unwrap());
    Hidden::new(members).unwrap()
}

#[test]
fn the_reserved_size_of_a_kind_includes_all_its_hidden_members() {
    let mut record = read(&gifts()).unwrap();
    let hiding = |count| {
        let kind = Kind::clone(record.kind.as_ref().unwrap());
        let members = longest_names()
            .iter()
            .take(count)
            .cloned()
            .collect::<Vec<_>>();
        Arc::new(kind.hiding(Hidden::new(members).unwrap()))
    };
    for kind in [0, 1, 29, 59, 1000].map(hiding) {
        record.kind = Some(kind.clone());
        record.revision = Revision(u64::MAX);
        let room_bytes = kind_bytes_max(&record.name, Some(&kind));
        let bytes = reserved_bytes(encoded(&written(&record)).len());
        assert!(
            (bytes..bytes + 12).contains(&room_bytes),
            "{room_bytes} for {bytes}"
        );
    }
}

#[test]
fn the_json_of_a_kind_has_all_its_settings() {
    let record = read(&gifts()).unwrap();
    assert_eq!(record.revision, Revision(3));
    let kind = record.kind.as_ref().unwrap();
    assert_eq!(kind.windows()[0].close, Some(Duration::from_mins(1)));
    assert_eq!(kind.idle(), Some(Duration::from_micros(500)));
    let json: Value = serde_json::from_str(&encode_record(&record)).unwrap();
    assert_eq!(json, gifts());
}

#[test]
fn a_deleted_kind_has_a_name_and_a_revision() {
    let deleted = json!({"name": "gifts", "revision": 4, "kind": null});
    let record = read(&deleted).unwrap();
    assert_eq!((record.revision, &record.kind), (Revision(4), &None));
    let json: Value = serde_json::from_str(&encode_record(&record)).unwrap();
    assert_eq!(json, deleted);
}

/// The objects of the JSON, as pointers.
const OBJECTS: [&str; 9] = [
    "",
    "/kind",
    "/kind/settings",
    "/kind/settings/rules",
    "/kind/settings/rules/fields/0",
    "/kind/settings/windows/0",
    "/kind/settings/windows/0/keep",
    "/kind/settings/calendar",
    "/kind/settings/publish",
];

/// Settings that may be null, and so may be missing.
const OPTIONAL: [&str; 4] = [
    "/kind",
    "/kind/settings/windows/0/close",
    "/kind/settings/publish",
    "/kind/settings/publish/top",
];

#[test]
fn a_setting_that_is_not_known_or_missing_is_refused() {
    for place in OBJECTS {
        let mut json = gifts();
        let object = json.pointer_mut(place).unwrap().as_object_mut().unwrap();
        let set = object.iter().filter(|(_, value)| !value.is_null());
        let names: Vec<String> = set.map(|(name, _)| name.clone()).collect();
        object.insert("newer".to_owned(), json!(1));
        assert!(read(&json).is_err(), "{place}");
        for name in names {
            let is_optional = OPTIONAL.contains(&format!("{place}/{name}").as_str());
            let mut json = gifts();
            let object = json.pointer_mut(place).unwrap().as_object_mut().unwrap();
            object.remove(&name);
            assert_eq!(read(&json).is_ok(), is_optional, "{place}/{name}");
        }
    }
}

#[test]
fn invalid_kinds_are_rejected() {
    let cases = [
        ("/name", json!("presents")),
        ("/name", json!("9")),
        ("/revision", json!(-1)),
        ("/kind/settings/rules/mode", json!("newest")),
        ("/kind/settings/rules/fields/0/name", json!("rank")),
        ("/kind/settings/rules/fields", json!([])),
        ("/kind/settings/windows", json!([])),
        ("/kind/settings/windows/0/period", json!("fortnight")),
        (
            "/kind/settings/windows/0/keep",
            json!({"idle": {"secs": 1, "nanos": 0}}),
        ),
        ("/kind/settings/calendar/time_zone", json!("Mars/Olympus")),
        ("/kind/settings/shards", json!(3)),
        ("/kind/settings/top", json!(0)),
        ("/kind/settings/dedupe/secs", json!(u64::MAX)),
        (
            "/kind/settings/retain",
            json!({"keep": 10, "trim_at": 10, "approximate": true}),
        ),
    ];
    for (place, value) in cases {
        let mut json = gifts();
        *json.pointer_mut(place).unwrap() = value.clone();
        assert!(read(&json).is_err(), "{place}: {value}");
    }
}
