//! Golden texts of the format: a change requires a new version of the format.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use board::{
    Activity, BoardName, IdDigest, Incarnation, KindName, Meaning, Member, Period, Profile,
    ShardCount, Timestamp, Value, Values, Window,
};

use super::super::{Record, encoded};
use super::batch;
use super::items::{NOW, usual_item};
use engine::Event;
use shard_store::{BoardRecord, Change, Item, KindRecord, ProfileChange, Revision};

const INCARNATION: Incarnation = Incarnation(0x0123_4567_89AB_CDEF);

fn hex(event: Event<'_>) -> String {
    hex_of(&encoded(&Record::Event(event)))
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
        hex_of(&encoded(&batch(items))),
        "0205\
         01\
         02\
         f0d7d2c3ccadb006\
         80dddb01\
         04\
         0105\
         0180e08a8fb5adb006\
         028080f3cdbdaab006\
         03808087d8ae96b006\
         04808092def6caaf06\
         0000\
         026162\
         dfdc2a\
         0001f403000000\
         00\
         0002c3a9b06d0200\
         000164b06d0300\
         0101000001\
         63b06d\
         01\
         010100018080808080808010\
         00\
         01000102030405060708090a"
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
    let made = |record: &BoardRecord| {
        let record = Cow::Owned(record.clone());
        hex(Event::BoardMade { record, at: NOW })
    };
    let at = |ms| Some(Timestamp::from_millis(ms));
    let week = Duration::from_hours(7 * 24);
    for (activity, expected) in [
        (Ok(Activity::ALWAYS), "00000000"),
        (Activity::new(at(258), None, None), "01a0bf1f000000"),
        (Activity::new(None, at(259), None), "0001f0ce1f0000"),
        (
            Activity::new(at(258), at(259), Some(week)),
            "01a0bf1f01f0ce1f018088b2a00200",
        ),
    ] {
        record.activity = activity.unwrap();
        let expected = "020205676966747304726f6f6def9bafcdf8acd191011088ef99abc5e88c9111"
            .to_owned()
            + expected
            + "01f0d7d2c3ccadb006";
        assert_eq!(made(&record), expected);
    }
    let incarnation = INCARNATION;
    let created = Event::BoardCreated {
        incarnation,
        at: Timestamp::from_millis(-2),
    };
    assert_eq!(hex(created), "0203ef9bafcdf8acd191019f1f");
    let idle = Activity::ALWAYS.with_idle(Some(Duration::from_millis(3)));
    let changed = Event::ActivityChanged {
        incarnation,
        activity: idle.unwrap(),
    };
    assert_eq!(hex(changed), "0204ef9bafcdf8acd191010000000103");
    for (event, expected) in [
        (Event::BoardEmptied { incarnation }, "07"),
        (Event::BoardSplit { incarnation }, "08"),
        (Event::BoardEnded { incarnation }, "09"),
    ] {
        assert_eq!(hex(event), format!("02{expected}ef9bafcdf8acd19101"));
    }
}

#[test]
fn windows() {
    let dropped = |windows: &[Window]| {
        hex(Event::WindowsDropped {
            incarnation: INCARNATION,
            shard: 0x0102,
            windows: Cow::Owned(windows.to_vec()),
        })
    };
    let windows = [
        Window::starting_at(Period::Week, Timestamp::from_millis(345_600_000)),
        Window::ALL_TIME,
    ];
    assert_eq!(
        dropped(&windows),
        "0206ef9bafcdf8acd19101820202038080ecf58e140000"
    );
    let later = [Period::TwoHours, Period::Year, Period::TwelveWeeks]
        .map(|period| Window::starting_at(period, Timestamp::from_millis(1)));
    assert_eq!(
        dropped(&later),
        "0206ef9bafcdf8acd1910182020305d00f0cd00f12d00f"
    );
}

#[test]
fn profiles() {
    let text = r#"{"name":"Ann"}"#;
    for (profile, expected) in [
        (Some(text), "010e".to_owned() + &hex_of(text.as_bytes())),
        (None, "00".to_owned()),
    ] {
        let change = ProfileChange {
            member: Member::new("é").unwrap(),
            profile: profile.map(|text| Profile::new(text).unwrap()),
        };
        let event = Event::ProfileChanged {
            kind: Cow::Owned(KindName::new("gifts").unwrap()),
            change: Cow::Owned(change),
        };
        assert_eq!(hex(event), "020105676966747302c3a9".to_owned() + &expected);
    }
}

#[test]
fn a_kind_that_was_deleted() {
    let record = KindRecord {
        name: KindName::new("gifts").unwrap(),
        revision: Revision(2),
        kind: None,
    };
    let json = r#"{"name":"gifts","revision":2,"kind":null}"#;
    let event = Event::KindWritten {
        record: Cow::Owned(record),
        without_boards: true,
    };
    let expected = "020029".to_owned() + &hex_of(json.as_bytes()) + "01";
    assert_eq!(hex(event), expected);
}

#[test]
fn starts_and_stops() {
    assert_eq!(hex_of(&encoded(&Record::Started)), "00");
    assert_eq!(hex_of(&encoded(&Record::Stopped { epoch: 300 })), "01ac02");
}
