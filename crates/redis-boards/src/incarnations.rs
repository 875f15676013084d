//! Which incarnations of boards exist, and where their shards are.
//!
//! [`Incarnations`] is a lease over the registry's records: a record is used for a while after it was read, and read
//! again
//! in the background. When the registry cannot be reached it is used for much longer, but for less time than dead
//! shards keep their tombstones. So a registry that is unreachable stops no contribution to known boards.
//!
//! **Invariant:** no server writes to an incarnation whose end it has not learned of. Tombstones outlive the longest
//! lease.

mod known;
#[cfg(test)]
mod tests;
mod touch;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use board::{Incarnation, Kind, Timestamp, Window};
use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use moka::sync::Cache;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::registry::{CurrentIncarnation, Record, Registry, Touch, Touched};
use super::retention::gone_at;
use super::session::Session;
use super::settings::RedisSettings;
use super::shards::Shards;
use super::spread::{self, Spread};
use known::{KnownIncarnation, Lease};
use redis_nodes::{Location, Nodes};
use shard_store::{BoardRecord, StoreError};

/// Incarnations that a shard called dead, and for how long that is remembered.
const CALLED_DEAD_MAX: u64 = 1_000;
const CALLED_DEAD: Duration = Duration::from_mins(1);

/// Boards that were reported to the sweep, and how long until they are reported again: it would
/// never end if its own work reported them.
const REPORTED_DUE_MAX: u64 = 10_000;
const REPORTED_DUE: Duration = Duration::from_mins(1);

/// Has the sweep come at once.
const AT_ONCE: Touch = Touch {
    now: None,
    due: Some(Timestamp::from_millis(0)),
};

/// A look-up under way, which all wait for who need it.
type LookUp = Shared<BoxFuture<'static, LookedUp>>;

/// What came of one.
type LookedUp = Result<Arc<KnownIncarnation>, StoreError>;

/// Look-ups under way, by the incarnation, and the registry's epoch when it began.
type LookUps = Arc<Mutex<HashMap<(Incarnation, u64), LookUp>>>;

/// What is known of incarnations.
#[derive(Debug, Clone)]
pub struct Incarnations {
    servers: Arc<Nodes>,
    session: Arc<Session>,
    registry: Arc<Registry>,
    known: Cache<Incarnation, Arc<KnownIncarnation>>,
    /// As many as there are callers at most: each ends by the read deadline.
    under_way: LookUps,
    called_dead: Cache<Incarnation, ()>,
    reported_due: Cache<Incarnation, ()>,
    /// The latest time by which this server swept: a clock may have stepped back since.
    swept: Arc<AtomicI64>,
    deadline: Duration,
}

impl Incarnations {
    /// Leases over this registry; none yet.
    #[must_use]
    pub fn new(
        servers: Arc<Nodes>,
        session: Arc<Session>,
        registry: Arc<Registry>,
        settings: &RedisSettings,
    ) -> Self {
        let called_dead = Cache::builder()
            .max_capacity(CALLED_DEAD_MAX)
            .time_to_live(CALLED_DEAD);
        let reported_due = Cache::builder()
            .max_capacity(REPORTED_DUE_MAX)
            .time_to_live(REPORTED_DUE);
        Self {
            servers,
            session,
            registry,
            known: Cache::new(settings.leases_max),
            under_way: LookUps::default(),
            called_dead: called_dead.build(),
            reported_due: reported_due.build(),
            swept: Arc::new(AtomicI64::new(i64::MIN)),
            deadline: settings.write_deadline,
        }
    }

    /// Learns of an incarnation from the answer that created its board, or found it there, when the registry
    /// had this epoch: so that no shard has to ask.
    pub fn learn(&self, record: &Record, due: Option<Timestamp>, epoch: u64) {
        let incarnation = record.board().incarnation;
        // The registry has lost that it ended: the next look-up finds that out.
        if self.called_dead.contains_key(&incarnation) {
            return;
        }
        let servers = record.spread.servers.clone();
        let held = CurrentIncarnation {
            record: Some(record.clone()),
            due,
        };
        let known = KnownIncarnation::new(&held, servers, epoch);
        self.known.insert(incarnation, Arc::new(known));
    }

    /// Where a shard lies; `Dead` for an incarnation that is known to have ended.
    pub async fn place(&self, board: &BoardRecord, shard: u16) -> Result<Location, StoreError> {
        let incarnation = self.incarnation(board).await?;
        Ok(spread::place(board, &incarnation.servers, shard))
    }

    /// Where a shard lies, as far as that is at hand.
    #[must_use]
    pub fn place_at_hand(&self, board: &BoardRecord, shard: u16) -> Option<Location> {
        let incarnation = self.known.get(&board.incarnation)?;
        Some(spread::place(board, &incarnation.servers, shard))
    }

    /// As [`Incarnations::place`], before a write: a board that may be idle is touched, so
    /// that the sweep leaves it alone.
    pub async fn place_to_write(
        &self,
        board: &BoardRecord,
        shard: u16,
        kind: &Kind,
        now: Timestamp,
    ) -> Result<Location, StoreError> {
        let incarnation = self.incarnation(board).await?;
        if incarnation.uncreated {
            return Err(StoreError::IncarnationEnded);
        }
        if let Some(idle) = kind.idle()
            && incarnation.wants_touch(idle, now)
        {
            self.touch(board, &incarnation, idle, now).boxed().await?;
        }
        Ok(spread::place(board, &incarnation.servers, shard))
    }

    /// Holds what was written since the registry had this epoch to what it says now: `Dead` where the
    /// incarnation was lost meanwhile, and with it what was written.
    pub async fn still_on(&self, board: &BoardRecord, epoch: u64) -> Result<(), StoreError> {
        if self.registry.epoch() == epoch {
            return Ok(());
        }
        match self.incarnation(board).await {
            Ok(_) => Ok(()),
            Err(StoreError::Unavailable(why)) => Err(StoreError::Unknown(why)),
            Err(StoreError::Overloaded(overload)) => Err(StoreError::Unknown(overload.why)),
            Err(error) => Err(error),
        }
    }

    /// The registry's epoch.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.registry.epoch()
    }

    /// Windows were opened on a shard: the sweep is notified when the first of them is past its time.
    /// Best effort: without it they go with the board's next turn.
    pub async fn opened(
        &self,
        board: &BoardRecord,
        kind: &Kind,
        windows: &[Window],
        now: Timestamp,
    ) {
        let gone = windows.iter().filter_map(|window| gone_at(kind, *window));
        let Some(due) = gone.min() else {
            return;
        };
        let Ok(incarnation) = self.incarnation(board).await else {
            return;
        };
        // Past what is known the board had its turn, and is due at another time.
        let known = incarnation.due.load(Ordering::Acquire);
        let latest = self.swept.load(Ordering::Acquire).max(now.millis());
        if latest < known && known <= due.millis() {
            return;
        }
        let touch = Touch {
            now: None,
            due: Some(due),
        };
        match self.touched(board, touch).boxed().await {
            Ok(Touched::Current(held)) => incarnation.note(&held),
            Ok(Touched::Emptying(_)) => {}
            Err(error) => {
                tracing::debug!(board = %board.name, %error, "its new windows may go a day late");
            }
        }
    }

    /// Notifies the sweep, in the background and once in a while, that a board has work for it. Where that fails,
    /// it is done a day late, unless it is notified again.
    pub fn due(&self, board: &BoardRecord) {
        let told = self.reported_due.entry(board.incarnation).or_insert(());
        if !told.is_fresh() {
            return;
        }
        let (incarnations, board) = (self.clone(), board.clone());
        tokio::spawn(async move {
            if let Err(error) = incarnations.touched(&board, AT_ONCE).await {
                incarnations.reported_due.invalidate(&board.incarnation);
                tracing::debug!(board = %board.name, %error, "the sweep may come a day late");
            }
        });
    }

    /// Boards that were due until then have had their turn.
    pub(super) fn swept(&self, now: Timestamp) {
        self.swept.fetch_max(now.millis(), Ordering::AcqRel);
    }

    /// Forgets an incarnation that a shard called dead.
    pub fn forget(&self, board: &BoardRecord) {
        self.called_dead.insert(board.incarnation, ());
        self.known.invalidate(&board.incarnation);
    }

    /// A shard was frozen while it was decided whether its board ends, and not thawed.
    /// `Dead` where it ended; otherwise the shard takes writes again.
    #[must_use]
    pub fn thaw<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        async move {
            // By itself: a look-up that is under way may have been answered before that was decided.
            let incarnation = self.look_up(board).await?;
            let spread = Spread {
                board: board.clone(),
                servers: incarnation.servers.clone(),
            };
            let shards = self.shards(&spread);
            let thawed = shards.thaw(shard, &Bytes::from_static(b"-")).await;
            thawed.map_err(unsent)
        }
        .boxed()
    }

    async fn incarnation(&self, board: &BoardRecord) -> Result<Arc<KnownIncarnation>, StoreError> {
        let Some(incarnation) = self.known.get(&board.incarnation) else {
            // Seldom, and large: it would make every future that holds it so.
            return self.ask(board).boxed().await;
        };
        match incarnation.lease(self.registry.epoch()) {
            Lease::Fresh => Ok(incarnation),
            Lease::Ending => {
                self.ask_later(board, &incarnation);
                Ok(incarnation)
            }
            Lease::Ended => match self.ask(board).boxed().await {
                Err(
                    StoreError::Overloaded(_) | StoreError::Unavailable(_) | StoreError::Unknown(_),
                ) if incarnation.may_outlast_the_registry() => {
                    *incarnation.missed.lock() = Some(Instant::now());
                    Ok(incarnation)
                }
                asked => asked,
            },
        }
    }

    /// Asks the registry, or waits for the reply to the same question of another caller.
    async fn ask(&self, board: &BoardRecord) -> Result<Arc<KnownIncarnation>, StoreError> {
        let (incarnations, own) = (self.clone(), board.clone());
        let look_up = async move { incarnations.look_up(&own).await }.boxed();
        self.join_look_up(board.incarnation, look_up).await
    }

    /// Waits for the look-up of an incarnation that is under way, or for this one.
    async fn join_look_up(
        &self,
        incarnation: Incarnation,
        look_up: BoxFuture<'static, LookedUp>,
    ) -> Result<Arc<KnownIncarnation>, StoreError> {
        let key = (incarnation, self.registry.epoch());
        let look_up = {
            let mut under_way = self.under_way.lock();
            let begin = || self.begin_look_up(key, look_up);
            under_way.entry(key).or_insert_with(begin).clone()
        };
        look_up.await
    }

    /// Continues after all its callers have gone, so that it takes itself off the list, also where it panics.
    fn begin_look_up(
        &self,
        key: (Incarnation, u64),
        look_up: BoxFuture<'static, LookedUp>,
    ) -> LookUp {
        let under_way = self.under_way.clone();
        let looking = tokio::spawn(async move {
            let incarnation = AssertUnwindSafe(look_up).catch_unwind().await;
            under_way.lock().remove(&key);
            incarnation.unwrap_or_else(|_| {
                let why = "the look-up of a board panicked".to_owned();
                Err(StoreError::Unavailable(why))
            })
        });
        let ended = looking.map(|incarnation| {
            incarnation.unwrap_or_else(|error| Err(StoreError::Unavailable(error.to_string())))
        });
        ended.boxed().shared()
    }

    async fn look_up(&self, board: &BoardRecord) -> Result<Arc<KnownIncarnation>, StoreError> {
        // Of the process that is asked, or of one before it: then it is asked again.
        let epoch = self.registry.epoch();
        let held = match self.registry.incarnation(board).await {
            Err(StoreError::IncarnationEnded) => {
                self.known.invalidate(&board.incarnation);
                return Err(StoreError::IncarnationEnded);
            }
            held => held.map_err(unsent)?,
        };
        if self.called_dead.contains_key(&board.incarnation) {
            return self.note_deleted(board).await;
        }
        let servers = match &held.record {
            Some(record) => record.spread.servers.clone(),
            None => self.servers.ids().into(),
        };
        let incarnation = Arc::new(KnownIncarnation::new(&held, servers, epoch));
        if !incarnation.uncreated {
            self.known.insert(board.incarnation, incarnation.clone());
        }
        Ok(incarnation)
    }

    /// The registry has lost that an incarnation ended: the sweep is notified to end it again.
    async fn note_deleted(&self, board: &BoardRecord) -> Result<Arc<KnownIncarnation>, StoreError> {
        let touched = self.registry.touch(board, AT_ONCE).await;
        touched.map_err(unsent)?;
        Err(StoreError::IncarnationEnded)
    }

    fn ask_later(&self, board: &BoardRecord, incarnation: &Arc<KnownIncarnation>) {
        if incarnation.asking.swap(true, Ordering::AcqRel) {
            return;
        }
        let (incarnations, board, incarnation) = (self.clone(), board.clone(), incarnation.clone());
        tokio::spawn(async move {
            if let Err(error) = incarnations.ask(&board).await {
                tracing::debug!(board = %board.name, %error, "its incarnation could not be looked up");
                *incarnation.missed.lock() = Some(Instant::now());
            }
            incarnation.asking.store(false, Ordering::Release);
        });
    }

    fn shards<'a>(&'a self, spread: &'a Spread) -> Shards<'a> {
        Shards {
            servers: &self.servers,
            spread,
            until: Instant::now() + self.deadline,
        }
    }
}

/// The error of a write whose preceding call failed: whatever became of that call, the write was not applied.
fn unsent(error: StoreError) -> StoreError {
    match error {
        StoreError::Unknown(why) => StoreError::Unavailable(why),
        error => error,
    }
}
