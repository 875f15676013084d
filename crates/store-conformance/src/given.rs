//! What scenarios begin with: a store, a kind, a board, contributions.

use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use board::{
    BoardName, Calendar, ContributionId, FieldName, FieldRule, IdDigest, Keep, Kind, KindName,
    KindSpec, Member, Mode, Period, RankStyle, Rules, Ties, Timestamp, Value, Values, Window,
    WindowRule,
};
use shard_store::{
    Anchor, Ask, Batch, BoardRecord, Change, Entry, Item, KindRecord, Outcome, Query, Reading,
    Revision, ShardStore, ShardVersion, StoreError,
};

use testkit::dice::runs;

pub const MINUTE: Duration = Duration::from_mins(1);
pub const HOUR: Duration = Duration::from_hours(1);
pub const DAY: Duration = Duration::from_hours(24);

/// When scenarios begin: a Friday, `2026-11-20T14:52:22.123Z`.
pub const NOW: Timestamp = Timestamp::from_millis(1_795_186_342_123);

/// An open store, and what has to live as long as it.
pub struct Given {
    pub store: Arc<dyn ShardStore>,
    _held: Box<dyn Any + Send>,
    is_remote: bool,
}

/// A sampled run on a store behind a connection is shorter by this than on one in this process.
const REMOTE_SAMPLED_PART: u64 = 8;

/// A whole run likewise.
const REMOTE_WHOLE_PART: u64 = 40;

impl Given {
    pub fn new(store: impl ShardStore, held: impl Any + Send) -> Self {
        Self {
            store: Arc::new(store),
            _held: Box::new(held),
            is_remote: false,
        }
    }

    /// A store behind a connection, where every call costs a hundred times as much.
    pub fn remote(store: impl ShardStore, held: impl Any + Send) -> Self {
        Self {
            is_remote: true,
            ..Self::new(store, held)
        }
    }

    /// `sampled`, or `whole` in a long run; of both a part where calls are dear.
    #[must_use]
    pub fn runs(&self, sampled: u64, whole: u64) -> u64 {
        if self.is_remote {
            runs(
                sampled.div_ceil(REMOTE_SAMPLED_PART),
                whole.div_ceil(REMOTE_WHOLE_PART),
            )
        } else {
            runs(sampled, whole)
        }
    }

    /// A board of this kind, created now.
    pub async fn fresh(&self, kind: Kind, subject: &str) -> Board {
        let kind = self.kind(kind).await;
        self.created(&kind, subject, NOW).await
    }

    /// A board of a kind that is there, created then.
    pub async fn created(&self, kind: &KindRecord, subject: &str, now: Timestamp) -> Board {
        let name = board_name(kind.name.as_str(), subject);
        Board {
            store: self.store.clone(),
            kind: kind.kind.clone().unwrap(),
            record: self
                .store
                .create_board(&name, kind, None, now)
                .await
                .unwrap(),
        }
    }

    /// A new kind.
    pub async fn kind(&self, kind: Kind) -> KindRecord {
        let first = Revision::default();
        self.put_kind(Arc::new(kind), first, false).await.unwrap()
    }
}

impl Deref for Given {
    type Target = dyn ShardStore;

    fn deref(&self) -> &Self::Target {
        &*self.store
    }
}

/// An incarnation of a board, its kind, and the store that has it.
#[derive(Clone)]
pub struct Board {
    pub store: Arc<dyn ShardStore>,
    pub kind: Arc<Kind>,
    pub record: BoardRecord,
}

impl Board {
    #[must_use]
    pub fn shards(&self) -> std::ops::Range<u16> {
        0..self.record.shards.get()
    }

    #[must_use]
    pub fn shard_of(&self, member: &Member) -> u16 {
        self.record.shards.shard_of(member.placement_hash())
    }

    /// The first so many members of one shard.
    #[must_use]
    pub fn members_of(&self, shard: u16, count: usize) -> Vec<Member> {
        let named = (0..).map(|number: u32| member(&format!("u{number}")));
        let here = named.filter(|member| self.shard_of(member) == shard);
        here.take(count).collect()
    }

    /// Adds so many points now.
    #[must_use]
    pub fn points(&self, member: &Member, points: i64, now: Timestamp) -> Item {
        let change = Change::Fold(Values::from(Value::new(points).unwrap()));
        self.item(member, change, now, now)
    }

    /// As [`Board::points`], under an id.
    #[must_use]
    pub fn points_by_id(&self, member: &Member, points: i64, id: &str, now: Timestamp) -> Item {
        let id = ContributionId::new(id).unwrap();
        Item {
            id: Some(IdDigest::new(self.record.incarnation, member, &id)),
            ..self.points(member, points, now)
        }
    }

    /// A change that the windows of the kind admit.
    #[must_use]
    pub fn item(&self, member: &Member, change: Change, at: Timestamp, now: Timestamp) -> Item {
        Item {
            member: member.clone(),
            hash: member.placement_hash(),
            change,
            at,
            id: None,
            windows: self.kind.admit(at, now).unwrap(),
        }
    }

    /// Applies items in their order, each on the shard of its member.
    pub async fn apply(&self, items: &[Item], now: Timestamp) -> Vec<Outcome> {
        self.try_apply(items, now, false).await.unwrap()
    }

    pub async fn try_apply(
        &self,
        items: &[Item],
        now: Timestamp,
        report: bool,
    ) -> Result<Vec<Outcome>, StoreError> {
        let mut outcomes: Vec<Option<Outcome>> = vec![None; items.len()];
        for shard in self.shards() {
            let here: Vec<usize> = (0..items.len())
                .filter(|index| self.record.shards.shard_of(items[*index].hash) == shard)
                .collect();
            if here.is_empty() {
                continue;
            }
            let batch = Batch {
                kind: &self.kind,
                now,
                until: None,
                report,
                items: &here
                    .iter()
                    .map(|index| items[*index].clone())
                    .collect::<Vec<_>>(),
            };
            let answered = self.store.apply(&self.record, shard, batch).await?;
            assert_eq!(answered.len(), here.len(), "an outcome for each item");
            for (index, outcome) in here.into_iter().zip(answered) {
                outcomes[index] = Some(outcome);
            }
        }
        Ok(outcomes.into_iter().map(Option::unwrap).collect())
    }

    pub async fn read(&self, shard: u16, query: &Query) -> Reading {
        self.store.read(&self.record, shard, query).await.unwrap()
    }

    /// A whole window of a shard, best first.
    pub async fn entries(&self, window: Window, shard: u16) -> Vec<Entry> {
        let reading = self.read(shard, &whole(window)).await;
        let parts = reading.parts.unwrap();
        assert_eq!(parts[0].entries.len() as u64, reading.members);
        parts.into_iter().next().unwrap().entries
    }

    pub async fn version(&self, window: Window, shard: u16) -> ShardVersion {
        self.read(shard, &whole(window)).await.version
    }

    /// Whether every shard says that the window has been dropped.
    pub async fn is_dropped(&self, window: Window) -> bool {
        for shard in self.shards() {
            let read = self.store.read(&self.record, shard, &whole(window)).await;
            if read != Err(StoreError::WindowDropped) {
                return false;
            }
        }
        true
    }

    /// Members ranked in a window, over all shards.
    pub async fn members(&self, window: Window) -> u64 {
        let mut members = 0;
        for shard in self.shards() {
            members += self.read(shard, &whole(window)).await.members;
        }
        members
    }

    /// The only field of a member in a window.
    pub async fn points_of(&self, window: Window, member: &Member) -> Option<i64> {
        let entries = self.entries(window, self.shard_of(member)).await;
        let entry = entries.iter().find(|entry| entry.key.member == *member)?;
        let values = self.kind.rules().values_of(&entry.key.words);
        values.get(0).map(Value::get)
    }

    /// Holds sorted sets against scores, on every shard.
    pub async fn verify(&self) {
        for shard in self.shards() {
            let wrong = self.store.verify(&self.record, shard, false).await.unwrap();
            assert_eq!(wrong, [], "shard {shard}");
        }
    }
}

/// Everything that a shard ranks in a window.
#[must_use]
pub fn whole(window: Window) -> Query {
    let everything = Ask {
        anchor: Anchor::Rank(0),
        before: 0,
        after: 1_000_000,
    };
    Query {
        window,
        unless: None,
        groups: true,
        asks: [everything].into(),
    }
}

#[must_use]
pub fn member(name: &str) -> Member {
    Member::new(name).unwrap()
}

#[must_use]
pub fn board_name(kind: &str, subject: &str) -> BoardName {
    format!("{kind}/{subject}").parse().unwrap()
}

#[must_use]
pub fn window(period: Period, at: Timestamp) -> Window {
    Calendar::utc().span_at(period, at).window
}

/// A period that is kept for so long after its end.
#[must_use]
pub fn kept(period: Period, keep: Duration) -> WindowRule {
    WindowRule {
        keep: Keep::After(keep),
        ..WindowRule::with_defaults(period)
    }
}

/// The window without bounds, gone when nothing was written for so long.
#[must_use]
pub fn idle(span: Duration) -> WindowRule {
    WindowRule {
        keep: Keep::Idle(span),
        ..WindowRule::with_defaults(Period::All)
    }
}

/// `gifts`: points that sum, of all time, on four shards; but for what is changed.
pub fn gifts(change: impl FnOnce(&mut KindSpec)) -> Kind {
    let points = FieldRule::sum(FieldName::new("points").unwrap());
    let mut spec = KindSpec {
        name: KindName::new("gifts").unwrap(),
        rules: Rules::new(vec![points], Mode::Accumulate, Ties::Earliest).unwrap(),
        rank: RankStyle::Ordinal,
        windows: vec![WindowRule::with_defaults(Period::All)],
        calendar: Calendar::utc(),
        shards: 4,
        top: 1000,
        max_staleness: Duration::from_millis(200),
        dedupe: HOUR,
        retain: None,
        publish: None,
    };
    change(&mut spec);
    Kind::new(spec).unwrap()
}
