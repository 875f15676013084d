//! Which incarnations of boards exist, and where their shards are.
//!
//! [`Incarnations`] caches the registry's records as leases: a record is used for a while after it
//! was read, and read again in the background. While the registry is unreachable it is used for
//! much longer, but for less time than dead shards keep their tombstones. So an unreachable
//! registry stops no contribution to known boards.
//!
//! **Invariant:** no server writes to an incarnation whose end it has not learned of. Tombstones
//! outlive the longest lease.

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
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use moka::sync::Cache;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::registry::{CurrentIncarnation, Record, Registry, Touched};
use super::retention::gone_at;
use super::session::Session;
use super::shards::Shards;
use super::spread;
use known::{KnownIncarnation, Lease};
use redis_nodes::{Call, CallError, FunctionReply, Location, Nodes, RedisSettings, Refusal};
use shard_store::{BoardRecord, StoreError};

/// The number of incarnations that shards have reported as dead, and how long that is remembered.
const CALLED_DEAD_MAX: u64 = 1_000;
const CALLED_DEAD: Duration = Duration::from_mins(1);

/// The number of boards that were reported to the sweep, and how long until they are reported
/// again: without the pause the sweep's own work would report them again and again.
const REPORTED_DUE_MAX: u64 = 10_000;
const REPORTED_DUE: Duration = Duration::from_mins(1);

/// The maximum number of times that a call finds its shards frozen by a server that has stopped.
const THAWED_MAX: usize = 4;

/// A due time that makes the sweep visit the board at once.
const AT_ONCE: Option<Timestamp> = Some(Timestamp::from_millis(0));

/// A look-up under way, shared by all callers that need it.
type LookUp = Shared<BoxFuture<'static, LookedUp>>;

/// The outcome of a look-up.
type LookedUp = Result<Arc<KnownIncarnation>, StoreError>;

/// Look-ups under way, by the incarnation and the registry's epoch at their beginning.
type LookUps = Arc<Mutex<HashMap<(Incarnation, u64), LookUp>>>;

/// The leases on incarnations.
#[derive(Debug, Clone)]
pub(crate) struct Incarnations {
    servers: Arc<Nodes>,
    session: Arc<Session>,
    registry: Arc<Registry>,
    known: Cache<Incarnation, Arc<KnownIncarnation>>,
    /// At most as many as there are callers: each ends by the read deadline.
    under_way: LookUps,
    called_dead: Cache<Incarnation, ()>,
    reported_due: Cache<Incarnation, ()>,
    /// The latest time by which this server has swept: a clock may have stepped back since then.
    swept: Arc<AtomicI64>,
    deadline: Duration,
}

impl Incarnations {
    /// Creates an empty cache of leases over this registry.
    pub(crate) fn new(
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

    /// Adds the incarnation of the reply that created its board or found it, at this epoch of the
    /// registry, so that no shard has to look it up.
    pub(crate) fn learn(&self, record: &Record, due: Option<Timestamp>, epoch: u64) {
        let incarnation = record.board.incarnation;
        // The registry has lost the record of its end: the next look-up finds that out.
        if self.called_dead.contains_key(&incarnation) {
            return;
        }
        let servers = record.servers.clone();
        let held = CurrentIncarnation {
            record: Some(record.clone()),
            due,
        };
        let known = KnownIncarnation::new(&held, servers, epoch);
        self.known.insert(incarnation, Arc::new(known));
    }

    /// Returns the location of a shard; `IncarnationEnded` if the incarnation is known to have
    /// ended, `SettingsChanged` if its activity is known to be another one.
    pub(crate) async fn place(
        &self,
        board: &BoardRecord,
        shard: u16,
    ) -> Result<Location, StoreError> {
        let incarnation = self.agreeing(board).await?;
        Ok(spread::place(board, &incarnation.servers, shard))
    }

    /// As [`Incarnations::place`], for several shards.
    pub(crate) async fn places(
        &self,
        board: &BoardRecord,
        shards: impl Iterator<Item = u16>,
    ) -> Result<Vec<Location>, StoreError> {
        let servers = self.agreeing(board).await?.servers.clone();
        Ok(shards
            .map(|shard| spread::place(board, &servers, shard))
            .collect())
    }

    /// Returns the location of a shard, if the lease is cached.
    pub(crate) fn place_at_hand(&self, board: &BoardRecord, shard: u16) -> Option<Location> {
        let incarnation = self.known.get(&board.incarnation)?;
        Some(spread::place(board, &incarnation.servers, shard))
    }

    /// Returns the locations of all shards; none if the lease is not cached.
    pub(crate) fn places_at_hand(&self, board: &BoardRecord) -> Vec<Location> {
        let Some(incarnation) = self.known.get(&board.incarnation) else {
            return Vec::new();
        };
        let shards = 0..board.shards.get();
        let place = |shard| spread::place(board, &incarnation.servers, shard);
        shards.map(place).collect()
    }

    /// As [`Incarnations::place`], before a write: touches a board that may be idle, so that the
    /// sweep does not empty it.
    pub(crate) async fn place_to_write(
        &self,
        board: &BoardRecord,
        shard: u16,
        kind: &Kind,
        now: Timestamp,
    ) -> Result<Location, StoreError> {
        let incarnation = self.agreeing(board).await?;
        if incarnation.uncreated {
            return Err(StoreError::IncarnationEnded);
        }
        let idle = [kind.idle(), board.activity.idle_span(kind)];
        if let Some(idle) = idle.into_iter().flatten().min()
            && incarnation.wants_touch(idle, now)
        {
            self.touch(board, &incarnation, idle, now).boxed().await?;
        }
        Ok(spread::place(board, &incarnation.servers, shard))
    }

    /// Checks after a write that began at this epoch of the registry whether the incarnation still
    /// exists: `IncarnationEnded` if the registry has lost it meanwhile, and the write with it.
    pub(crate) async fn still_on(&self, board: &BoardRecord, epoch: u64) -> Result<(), StoreError> {
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

    /// Returns the registry's epoch.
    pub(crate) fn epoch(&self) -> u64 {
        self.registry.epoch()
    }

    /// Notifies the sweep when the first of the windows that were opened on a shard is past its
    /// time. Best effort: otherwise they are dropped at the next visit of the board.
    pub(crate) async fn opened(
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
        // The board was visited at the known due time, and has another one now.
        let known = incarnation.due.load(Ordering::Acquire);
        let latest = self.swept.load(Ordering::Acquire).max(now.millis());
        if latest < known && known <= due.millis() {
            return;
        }
        match self.touched(board, None, Some(due)).boxed().await {
            Ok(Touched::Current(held)) => incarnation.note(&held),
            Ok(Touched::Emptying(_)) => {}
            Err(error) => {
                tracing::debug!(board = %board.name, %error, "its new windows may go a day late");
            }
        }
    }

    /// Notifies the sweep, in the background and at intervals, that a board has work for it. If
    /// that fails, the work is done up to a day later, unless it is reported again.
    pub(crate) fn due(&self, board: &BoardRecord) {
        let reported = self.reported_due.entry(board.incarnation).or_insert(());
        if !reported.is_fresh() {
            return;
        }
        let (incarnations, board) = (self.clone(), board.clone());
        tokio::spawn(async move {
            if let Err(error) = incarnations.touched(&board, None, AT_ONCE).await {
                incarnations.reported_due.invalidate(&board.incarnation);
                tracing::debug!(board = %board.name, %error, "the sweep may come a day late");
            }
        });
    }

    /// Records that boards that were due until then have been visited.
    pub(super) fn swept(&self, now: Timestamp) {
        self.swept.fetch_max(now.millis(), Ordering::AcqRel);
    }

    /// Forgets an incarnation that a shard reported as dead.
    pub(crate) fn forget(&self, board: &BoardRecord) {
        self.called_dead.insert(board.incarnation, ());
        self.known.invalidate(&board.incarnation);
    }

    /// Calls a function of these shards. Thaws those that a server has left frozen when it stopped.
    pub(crate) async fn call(
        &self,
        board: &BoardRecord,
        shards: &[u16],
        place: Location,
        call: &Call,
    ) -> Result<Result<FunctionReply, Refusal>, StoreError> {
        for _ in 0..THAWED_MAX {
            match self.servers.call(place, call).await {
                Err(CallError::Refused(refusal)) if refusal.code == "THAW" => {
                    for shard in shards {
                        // Boxed because it is rare and large.
                        self.thaw(board, *shard).boxed().await?;
                    }
                }
                Err(CallError::Refused(refusal)) => return Ok(Err(refusal)),
                answer => return Ok(Ok(answer?)),
            }
        }
        let frozen = "the shard is frozen again and again";
        Err(StoreError::Unavailable(frozen.to_owned()))
    }

    /// Returns the error of a call that a shard refused.
    pub(crate) fn refused(&self, board: &BoardRecord, refusal: Refusal) -> StoreError {
        match refusal.code.as_str() {
            "DEAD" => {
                self.forget(board);
                StoreError::IncarnationEnded
            }
            "SETTINGS" => StoreError::SettingsChanged,
            "DROPPED" => StoreError::WindowDropped,
            _ => CallError::Refused(refusal).into(),
        }
    }

    /// Returns the error of a call to a shard.
    pub(crate) fn failed(&self, board: &BoardRecord, error: CallError) -> StoreError {
        match error {
            CallError::Refused(refusal) => self.refused(board, refusal),
            error => error.into(),
        }
    }

    /// Handles a shard that was frozen while the end of its board, or a change of its activity, was
    /// decided, and not thawed. Returns `IncarnationEnded` if the board ended; otherwise thaws the
    /// shard.
    pub(crate) async fn thaw(&self, board: &BoardRecord, shard: u16) -> Result<(), StoreError> {
        let known = self.incarnation(board).await?;
        let freeze = self.shards(board, &known).freeze_of(shard).await;
        let freeze = freeze.map_err(unsent)?;
        // After that freeze has expired, nothing more is decided under it. Not shared: the reply to
        // a look-up under way may be older than the decision.
        let incarnation = self.look_up(board).await?;
        let shards = self.shards(board, &known);
        let thawed = shards.thaw(shard, &freeze, Some(&incarnation.activity));
        thawed.await.map_err(unsent)
    }

    /// Returns the incarnation if the caller's record has its activity. Shards refuse other activities,
    /// too, unless a node has lost the change with its latest writes.
    async fn agreeing(&self, board: &BoardRecord) -> Result<Arc<KnownIncarnation>, StoreError> {
        let incarnation = self.incarnation(board).await?;
        let agrees = |known: &KnownIncarnation| known.uncreated || known.activity == board.activity;
        if agrees(&incarnation) {
            return Ok(incarnation);
        }
        // The lease may be the older one.
        match self.look_up(board).boxed().await {
            Ok(now) if agrees(&now) => Ok(now),
            Ok(_) => Err(StoreError::SettingsChanged),
            Err(StoreError::IncarnationEnded) => Err(StoreError::IncarnationEnded),
            // Without the registry the shards decide alone.
            Err(_) => Ok(incarnation),
        }
    }

    async fn incarnation(&self, board: &BoardRecord) -> Result<Arc<KnownIncarnation>, StoreError> {
        let Some(incarnation) = self.known.get(&board.incarnation) else {
            // Boxed because it is rare and large: it would enlarge every future that contains it.
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

    /// Looks an incarnation up in the registry, or waits for the same look-up of another caller.
    async fn ask(&self, board: &BoardRecord) -> Result<Arc<KnownIncarnation>, StoreError> {
        let (incarnations, own) = (self.clone(), board.clone());
        let look_up = async move { incarnations.look_up(&own).await }.boxed();
        self.join_look_up(board.incarnation, look_up).await
    }

    /// Waits for the look-up of an incarnation that is under way, or starts this one. It continues when all its
    /// callers have gone, so that it removes itself from the list, also when it panics.
    async fn join_look_up(
        &self,
        incarnation: Incarnation,
        look_up: BoxFuture<'static, LookedUp>,
    ) -> Result<Arc<KnownIncarnation>, StoreError> {
        let key = (incarnation, self.registry.epoch());
        let begin = || {
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
        };
        let look_up = self
            .under_way
            .lock()
            .entry(key)
            .or_insert_with(begin)
            .clone();
        look_up.await
    }

    async fn look_up(&self, board: &BoardRecord) -> Result<Arc<KnownIncarnation>, StoreError> {
        // If the reply is from an earlier process than the one that is asked, it is asked again.
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
            Some(record) => record.servers.clone(),
            None => self.servers.ids().into(),
        };
        let incarnation = Arc::new(KnownIncarnation::new(&held, servers, epoch));
        if !incarnation.uncreated {
            self.known.insert(board.incarnation, incarnation.clone());
        }
        Ok(incarnation)
    }

    /// Notifies the sweep of an incarnation whose end the registry has lost: it is ended again.
    async fn note_deleted(&self, board: &BoardRecord) -> Result<Arc<KnownIncarnation>, StoreError> {
        let touched = self.touched(board, None, AT_ONCE).await;
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

    fn shards<'a>(&'a self, board: &'a BoardRecord, known: &'a KnownIncarnation) -> Shards<'a> {
        Shards {
            nodes: &self.servers,
            board,
            servers: &known.servers,
            until: Instant::now() + self.deadline,
            waits: false,
        }
    }
}

/// Returns the error of a write whose preceding call failed: whatever became of that call, the
/// write was not applied.
fn unsent(error: StoreError) -> StoreError {
    match error {
        StoreError::Unknown(why) => StoreError::Unavailable(why),
        error => error,
    }
}
