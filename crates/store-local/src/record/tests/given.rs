//! Events drawn at random, beside the records that they are to come back as.

use std::sync::Arc;
use std::time::Duration;

use board::limits::{DEDUPE_MAX, KEEP_MAX, STALENESS_MAX, VALUE_MAX};
use board::{
    Activity, BoardName, Calendar, Direction, FieldName, FieldRule, IdDigest, Incarnation, Keep,
    Kind, KindName, KindSpec, Meaning, Member, Mode, Op, Period, RankStyle, Rules, ShardCount,
    Subject, Ties, Timestamp, Value, Values, Window, WindowRule, Windows,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{select, subsequence};

use super::super::{Applied, Record};
use engine::{self, Event};
use shard_store::{BoardRecord, Change, Failure, Item, KindRecord, Outcome, Revision};

/// A moment of an ordinary day.
pub(super) const NOW: Timestamp = Timestamp::from_millis(1_795_186_342_123);

/// Something to tell.
#[derive(Debug, Clone)]
pub(super) struct Told {
    /// As it is to come back.
    pub(super) record: Record,
    /// Of a batch all items, those that were not applied too.
    pub(super) came: Vec<Item>,
    outcomes: Vec<Outcome>,
}

impl Told {
    fn plain(record: Record) -> Self {
        Self {
            record,
            came: Vec::new(),
            outcomes: Vec::new(),
        }
    }

    /// A batch of which everything was applied.
    pub(super) fn applied(items: Vec<Item>) -> Self {
        let came = items.into_iter().map(|item| (item, 0)).collect();
        Self::batch((1, 2, NOW, Duration::from_hours(1)), came)
    }

    /// Of each item, how it ended: 0 applied.
    fn batch(head: (u64, u16, Timestamp, Duration), came: Vec<(Item, u8)>) -> Self {
        let (incarnation, shard, now, dedupe) = head;
        let mut items: Vec<Item> = Vec::new();
        for (item, _) in came.iter().filter(|(_, ended)| *ended == 0) {
            let mut item = item.clone();
            item.id = item.id.map(|id| IdDigest(id.0 << 40 >> 40));
            if item.change == Change::Remove {
                item.windows = items
                    .last()
                    .map_or_else(Arc::default, |last| last.windows.clone());
            }
            items.push(item);
        }
        let outcome = |ended| match ended {
            0 => Outcome::Applied(Vec::new()),
            1 => Outcome::Duplicate(Vec::new()),
            _ => Outcome::Failed(Failure::Unavailable("full".to_owned())),
        };
        Self {
            outcomes: came.iter().map(|(_, ended)| outcome(*ended)).collect(),
            came: came.into_iter().map(|(item, _)| item).collect(),
            record: Record::Applied(Applied {
                incarnation: Incarnation(incarnation),
                shard,
                now,
                dedupe,
                items,
            }),
        }
    }

    pub(super) fn event(&self) -> Event<'_> {
        match &self.record {
            Record::KindWritten {
                record,
                without_boards,
            } => Event::KindWritten {
                record,
                without_boards: *without_boards,
            },
            Record::BoardMade { record, at } => Event::BoardMade { record, at: *at },
            &Record::BoardCreated { incarnation, at } => Event::BoardCreated { incarnation, at },
            Record::Applied(applied) => Event::Applied(engine::Applied {
                incarnation: applied.incarnation,
                shard: applied.shard,
                now: applied.now,
                dedupe: applied.dedupe,
                items: &self.came,
                outcomes: &self.outcomes,
            }),
            Record::WindowsDropped {
                incarnation,
                shard,
                windows,
            } => Event::WindowsDropped {
                incarnation: *incarnation,
                shard: *shard,
                windows,
            },
            &Record::BoardEmptied { incarnation } => Event::BoardEmptied { incarnation },
            &Record::BoardSplit { incarnation } => Event::BoardSplit { incarnation },
            &Record::BoardEnded { incarnation } => Event::BoardEnded { incarnation },
        }
    }
}

pub(super) fn told() -> impl Strategy<Value = Told> {
    let incarnation = || any::<u64>().prop_map(Incarnation);
    prop_oneof![
        2 => (kind_record(), any::<bool>()).prop_map(|(record, without_boards)| {
            Told::plain(Record::KindWritten { record, without_boards })
        }),
        2 => (board_record(), time()).prop_map(|(record, at)| {
            Told::plain(Record::BoardMade { record, at })
        }),
        1 => (incarnation(), time()).prop_map(|(incarnation, at)| {
            Told::plain(Record::BoardCreated { incarnation, at })
        }),
        6 => batch(),
        2 => (incarnation(), 0_u16..4096, vec(window(), 0..20)).prop_map(|(incarnation, shard, windows)| {
            Told::plain(Record::WindowsDropped { incarnation, shard, windows })
        }),
        1 => (incarnation(), 0..3).prop_map(|(incarnation, which)| Told::plain(match which {
            0 => Record::BoardEmptied { incarnation },
            1 => Record::BoardSplit { incarnation },
            _ => Record::BoardEnded { incarnation },
        })),
    ]
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
    let periods = subsequence(&Period::ALL_PERIODS, 0..=5).prop_shuffle();
    (periods, vec(time(), 5)).prop_map(|(periods, starts)| {
        let windows = periods.into_iter().zip(starts);
        windows
            .map(|(period, start)| Window::starting_at(period, start))
            .collect()
    })
}

/// Any text that may be a name.
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
        2 => Just(Change::Remove),
    ]
}

fn batch() -> impl Strategy<Value = Told> {
    let dedupe = (0..=1000 * DEDUPE_MAX.as_secs()).prop_map(Duration::from_millis);
    let head = (any::<u64>(), 0_u16..4096, time(), dedupe);
    let item = (
        name(),
        change(),
        time(),
        option::of(any::<u128>()),
        0..3_usize,
        any::<bool>(),
    );
    // 0: applied.
    let ended = prop_oneof![4 => Just(0_u8), 1 => Just(1), 1 => Just(2)];
    let items = vec((item, ended), 0..12);
    (head, vec(windows(), 3), items).prop_map(|(head, pool, items)| {
        let came = items
            .into_iter()
            .map(|((name, change, at, id, pick, copy), ended)| {
                let member = Member::new(&name).unwrap();
                let windows = if copy {
                    Arc::from(&*pool[pick])
                } else {
                    pool[pick].clone()
                };
                let item = Item {
                    hash: member.placement_hash(),
                    member,
                    change,
                    at,
                    id: id.map(IdDigest),
                    windows,
                };
                (item, ended)
            });
        Told::batch(head, came.collect())
    })
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
    ]
}

fn kind_name() -> impl Strategy<Value = KindName> {
    "[a-z][a-z0-9-]{0,62}".prop_map(|text| KindName::new(&text).unwrap())
}

pub(crate) fn kind_record() -> impl Strategy<Value = KindRecord> {
    (kind(), any::<u64>(), any::<bool>()).prop_map(|(kind, revision, deleted)| KindRecord {
        name: kind.name().clone(),
        revision: Revision(revision),
        kind: (!deleted).then(|| Arc::new(kind)),
    })
}

/// Also such as milliseconds cannot tell.
fn span(longest: Duration) -> impl Strategy<Value = Duration> {
    let seconds = (0..longest.as_secs(), 0..1_000_000_000_u32);
    prop_oneof![
        (0..=longest.as_secs()).prop_map(Duration::from_secs),
        seconds.prop_map(|(seconds, nanos)| Duration::new(seconds, nanos)),
    ]
}

fn rules() -> impl Strategy<Value = Rules> {
    let field = (
        "[a-z][a-z0-9_]{0,27}",
        select(vec![Direction::Desc, Direction::Asc]),
        select(vec![Op::Sum, Op::Max, Op::Min, Op::Last]),
    );
    let mode = select(vec![Mode::Accumulate, Mode::Best, Mode::Latest]);
    let ties = select(vec![
        Ties::Earliest,
        Ties::Latest,
        Ties::Member,
        Ties::LowerMember,
    ]);
    (vec(field, 1..=4), mode, ties).prop_map(|(fields, mode, ties)| {
        let fields = (0..)
            .zip(fields)
            .map(|(index, (name, order, op))| FieldRule {
                // Distinct, and no reserved word.
                name: FieldName::new(&format!("{name}_{index}z")).unwrap(),
                order,
                op: if mode == Mode::Accumulate {
                    op
                } else {
                    Op::Sum
                },
            });
        Rules::new(fields.collect(), mode, ties).unwrap()
    })
}

fn window_rule(period: Period) -> impl Strategy<Value = WindowRule> {
    let bounded = period != Period::All;
    let keep =
        prop_oneof![Just(None), span(KEEP_MAX).prop_map(Some)].prop_map(move |span| match span {
            None => Keep::Forever,
            Some(span) if bounded => Keep::After(span),
            Some(span) => Keep::Idle(span.max(Duration::from_nanos(1))),
        });
    let close = option::of(span(KEEP_MAX)).prop_map(move |close| close.filter(|_| bounded));
    (keep, close, option::of(time())).prop_map(move |(keep, close, since)| WindowRule {
        period,
        keep,
        close,
        since,
    })
}

pub(crate) fn kind() -> impl Strategy<Value = Kind> {
    let rank = select(vec![RankStyle::Ordinal, RankStyle::Competition]);
    let windows = subsequence(&Period::ALL_PERIODS, 1..=5)
        .prop_shuffle()
        .prop_flat_map(|periods| periods.into_iter().map(window_rule).collect::<Vec<_>>());
    let zone = select(vec!["UTC", "Asia/Shanghai", LONGEST_ZONE]);
    let numbers = (
        0..=12_u32,
        1..=10_000_u64,
        span(STALENESS_MAX),
        span(DEDUPE_MAX),
    );
    (kind_name(), rules(), rank, windows, zone, numbers).prop_map(
        |(name, rules, rank, windows, zone, (shards, top, max_staleness, dedupe))| {
            Kind::new(KindSpec {
                name,
                rules,
                rank,
                windows,
                calendar: Calendar::new(zone).unwrap(),
                shards: 1 << shards,
                top,
                max_staleness,
                dedupe,
                retain: None,
                publish: None,
            })
            .unwrap()
        },
    )
}

/// The longest name of a time zone.
pub(super) const LONGEST_ZONE: &str = "America/Argentina/ComodRivadavia";

fn item(member: &str, change: Change, at: Timestamp, id: Option<u128>, windows: Windows) -> Item {
    let member = Member::new(member).unwrap();
    Item {
        hash: member.placement_hash(),
        member,
        change,
        at,
        id: id.map(IdDigest),
        windows,
    }
}

/// One whose every part is as long as it gets.
pub(super) fn longest_item() -> Item {
    let far = NOW.millis().wrapping_add(i64::MIN);
    let windows =
        Period::ALL_PERIODS.map(|period| Window::starting_at(period, Timestamp::from_millis(far)));
    let value = Value::new(-VALUE_MAX);
    item(
        &"m".repeat(128),
        Change::Fold(Values::from([value; 4])),
        Timestamp::from_millis(far),
        Some(u128::MAX),
        Arc::from(windows),
    )
}

/// Points of now in five windows.
pub(super) fn usual_item(member: &str, id: Option<u128>) -> Item {
    let calendar = Calendar::utc();
    let windows = Period::ALL_PERIODS.map(|period| calendar.span_at(period, NOW).window);
    let at = NOW.minus(Duration::from_millis(350));
    let values = Values::from(Value::new(250).unwrap());
    item(member, Change::Fold(values), at, id, Arc::from(windows))
}
