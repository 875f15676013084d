//! Golden texts of the format: a change requires a new version of the format.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use board::{
    Activity, BoardName, IdDigest, Incarnation, KindName, Meaning, Member, Period, Profile,
    ShardCount, Timestamp, Value, Values, Window,
};

use super::super::encode;
use super::items::{NOW, usual_item};
use super::logged_event::LoggedEvent;
use engine::Event;
use shard_store::{BoardRecord, Change, Item, KindRecord, ProfileChange, Revision};

const INCARNATION: Incarnation = Incarnation(0x0123_4567_89AB_CDEF);

fn hex(event: &Event<'_>) -> String {
    let mut out = Vec::new();
    encode(event, &mut out);
    hex_of(&out)
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex_of(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

#[test]
fn a_batch() {
    let change = |member: &str, change| Item {
        change,
        at: NOW.plus(Duration::from_millis(7)),
        ..usual_item(member, None)
    };
    let values = [Value::new(-1), None, Value::new(1 << 52), None];
    let mut yesterday = change("c", Change::Set(Values::from(values)));
    yesterday.windows = Arc::from([Window::ALL_TIME]);
    yesterday.id = Some(IdDigest(0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100));
    let (all, one) = (Change::Remove, Change::RemoveFrom);
    let items = vec![
        usual_item("ab", None),
        change("é", all),
        change("d", one),
        yesterday,
    ];
    assert_eq!(
        hex(&LoggedEvent::applied(items).event()),
        "040100000000000000\
         0200\
         f8553a64b6600600\
         80dddb01\
         04000000\
         1805\
         01eff7c7b417\
         02efd7dff58e03\
         03efd7cbeb9d17\
         04efd7c0e5d562\
         00\
         026162\
         dfdc2a\
         f403\
         02\
         02c3a9b06d03\
         0164b06d\
         5d01000163\
         b06d\
         01\
         8080808080808010\
         000102030405060708090a"
    );
    assert_eq!(Member::new("é").unwrap().as_bytes(), [0xC3, 0xA9]);
}

#[test]
fn boards() {
    let mut record = BoardRecord {
        name: "gifts/room".parse::<BoardName>().unwrap(),
        incarnation: INCARNATION,
        shards: ShardCount::new(16).unwrap(),
        meaning: Meaning(0x1122_3344_5566_7788),
        activity: Activity::ALWAYS,
        created: true,
    };
    let made = |record: &BoardRecord| hex(&Event::BoardMade { record, at: NOW });
    assert_eq!(
        made(&record),
        "02efcdab8967452301f8553a64b6600600011000887766554433221105676966747304726f6f6d00"
    );
    let at = |ms| Some(Timestamp::from_millis(ms));
    let week = Duration::from_hours(7 * 24);
    for (activity, expected) in [
        (Activity::new(at(258), None, None), "01d0ef030000000000"),
        (Activity::new(None, at(259), None), "02b8f3030000000000"),
        (
            Activity::new(at(258), at(259), Some(week)),
            "07d0ef030000000000b8f30300000000008088b2a002",
        ),
    ] {
        record.activity = activity.unwrap();
        assert_eq!(
            made(&record),
            "02efcdab8967452301f8553a64b6600600011000887766554433221105676966747304726f6f6d"
                .to_owned()
                + expected
        );
    }
    let incarnation = INCARNATION;
    let created = Event::BoardCreated {
        incarnation,
        at: Timestamp::from_millis(-2),
    };
    assert_eq!(hex(&created), "03efcdab896745230130f8ffffffffffff");
    let changed = |activity| {
        hex(&Event::ActivityChanged {
            incarnation,
            activity,
        })
    };
    let ends = Activity::new(None, at(259), None).unwrap();
    assert_eq!(changed(ends), "0befcdab896745230102b8f3030000000000");
    assert_eq!(changed(Activity::ALWAYS), "0befcdab896745230100");
    let idle = Activity::ALWAYS.with_idle(Some(Duration::from_millis(3)));
    assert_eq!(changed(idle.unwrap()), "0befcdab89674523010803");
    assert_eq!(
        hex(&Event::BoardEmptied { incarnation }),
        "06efcdab8967452301"
    );
    assert_eq!(
        hex(&Event::BoardSplit { incarnation }),
        "07efcdab8967452301"
    );
    assert_eq!(
        hex(&Event::BoardEnded { incarnation }),
        "08efcdab8967452301"
    );
}

#[test]
fn windows() {
    let dropped = Event::WindowsDropped {
        incarnation: INCARNATION,
        shard: 0x0102,
        windows: &[
            Window::starting_at(Period::Week, Timestamp::from_millis(345_600_000)),
            Window::ALL_TIME,
        ],
    };
    assert_eq!(hex(&dropped), "05efcdab8967452301020102038080ecf58e1400");
    let later = Event::WindowsDropped {
        incarnation: INCARNATION,
        shard: 0x0102,
        windows: &[
            Window::starting_at(Period::TwoHours, Timestamp::from_millis(1)),
            Window::starting_at(Period::Year, Timestamp::from_millis(1)),
            Window::starting_at(Period::TwelveWeeks, Timestamp::from_millis(1)),
        ],
    };
    assert_eq!(
        hex(&later),
        "05efcdab896745230102010305d00f".to_owned() + "0cd00f" + "12d00f"
    );
}

#[test]
fn profiles() {
    let kind = &KindName::new("gifts").unwrap();
    let text = r#"{"name":"Ann"}"#;
    for (profile, expected) in [
        (
            Some(text),
            "0905676966747302c3a90e00".to_owned() + &hex_of(text.as_bytes()),
        ),
        (None, "0a05676966747302c3a9".to_owned()),
    ] {
        let change = &ProfileChange {
            member: Member::new("é").unwrap(),
            profile: profile.map(|text| Profile::new(text).unwrap()),
        };
        assert_eq!(hex(&Event::ProfileChanged { kind, change }), expected);
    }
}

#[test]
fn a_kind_that_was_deleted() {
    let record = &KindRecord {
        name: KindName::new("gifts").unwrap(),
        revision: Revision(2),
        kind: None,
    };
    let json = r#"{"name":"gifts","revision":2,"kind":null}"#;
    let expected = "0101".to_owned() + &hex_of(json.as_bytes());
    assert_eq!(
        hex(&Event::KindWritten {
            record,
            without_boards: true
        }),
        expected
    );
}
