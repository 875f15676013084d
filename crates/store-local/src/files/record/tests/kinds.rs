//! Kinds as JSON: the longest fits into the journal, and unknown settings are rejected.

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

use super::super::super::bytes::Malformed;
use super::super::{Record, decode, encode, kind_bytes_max};
use super::any_kind::LONGEST_ZONE;
use engine::Event;
use journal::{BATCH_BYTES_MAX, reserved_bytes};
use shard_store::{KindRecord, Revision};

fn written(record: &KindRecord) -> Vec<u8> {
    let mut out = Vec::new();
    let without_boards = true;
    encode(
        &Event::KindWritten {
            record,
            without_boards,
        },
        &mut out,
    );
    out
}

/// Reads a kind's record from JSON, as the journal contains it.
fn read(json: &Value) -> Result<KindRecord, Malformed> {
    let mut bytes = vec![1, 0];
    serde_json::to_writer(&mut bytes, json).unwrap();
    match decode(&bytes)? {
        Record::KindWritten { record, .. } => Ok(record),
        other => panic!("{other:?}"),
    }
}

fn gifts() -> Value {
    json!({"name": "gifts", "revision": 3, "kind": {
        "name": "gifts", "mode": "accumulate",
        "fields": [{"name": "points", "order": "desc", "op": "sum"}],
        "ties": "earliest", "rank": "ordinal",
        "windows": [
            {"period": "day", "keep": {"after_ms": 3_024_000_000_u64}, "close_ms": 60_000,
             "since_us": null},
            {"period": "all", "keep": {"idle_ms": [0, 500_000]}, "close_ms": null, "since_us": null},
        ],
        "time_zone": "UTC", "day_starts_at": "00:00", "week_starts_on": "monday",
        "weeks_count_from": null, "seasons": null, "shards": 16, "top": 1000,
        "max_staleness_ms": 200, "dedupe_ms": 3_600_000, "score_ttl_ms": null, "retain": null,
        "packed": null, "public_read": false, "hidden": [],
        "publish": {
            "target": "readers", "key": "lb:{subject}:{period}", "windows": ["day"],
            "encoding": "plain", "top": 100, "every_ms": 1000,
        },
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
    let bytes = written(&record);
    let room_bytes = kind_bytes_max(&record.name, record.kind.as_ref());
    assert!(
        reserved_bytes(bytes.len()) <= room_bytes,
        "{} bytes",
        bytes.len()
    );
    assert!(room_bytes + 255 < BATCH_BYTES_MAX, "{room_bytes} bytes");
    let without_boards = true;
    assert_eq!(
        decode(&bytes),
        Ok(Record::KindWritten {
            record,
            without_boards
        })
    );
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
        assert_eq!(room_bytes, reserved_bytes(written(&record).len()));
    }
}

#[test]
fn the_json_of_a_kind_has_all_its_settings() {
    let record = read(&gifts()).unwrap();
    assert_eq!(record.revision, Revision(3));
    let kind = record.kind.as_ref().unwrap();
    assert_eq!(kind.windows()[0].close, Some(Duration::from_mins(1)));
    assert_eq!(kind.idle(), Some(Duration::from_micros(500)));
    let json: Value = serde_json::from_slice(&written(&record)[2..]).unwrap();
    assert_eq!(json, gifts());
}

#[test]
fn a_deleted_kind_has_a_name_and_a_revision() {
    let deleted = json!({"name": "gifts", "revision": 4, "kind": null});
    let record = read(&deleted).unwrap();
    assert_eq!((record.revision, &record.kind), (Revision(4), &None));
    let json: Value = serde_json::from_slice(&written(&record)[2..]).unwrap();
    assert_eq!(json, deleted);
}

/// The objects of the JSON, as pointers.
const OBJECTS: [&str; 7] = [
    "",
    "/kind",
    "/kind/fields/0",
    "/kind/windows/0",
    "/kind/windows/1",
    "/kind/windows/0/keep",
    "/kind/publish",
];

#[test]
fn a_setting_that_is_not_known_is_refused() {
    for place in OBJECTS {
        let mut json = gifts();
        let object = json.pointer_mut(place).unwrap().as_object_mut().unwrap();
        object.insert("newer".to_owned(), json!(1));
        let refused = read(&json);
        assert!(
            matches!(refused, Err(Malformed::Invalid("a kind", _))),
            "{place}: {refused:?}"
        );
    }
}

/// Settings that may be null, and so may be missing.
const OPTIONAL: [&str; 4] = [
    "/kind",
    "/kind/windows/0/close_ms",
    "/kind/publish",
    "/kind/publish/top",
];

#[test]
fn a_setting_that_is_missing_is_refused() {
    for place in OBJECTS {
        let names: Vec<String> = {
            let json = gifts();
            let object = json.pointer(place).unwrap().as_object().unwrap();
            let set = object.iter().filter(|(_, value)| !value.is_null());
            set.map(|(name, _)| name.clone()).collect()
        };
        for name in names
            .iter()
            .filter(|name| !OPTIONAL.contains(&format!("{place}/{name}").as_str()))
        {
            let mut json = gifts();
            let object = json.pointer_mut(place).unwrap().as_object_mut().unwrap();
            object.remove(name);
            let refused = read(&json);
            let is_refused = matches!(refused, Err(Malformed::Invalid("a kind", _)));
            assert!(is_refused, "{place}/{name}: {refused:?}");
        }
    }
}

#[test]
fn invalid_kinds_are_rejected() {
    let cases = [
        ("/name", json!("presents")),
        ("/name", json!("9")),
        ("/revision", json!(-1)),
        ("/kind/mode", json!("newest")),
        ("/kind/fields/0/name", json!("rank")),
        ("/kind/fields", json!([])),
        ("/kind/windows", json!([])),
        ("/kind/windows/0/period", json!("year")),
        ("/kind/windows/0/keep", json!({"idle_ms": 1})),
        ("/kind/windows/0/close_ms", json!([1, 1_000_000])),
        ("/kind/time_zone", json!("Mars/Olympus")),
        ("/kind/shards", json!(3)),
        ("/kind/top", json!(0)),
        ("/kind/dedupe_ms", json!(u64::MAX)),
        ("/kind/retain", json!({"keep": 10, "trim_at": 12})),
        (
            "/kind/retain",
            json!({"keep": 10, "trim_at": 10, "approximate": true}),
        ),
    ];
    for (place, value) in cases {
        let mut json = gifts();
        *json.pointer_mut(place).unwrap() = value.clone();
        assert!(read(&json).is_err(), "{place}: {value}");
    }
}
