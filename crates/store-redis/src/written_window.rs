//! A window of a shard whose keys tests write without the store: [`WrittenWindow`], and what reads
//! and verifies it.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use board::{
    Activity, Bound, Incarnation, Kind, KindName, KindSpec, Member, Period, RankStyle, Rules,
    Standing, Window, WindowRule,
};
use testkit::redis::{RedisOptions, RedisServer, RedisWire};

use crate::boards::fixtures::parts::OpenedParts;
use crate::boards::fixtures::redis_standings::{entry, member, ranked, standing_bytes};
use crate::boards::keys::{ShardKeys, window_name};
use crate::boards::packed::Packed;
use crate::boards::settings::RedisSettings;
use crate::boards::standing::Cut;
use crate::library::library;
use crate::read::Reader;
use crate::verify::Verifier;
use redis_nodes::Writes;
use shard_store::{BoardRecord, ShardEntry};

/// The number of members that one command writes.
const WRITTEN_MAX: usize = 500;

/// A Redis, and what reads and verifies its shards.
pub(crate) struct ShardReaders {
    opened: OpenedParts,
    pub(crate) reader: Arc<Reader>,
    pub(crate) verifier: Verifier,
}

impl Deref for ShardReaders {
    type Target = OpenedParts;

    fn deref(&self) -> &OpenedParts {
        &self.opened
    }
}

impl ShardReaders {
    pub(crate) async fn plain() -> Self {
        Self::of(OpenedParts::plain(library()).await)
    }

    /// On a Redis that runs none of our functions.
    pub(crate) async fn without_scripts() -> Self {
        let settings = RedisSettings {
            writes: Writes::ScriptFree,
            ..RedisSettings::default()
        };
        Self::of(OpenedParts::with(RedisServer::shared(), settings, library()).await)
    }

    pub(crate) async fn on(options: &RedisOptions) -> Self {
        Self::of(OpenedParts::on(options, library()).await)
    }

    fn of(opened: OpenedParts) -> Self {
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

    /// A board of such rules, of which one window of one shard is to be written.
    pub(crate) fn board(&self, rules: Rules, number: u64) -> WrittenWindow {
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
        WrittenWindow {
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
        rank: RankStyle::Competition,
        windows: periods.map(WindowRule::with_defaults).to_vec(),
        shards: 8,
        top: 100,
        max_staleness: Duration::from_secs(1),
        dedupe: Duration::from_mins(5),
        ..KindSpec::new(KindName::new("gifts").unwrap(), rules)
    })
    .unwrap()
}

/// One window of one shard, and its content.
pub(crate) struct WrittenWindow {
    pub(crate) kind: Arc<Kind>,
    pub(crate) record: BoardRecord,
    pub(crate) shard: u16,
    pub(crate) window: Window,
    pub(crate) keys: ShardKeys,
    pub(crate) wire: RedisWire,
    pub(crate) standings: BTreeMap<Member, Standing>,
    pub(crate) counter: u64,
}

impl WrittenWindow {
    pub(crate) fn rules(&self) -> &Rules {
        self.kind.rules()
    }

    /// Writes further standings, and counts a change.
    pub(crate) fn write(&mut self, standings: Vec<(Member, Standing)>) {
        let (scores, rank) = (self.keys.scores(self.window), self.keys.rank(self.window));
        for standings in standings.chunks(WRITTEN_MAX) {
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

    /// Writes the distinct values of the standings, as for a kind with dense ranks.
    pub(crate) fn write_values(&mut self) {
        let values = self.keys.values(self.window);
        self.wire
            .command(&[b"DEL".to_vec(), values.to_vec()])
            .integer();
        let mut zadd = vec![b"ZADD".to_vec(), values.to_vec()];
        for (member, standing) in &self.standings {
            let (score, entry) = ranked(self.kind.rules(), standing, member);
            let score = score.to_string().into_bytes();
            let words = &entry[..8 * (self.kind.rules().fields().len() - 1)];
            zadd.extend([score.clone(), [words, &score[..]].concat()]);
        }
        if zadd.len() > 2 {
            self.wire.command(&zadd).integer();
        }
    }

    /// Counts a change of the window.
    pub(crate) fn change(&mut self) {
        self.counter += 1;
        let field = format!("v:{}", window_name(self.window));
        let version = format!("{} 00000000000000aa {}", self.counter, self.counter);
        self.set_meta(&field, &version);
    }

    /// Sets a field of meta.
    pub(crate) fn set_meta(&mut self, field: &str, value: &str) {
        let words: [&[u8]; 4] = [
            b"HSET",
            &self.keys.meta(),
            field.as_bytes(),
            value.as_bytes(),
        ];
        self.wire.command(&words).integer();
    }

    /// Best first.
    pub(crate) fn sorted(&self) -> Vec<ShardEntry> {
        let entries = self.standings.iter();
        let entries = entries.map(|(member, standing)| entry(self.rules(), standing, member));
        let mut entries: Vec<ShardEntry> = entries.collect();
        entries.sort_by(|a, b| b.key.cmp(&a.key));
        entries
    }
}

/// Returns the score of a packed standing: that of the cut at its own key.
pub(crate) fn packed_score(packed: &Packed<'_>, rules: &Rules, standing: &Standing) -> i64 {
    let key = entry(rules, standing, &member("u")).key;
    match packed.cut(&Bound::key(&key)) {
        Cut::At { score, .. } => score,
        other => panic!("{other:?}"),
    }
}
