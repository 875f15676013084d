//! [`Merger`]: reads boards for the service.

use std::sync::Arc;
use std::time::Duration;

use board::{Activity, BoardName, Kind, Timestamp, Window};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use metering::Registry;
use pacing::FairQueue;
use shard_router::{FoundBoard, KnownBoard, Router};
use shard_store::{BoardSettings, Clock, ShardStore, StoreError};
use tokio::time::timeout;

use crate::cache::{GlobalBoards, Rendered};
use crate::consistent_read::consistent_read;
use crate::error::ReadError;
use crate::metrics::Counters;
use crate::ranks::RankedEntry;
use crate::read_context::{ReadContext, steps};
use crate::version::Version;

/// Maximum wait of a read of a closed window for the durability of what it has seen.
const DURABLE_WAIT_MAX: Duration = Duration::from_secs(1);

/// What is not durable is shown with a time this long before the window is final.
pub(crate) const BEFORE_FINAL: Duration = Duration::from_micros(1);

/// Incarnations of a board that may end during one read before it fails.
pub(crate) const INCARNATIONS_MAX: usize = 4;

/// Renders merged entries: called once for each merge, not for each read.
pub type Renderer = Arc<dyn Fn(&Kind, &[RankedEntry]) -> Rendered + Send + Sync>;

/// The settings of a merger.
#[derive(Clone)]
pub struct Settings {
    /// The server's clock.
    pub clock: Clock,
    /// The wire form of entries.
    pub renderer: Renderer,
    /// Identifies the format of the rendered bytes, in letters, digits, `.` and `-`: servers use
    /// each other's boards only if it is equal.
    pub renderer_format: &'static str,
    /// Bytes that cached global boards may take.
    pub cache_bytes_max: u64,
}

/// A read in progress. Boxed, so that callers do not compile it again.
pub type ReadFuture<'a, T> = BoxFuture<'a, Result<ReadResult<T>, ReadError>>;

/// The result of a read, and its version and time.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadResult<T> {
    /// The versions of all shards.
    pub version: Version,
    /// When the read began.
    pub as_of: Timestamp,
    /// The board's activity, or the settings of a board not yet created.
    pub activity: Activity,
    /// Members ranked in the window.
    pub members: u64,
    /// The result itself.
    pub value: T,
}

impl<T: Default> ReadResult<T> {
    /// Returns the result of a read of a board without contributions.
    fn uncreated(activity: Activity, as_of: Timestamp) -> Self {
        Self {
            version: Version::UNCREATED,
            as_of,
            activity,
            members: 0,
            value: T::default(),
        }
    }
}

impl<T> ReadResult<T> {
    /// Replaces the value.
    pub(crate) fn map<U>(self, other: impl FnOnce(T) -> U) -> ReadResult<U> {
        ReadResult {
            version: self.version,
            as_of: self.as_of,
            activity: self.activity,
            members: self.members,
            value: other(self.value),
        }
    }
}

/// Returns from when on a read of a window is final. The window closes then, or the board ends;
/// `tolerance` is how much longer servers with other clocks may write.
#[must_use]
pub fn final_from(
    closes_at: Option<Timestamp>,
    activity: &Activity,
    tolerance: Duration,
) -> Option<Timestamp> {
    let first = closes_at.into_iter().chain(activity.ends_at()).min()?;
    Some(first.plus(tolerance))
}

/// Reads boards over all their shards.
pub struct Merger {
    pub(crate) router: Arc<Router>,
    pub(crate) settings: Settings,
    pub(crate) counters: Counters,
    long_reads: Arc<FairQueue>,
    pub(crate) boards: GlobalBoards,
}

impl Merger {
    /// Creates a merger that reads boards through the router.
    #[must_use]
    pub fn new(router: Arc<Router>, settings: Settings) -> Self {
        let boards = GlobalBoards::new(settings.cache_bytes_max);
        Self {
            router,
            settings,
            counters: Counters::default(),
            long_reads: steps::queue(),
            boards,
        }
    }

    /// Returns counters of what reads have cost.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Returns how long after it has closed a window is final: servers that share a store may have
    /// different clocks.
    #[must_use]
    pub fn clock_tolerance(&self) -> Duration {
        self.router.store().clock_tolerance()
    }

    /// Registers the metrics.
    pub fn register_metrics(&self, registry: &mut Registry) {
        let GlobalBoards {
            snapshots,
            uncreated,
            ..
        } = &self.boards;
        let bytes_max = self.settings.cache_bytes_max;
        self.counters
            .register(snapshots, uncreated, bytes_max, registry);
    }

    /// Frees evicted entries of the caches. Called periodically.
    pub fn free_evicted(&self) {
        self.boards.free_evicted();
    }

    pub(crate) fn store(&self) -> &dyn ShardStore {
        &**self.router.store()
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.settings.clock)()
    }

    /// Reads a board in its current incarnation and with its current settings. If it ends or is changed
    /// in the meantime, it is read again; a board without contributions gives `T::default()`.
    pub(crate) fn on_board<'a, T, Read>(
        &'a self,
        name: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        read: impl Fn(ReadContext<'a>) -> Read + Send + Sync + 'a,
    ) -> ReadFuture<'a, T>
    where
        T: Default + Send + 'a,
        Read: Future<Output = Result<ReadResult<T>, StoreError>> + Send + 'a,
    {
        let answer = async move {
            for _ in 0..INCARNATIONS_MAX {
                let as_of = self.now();
                let record = match self.router.found(name, kind, as_of).await? {
                    FoundBoard::Created(record) => record,
                    FoundBoard::Uncreated(BoardSettings { activity, .. }) => {
                        let version = Version::UNCREATED;
                        let as_of = self.shown_as_of(kind, window, &activity, as_of, &version);
                        return Ok(ReadResult::uncreated(activity, as_of.await));
                    }
                    FoundBoard::Expired => {
                        let activity = Activity::ALWAYS;
                        let from = self.final_since(kind, window, &activity, as_of);
                        let as_of = from.map_or(as_of, |from| from.minus(BEFORE_FINAL));
                        return Ok(ReadResult::uncreated(activity, as_of));
                    }
                };
                let context = self.context(record.clone(), kind, window, as_of);
                match consistent_read(context, &read).await {
                    Err(StoreError::IncarnationEnded | StoreError::SettingsChanged) => {
                        self.router.boards().forget(&record);
                    }
                    result => {
                        let mut answer = result?;
                        let (activity, version) = (&answer.activity, &answer.version);
                        let as_of = self.shown_as_of(kind, window, activity, answer.as_of, version);
                        answer.as_of = as_of.await;
                        return Ok(answer);
                    }
                }
            }
            Err(StoreError::IncarnationEnded.into())
        };
        answer.boxed()
    }

    /// Returns the time that the result of a read shows, which began at `as_of`.
    ///
    /// A final result must outlast a crash, so a read that began late enough for that waits until
    /// everything that it has seen is durable. If that takes longer than [`DURABLE_WAIT_MAX`], the
    /// result shows the moment before the window was final. A version that was final once stays
    /// final without a wait.
    pub(crate) async fn shown_as_of(
        &self,
        kind: &Kind,
        window: Window,
        activity: &Activity,
        as_of: Timestamp,
        version: &Version,
    ) -> Timestamp {
        let Some(from) = self.final_since(kind, window, activity, as_of) else {
            return as_of;
        };
        let key = version
            .incarnation()
            .map(|incarnation| (incarnation, window));
        if key.is_some_and(|key| self.boards.finals.get(&key).as_ref() == Some(version)) {
            return as_of;
        }
        if !self.becomes_durable().await {
            return from.minus(BEFORE_FINAL);
        }
        if let Some(key) = key {
            self.boards.finals.insert(key, version.clone());
        }
        as_of
    }

    /// Returns since when a read of a window that began at `as_of` may be final, if it may.
    pub(crate) fn final_since(
        &self,
        kind: &Kind,
        window: Window,
        activity: &Activity,
        as_of: Timestamp,
    ) -> Option<Timestamp> {
        let from = final_from(kind.closes_at(window), activity, self.clock_tolerance());
        from.filter(|from| as_of >= *from)
    }

    /// Waits until everything that was read so far is durable. Returns `false` if that takes too long, or fails.
    pub(crate) async fn becomes_durable(&self) -> bool {
        let mut durable = self.router.store().durable();
        // Usually there is nothing to wait for, and no timer is needed.
        let known = match (&mut durable).now_or_never() {
            Some(known) => Ok(known),
            None => timeout(DURABLE_WAIT_MAX, durable).await,
        };
        let why = match known {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => error.to_string(),
            Err(elapsed) => elapsed.to_string(),
        };
        tracing::debug!(why, "the result is not final: what was read is not durable");
        false
    }

    pub(crate) fn context<'a>(
        &'a self,
        record: Arc<KnownBoard>,
        kind: &'a Arc<Kind>,
        window: Window,
        as_of: Timestamp,
    ) -> ReadContext<'a> {
        ReadContext {
            store: self.store(),
            reads_whole: self.store().reads_whole(&record, window),
            counters: &self.counters,
            long_reads: &self.long_reads,
            record,
            kind,
            window,
            as_of,
            hidden_keys: None,
        }
    }
}
