//! What tests of this store's parts begin with: a Redis, a board in it, standings laid down by hand.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use board::limits::VALUE_MAX;
use board::{
    Activity, Bound, Calendar, Direction, FieldName, FieldRule, Incarnation, Kind, KindName,
    KindSpec, Member, Mode, Op, Packing, Period, RankStyle, Rules, Standing, Ties, Timestamp,
    Value, Values, Window, WindowRule,
};
use testkit::redis::{RedisOptions, RedisWire};

use super::keys::{ShardKeys, window_name};
use super::opened::Opened;
use super::packed::Packed;
use super::read::Reader;
use super::settings::RedisSettings;
use super::standing::{Cut, NULL};
use super::verify::Verifier;
use redis_nodes::Writes;
use shard_store::{BoardRecord, Entry};
use testkit::dice::Dice;

/// When what is laid down happened, in milliseconds.
pub(super) const NOW: i64 = 1_795_186_342_123;

/// Members that one command lays down.
const LAID_MAX: usize = 500;

/// A Redis and what reads and verifies its shards.
pub(super) struct Given {
    opened: Opened,
    pub(super) reader: Arc<Reader>,
    pub(super) verifier: Verifier,
}

impl Deref for Given {
    type Target = Opened;

    fn deref(&self) -> &Opened {
        &self.opened
    }
}

impl Given {
    pub(super) async fn plain() -> Self {
        Self::on(&RedisOptions::new()).await
    }

    /// On one that runs no functions of ours.
    pub(super) async fn without_scripts() -> Self {
        let settings = RedisSettings {
            writes: Writes::ScriptFree,
            ..RedisSettings::default()
        };
        Self::of(Opened::with(&RedisOptions::new(), settings).await)
    }

    pub(super) async fn on(options: &RedisOptions) -> Self {
        Self::of(Opened::on(options).await)
    }

    fn of(opened: Opened) -> Self {
        let (servers, incarnations) = (opened.servers.clone(), opened.incarnations.clone());
        let (registry, settings) = (opened.registry.clone(), &opened.settings);
        let reader = Reader::new(
            servers.clone(),
            incarnations.clone(),
            registry.clone(),
            settings,
        );
        let reader = Arc::new(reader);
        let session = opened.session.clone();
        let verifier = Verifier::new(
            reader.clone(),
            servers,
            session,
            incarnations,
            registry,
            settings,
        );
        Self {
            opened,
            reader,
            verifier,
        }
    }

    /// A board of such rules, of which one window of one shard is laid down.
    pub(super) fn board(&self, rules: Rules, number: u64) -> Laid {
        let kind = Arc::new(kind(rules));
        self.registry.see(&kind);
        let record = BoardRecord {
            name: format!("gifts/room-{number}").parse().unwrap(),
            incarnation: Incarnation(number),
            shards: kind.shards(),
            meaning: kind.meaning(),
            activity: Activity::ALWAYS,
            created: true,
        };
        self.enter(&record);
        let shard = 3;
        Laid {
            keys: ShardKeys::new(&record, shard),
            wire: self.redis.connect(),
            kind,
            record,
            shard,
            window: Window::ALL_TIME,
            standings: BTreeMap::new(),
            counter: 0,
        }
    }
}

fn kind(rules: Rules) -> Kind {
    let periods = [Period::All, Period::Hour, Period::Day];
    Kind::new(KindSpec {
        name: KindName::new("gifts").unwrap(),
        rules,
        rank: RankStyle::Competition,
        windows: periods.map(WindowRule::with_defaults).to_vec(),
        calendar: Calendar::new("UTC").unwrap(),
        shards: 8,
        top: 100,
        max_staleness: Duration::from_secs(1),
        dedupe: Duration::from_mins(5),
        retain: None,
        publish: None,
    })
    .unwrap()
}

/// One window of one shard, and what it holds.
pub(super) struct Laid {
    pub(super) kind: Arc<Kind>,
    pub(super) record: BoardRecord,
    pub(super) shard: u16,
    pub(super) window: Window,
    pub(super) keys: ShardKeys,
    pub(super) wire: RedisWire,
    pub(super) standings: BTreeMap<Member, Standing>,
    pub(super) counter: u64,
}

impl Laid {
    pub(super) fn rules(&self) -> &Rules {
        self.kind.rules()
    }

    /// Lays further standings down, each whole, and tells of a change.
    pub(super) fn lay(&mut self, standings: Vec<(Member, Standing)>) {
        let (scores, rank) = (self.keys.scores(self.window), self.keys.rank(self.window));
        for standings in standings.chunks(LAID_MAX) {
            let mut hset = vec![b"HSET".to_vec(), scores.to_vec()];
            let mut zadd = vec![b"ZADD".to_vec(), rank.to_vec()];
            for (member, standing) in standings {
                if let Some(packed) = Packed::of(self.kind.rules(), self.window) {
                    let score = packed_score(&packed, self.kind.rules(), standing);
                    zadd.extend([score.to_string().into_bytes(), member.as_bytes().to_vec()]);
                    continue;
                }
                hset.push(member.as_bytes().to_vec());
                hset.push(standing_bytes(self.kind.rules(), standing));
                let (score, entry) = ranked(self.kind.rules(), standing, member);
                zadd.extend([score.to_string().into_bytes(), entry]);
            }
            if hset.len() > 2 {
                self.wire.command(&hset).integer();
            }
            self.wire.command(&zadd).integer();
        }
        self.standings.extend(standings);
        self.change();
    }

    /// Counts a change of the window.
    pub(super) fn change(&mut self) {
        self.counter += 1;
        let field = format!("v:{}", window_name(self.window));
        let version = format!("{} 00000000000000aa {}", self.counter, self.counter);
        self.tell(&field, &version);
    }

    /// Sets a field of meta.
    pub(super) fn tell(&mut self, field: &str, value: &str) {
        let words: [&[u8]; 4] = [
            b"HSET",
            &self.keys.meta(),
            field.as_bytes(),
            value.as_bytes(),
        ];
        self.wire.command(&words).integer();
    }

    /// Best first.
    pub(super) fn sorted(&self) -> Vec<Entry> {
        let entries = self.standings.iter();
        let entries = entries.map(|(member, standing)| entry(self.rules(), standing, member));
        let mut entries: Vec<Entry> = entries.collect();
        entries.sort_by(|a, b| b.key.cmp(&a.key));
        entries
    }
}

/// The score of a packed standing: that of the cut at its own key.
pub(super) fn packed_score(packed: &Packed<'_>, rules: &Rules, standing: &Standing) -> i64 {
    let key = entry(rules, standing, &member("u")).key;
    match packed.cut(&Bound::key(&key)) {
        Cut::At { score, .. } => score,
        other => panic!("{other:?}"),
    }
}

/// Rules of one field, packed: over a year, in units of a quarter of a second.
pub(super) fn any_packed_rules(dice: &mut Dice) -> Rules {
    loop {
        let from = Timestamp::from_millis(NOW / 1000 * 1000 - 1_000_000);
        let packing = Packing {
            most: *dice.pick(&[1, 2, 1000]),
            unit: Duration::from_millis(250),
            span: Some((from, from.plus(Duration::from_hours(365 * 24)))),
        };
        if let Ok(rules) = any_rules(dice).packed(packing) {
            return rules;
        }
    }
}

/// The value in the score KV, as functions write it.
pub(super) fn standing_bytes(rules: &Rules, standing: &Standing) -> Vec<u8> {
    let fields = rules.fields().len();
    let is_time = |place: usize| match rules.mode() {
        Mode::Accumulate => place % 2 == 1,
        Mode::Best | Mode::Latest => place == fields,
    };
    let words = rules.standing_words(standing).iter().enumerate();
    let words = words.map(|(place, word)| match word.cast_signed() {
        i64::MIN => (place, NULL),
        number => (place, number),
    });
    let words: Vec<(usize, i64)> = words.collect();
    let mut values = words.iter().filter(|(place, _)| !is_time(*place));
    let is_short = values.all(|(_, value)| i32::try_from(*value).is_ok());
    let bytes = words.iter().flat_map(|(place, word)| {
        let width = match is_time(*place) {
            true => 7,
            false if is_short => 4,
            false => 8,
        };
        word.to_be_bytes()[8 - width..].to_vec()
    });
    bytes.collect()
}

/// Score and member of the sorted set.
pub(super) fn ranked(rules: &Rules, standing: &Standing, member: &Member) -> (i64, Vec<u8>) {
    let bytes = entry(rules, standing, member).key.to_bytes();
    let (first, others) = bytes.split_at(8);
    let first = u64::from_be_bytes(first.try_into().unwrap());
    let score = match first {
        0 => NULL,
        word => (word ^ (1 << 63)).cast_signed(),
    };
    (score, others.to_vec())
}

pub(super) fn entry(rules: &Rules, standing: &Standing, member: &Member) -> Entry {
    Entry {
        key: rules.rank_key(rules.rank_words_of(standing), member.clone()),
        reached_at: rules.reached_at(standing),
    }
}

pub(super) fn member(name: &str) -> Member {
    Member::new(name).unwrap()
}

/// One field that sums, higher is better, who was earlier wins.
pub(super) fn points() -> Rules {
    let field = FieldRule::sum(FieldName::new("points").unwrap());
    Rules::new(vec![field], Mode::Accumulate, Ties::Earliest).unwrap()
}

/// Rules of any kind, of one to four fields.
pub(super) fn any_rules(dice: &mut Dice) -> Rules {
    let mode = *dice.pick(&[Mode::Accumulate, Mode::Accumulate, Mode::Best, Mode::Latest]);
    let names = ["points", "laps", "seconds", "likes"];
    let names = &names[..=dice.below(4)];
    let field = |name: &&str| FieldRule {
        name: FieldName::new(name).unwrap(),
        order: *dice.pick(&[Direction::Desc, Direction::Asc]),
        op: match mode {
            Mode::Accumulate => *dice.pick(&[Op::Sum, Op::Max, Op::Min, Op::Last]),
            Mode::Best | Mode::Latest => Op::Sum,
        },
    };
    let fields = names.iter().map(field).collect();
    let ties = *dice.pick(&[
        Ties::Earliest,
        Ties::Latest,
        Ties::Member,
        Ties::LowerMember,
    ]);
    Rules::new(fields, mode, ties).unwrap()
}

/// A standing of a few contributions, of values that often tie or, now and then, are the largest.
pub(super) fn any_standing(dice: &mut Dice, rules: &Rules) -> Standing {
    let mut held = None;
    let more = dice.below(3);
    while held.is_none() || dice.below(3) < more {
        let values = any_values(dice, rules);
        if rules.check(&values).is_err() {
            continue;
        }
        let at = rules.kept_time(Timestamp::from_millis(NOW + dice.between(-2, 2) * 250));
        if let Ok(standing) = rules.fold(held.as_ref(), &values, at) {
            held = Some(standing);
        }
    }
    held.unwrap()
}

fn any_values(dice: &mut Dice, rules: &Rules) -> Values {
    let mut values = Values::default();
    for index in 0..rules.fields().len() {
        let number = match dice.below(20) {
            0 => *dice.pick(&[VALUE_MAX, -VALUE_MAX, VALUE_MAX - 1]),
            1 => dice.between(-VALUE_MAX, VALUE_MAX),
            2 => *dice.pick(&[
                1_000_000_000,
                i64::from(i32::MAX),
                i64::from(i32::MIN),
                -(1 << 31) - 1,
            ]),
            _ => dice.between(-2, 2),
        };
        if rules.mode() != Mode::Accumulate || !dice.one_in(4) {
            values.set(index, Value::new(number).unwrap());
        }
    }
    values
}

/// Names whose order by bytes is no locale's, and some that begin alike.
pub(super) fn any_name(dice: &mut Dice, number: usize) -> Member {
    let stem = *dice.pick(&[
        "a", "A", "B", "b", "é", "E", "e", "Ž", "z", "_", "-", "ß", "ss", "10", "9",
    ]);
    let end = *dice.pick(&["", "", "x", "X", "é", "-"]);
    member(&format!("{stem}{number}{end}"))
}

/// What a cut means to a score and a member of the sorted set.
pub(super) fn is_better(cut: &Cut, (own, bytes): &(i64, Vec<u8>)) -> bool {
    match cut {
        Cut::BelowAll => true,
        Cut::AboveAll => false,
        Cut::At {
            score,
            rest,
            strict,
        } => own > score || own == score && (bytes > rest || !strict && bytes == rest),
    }
}
