//! Random events of every sort.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use board::limits::{DEDUPE_MAX, KEEP_MAX, VALUE_MAX};
use board::{
    Activity, BoardName, IdDigest, Incarnation, Meaning, Member, Period, Profile, ShardCount,
    Subject, Timestamp, Value, Values, Window, Windows,
};
use engine::{Applied, Event};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{select, subsequence};
use shard_store::{BoardRecord, Change, Item, ProfileChange};

use super::any_kind::{kind_name, kind_record};
use super::items::NOW;

pub(super) fn any_event() -> impl Strategy<Value = Event<'static>> {
    let incarnation = || any::<u64>().prop_map(Incarnation);
    prop_oneof![
        2 => (kind_record(), any::<bool>()).prop_map(|(record, without_boards)| Event::KindWritten {
            record: Cow::Owned(record),
            without_boards,
        }),
        2 => (board_record(), time()).prop_map(|(record, at)| Event::BoardMade {
            record: Cow::Owned(record),
            at,
        }),
        1 => (incarnation(), time())
            .prop_map(|(incarnation, at)| Event::BoardCreated { incarnation, at }),
        1 => (incarnation(), activity())
            .prop_map(|(incarnation, activity)| Event::ActivityChanged { incarnation, activity }),
        6 => batch().prop_map(Event::Applied),
        2 => (incarnation(), any::<u16>(), vec(window(), 0..20)).prop_map(
            |(incarnation, shard, windows)| Event::WindowsDropped {
                incarnation,
                shard,
                windows: Cow::Owned(windows),
            }
        ),
        1 => (incarnation(), 0..3).prop_map(|(incarnation, which)| match which {
            0 => Event::BoardEmptied { incarnation },
            1 => Event::BoardSplit { incarnation },
            _ => Event::BoardEnded { incarnation },
        }),
        1 => (kind_name(), profile_change()).prop_map(|(kind, change)| Event::ProfileChanged {
            kind: Cow::Owned(kind),
            change: Cow::Owned(change),
        }),
    ]
}

pub(crate) fn profile_change() -> impl Strategy<Value = ProfileChange> {
    (name(), option::of(name())).prop_map(|(member, text)| {
        let json = |text| serde_json::json!({"name": text, "data": [1, null]}).to_string();
        ProfileChange {
            member: Member::new(&member).unwrap(),
            profile: text.map(|text| Profile::new(&json(text)).unwrap()),
        }
    })
}

pub(crate) fn time() -> impl Strategy<Value = Timestamp> {
    let near = NOW.millis() - 100_000_000..NOW.millis() + 300_000;
    let far = select(vec![i64::MIN, i64::MAX, 0, -1]);
    prop_oneof![4 => near, 1 => any::<i64>(), 1 => far].prop_map(Timestamp::from_millis)
}

fn window() -> impl Strategy<Value = Window> {
    (select(&Period::ALL_PERIODS), time())
        .prop_map(|(period, start)| Window::starting_at(period, start))
}

fn windows() -> impl Strategy<Value = Windows> {
    let periods = subsequence(&Period::ALL_PERIODS, 0..=Period::ALL_PERIODS.len()).prop_shuffle();
    (periods, vec(time(), Period::ALL_PERIODS.len())).prop_map(|(periods, starts)| {
        let windows = periods.into_iter().zip(starts);
        windows
            .map(|(period, start)| Window::starting_at(period, start))
            .collect()
    })
}

/// Any valid name.
pub(crate) fn name() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        4 => vec(any::<char>(), 1..20),
        1 => vec(any::<char>(), 1..128),
        1 => (prop_oneof![Just('x'), Just('🎁')], 1..=128_usize).prop_map(|(c, len)| vec![c; len]),
    ];
    text.prop_filter_map("no name", |chars| {
        let mut text = String::new();
        for char in chars.into_iter().filter(|char| !char.is_control()) {
            if text.len() + char.len_utf8() <= 128 {
                text.push(char);
            }
        }
        Member::new(&text).is_ok().then_some(text)
    })
}

fn value() -> impl Strategy<Value = Value> {
    let extreme = select(vec![-VALUE_MAX, VALUE_MAX, 0, 1, -1]);
    let number = prop_oneof![3 => -1000..1000_i64, 1 => extreme, 1 => -VALUE_MAX..=VALUE_MAX];
    number.prop_map(|number| Value::new(number).unwrap())
}

fn change() -> impl Strategy<Value = Change> {
    let values = || proptest::array::uniform4(option::of(value())).prop_map(Values::from);
    prop_oneof![
        6 => values().prop_map(Change::Fold),
        2 => values().prop_map(Change::Set),
        1 => Just(Change::Remove),
        1 => Just(Change::RemoveFrom),
    ]
}

fn batch() -> impl Strategy<Value = Applied<'static>> {
    let dedupe = (0..=1000 * DEDUPE_MAX.as_secs()).prop_map(Duration::from_millis);
    let head = (any::<u64>(), any::<u16>(), time(), dedupe);
    let item = (
        name(),
        change(),
        time(),
        option::of(any::<u128>()),
        0..3_usize,
        any::<bool>(),
    );
    (head, vec(windows(), 3), vec(item, 0..12)).prop_map(
        |((incarnation, shard, now, dedupe), pool, came)| {
            let mut items: Vec<Item> = Vec::new();
            for (name, change, at, id, pick, copy) in came {
                let member = Member::new(&name).unwrap();
                let windows = match (change, items.last()) {
                    // A removal has none, and is decoded with those of the item before.
                    (Change::Remove, last) => {
                        last.map_or_else(Arc::default, |last| last.windows.clone())
                    }
                    _ if copy => Arc::from(&*pool[pick]),
                    _ => pool[pick].clone(),
                };
                items.push(Item {
                    hash: member.placement_hash(),
                    member,
                    change,
                    at,
                    // As much of a digest as is remembered.
                    id: id.map(|id| IdDigest(id << 40 >> 40)),
                    windows,
                });
            }
            Applied {
                incarnation: Incarnation(incarnation),
                shard,
                now,
                dedupe,
                items: Cow::Owned(items),
                outcomes: &[],
            }
        },
    )
}

fn board_record() -> impl Strategy<Value = BoardRecord> {
    let name = (kind_name(), name())
        .prop_map(|(kind, subject)| BoardName::new(kind, Subject::new(&subject).unwrap()));
    let numbers = (any::<u64>(), 0..=12_u32, any::<u64>());
    (name, numbers, activity(), any::<bool>()).prop_map(
        |(name, (incarnation, shards, meaning), activity, created)| BoardRecord {
            name,
            incarnation: Incarnation(incarnation),
            shards: ShardCount::new(1 << shards).unwrap(),
            meaning: Meaning(meaning),
            activity,
            created,
        },
    )
}

/// Half of them without bounds.
pub(crate) fn activity() -> impl Strategy<Value = Activity> {
    let moment = || option::of(0..=Timestamp::LATEST.millis() / 2);
    let kept = option::of(1..=KEEP_MAX.as_secs());
    prop_oneof![
        Just(Activity::ALWAYS),
        (moment(), moment(), kept).prop_map(|(a, b, kept)| {
            let (starts_at, ends_at) = if a < b { (a, b) } else { (b, None) };
            let kept = kept.filter(|_| ends_at.is_some());
            let at = |ms: Option<i64>| ms.map(Timestamp::from_millis);
            let kept = kept.map(Duration::from_secs);
            Activity::new(at(starts_at), at(ends_at), kept).unwrap()
        }),
        (
            option::of(0..=Timestamp::LATEST.millis()),
            1..=KEEP_MAX.as_secs()
        )
            .prop_map(|(starts_at, idle)| {
                let activity = Activity::new(starts_at.map(Timestamp::from_millis), None, None);
                let idle = Some(Duration::from_secs(idle));
                activity.unwrap().with_idle(idle).unwrap()
            }),
    ]
}
