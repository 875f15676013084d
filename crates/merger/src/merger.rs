//! [`Merger`]: what the service reads through.

use std::sync::Arc;
use std::time::Duration;

use board::{Activity, BoardName, Kind, Timestamp, Window};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use metering::Registry;
use shard_router::Router;
use shard_store::{BoardRecord, Clock, StoreError};
use tokio::time::timeout;

use crate::cache::{GlobalBoards, Rendered};
use crate::error::ReadError;
use crate::listed::steady;
use crate::metrics::Counters;
use crate::ranks::RankedEntry;
use crate::scope::Scope;
use crate::version::Version;

/// How long a read of a closed window waits until what it has seen is durable.
const DURABLE_WAIT_MAX: Duration = Duration::from_secs(1);

/// How long before a window is final it is that what is not durable shows.
pub(crate) const BEFORE_FINAL: Duration = Duration::from_millis(1);

/// Incarnations of a board that end under one read before it gives up.
pub(crate) const INCARNATIONS_MAX: usize = 4;

/// Makes the bytes of merged entries: called once a merge, not once a read.
pub type Renderer = Arc<dyn Fn(&Kind, &[RankedEntry]) -> Rendered + Send + Sync>;

/// What a merger is given.
#[derive(Clone)]
pub struct Settings {
    /// The server's clock.
    pub clock: Clock,
    /// The wire form of entries.
    pub renderer: Renderer,
    /// Names the bytes that the renderer makes, in letters, digits, `.` and `-`: servers take from
    /// one another only what is of their own.
    pub renderer_mark: &'static str,
    /// Bytes that cached global boards may take.
    pub cache_bytes_max: u64,
}

/// A read under way. Boxed here, so that whoever waits for it does not compile it again.
pub type AnswerFuture<'a, T> = BoxFuture<'a, Result<Answer<T>, ReadError>>;

/// What was read, and of what.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<T> {
    /// What every shard had taken in.
    pub version: Version,
    /// When the read began.
    pub as_of: Timestamp,
    /// The board's time: what its record says, or the settings of one not yet created.
    pub activity: Activity,
    /// Members ranked in the window.
    pub members: u64,
    /// The answer itself.
    pub value: T,
}

impl<T> Answer<T> {
    /// The same of another value.
    pub(crate) fn map<U>(self, other: impl FnOnce(T) -> U) -> Answer<U> {
        Answer {
            version: self.version,
            as_of: self.as_of,
            activity: self.activity,
            members: self.members,
            value: other(self.value),
        }
    }
}

/// From when on a look at a window of a board shows all that it ever takes. The window closes then, or the
/// board ends; `tolerance`: how much longer servers of other clocks may go on.
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
    pub(crate) boards: GlobalBoards,
}

impl Merger {
    /// A merger of what the router knows.
    #[must_use]
    pub fn new(router: Arc<Router>, settings: Settings) -> Self {
        let boards = GlobalBoards::new(settings.cache_bytes_max);
        Self {
            router,
            settings,
            counters: Counters::default(),
            boards,
        }
    }

    /// What reads have cost so far.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// How long after it has closed a window is final: servers that share a store may differ in their
    /// clocks.
    #[must_use]
    pub fn clock_tolerance(&self) -> Duration {
        self.router.store().clock_tolerance()
    }

    /// Names what is counted here, which goes on being counted.
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

    /// Frees what caches have let go of. Called now and then.
    pub fn tidy(&self) {
        self.boards.tidy();
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.settings.clock)()
    }

    /// Reads a board in the incarnation that is on. An incarnation that ends meanwhile is read again as the next;
    /// a board that nobody has contributed to answers `T::default()`.
    pub(crate) fn on_board<'a, T, Read>(
        &'a self,
        name: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        read: impl Fn(Scope<'a>) -> Read + Send + Sync + 'a,
    ) -> AnswerFuture<'a, T>
    where
        T: Default + Send + 'a,
        Read: Future<Output = Result<Answer<T>, StoreError>> + Send + 'a,
    {
        let answer = async move {
            for _ in 0..INCARNATIONS_MAX {
                let as_of = self.now();
                let record = match self.router.record(name, kind, as_of).await? {
                    Some(record) if record.created => record,
                    uncreated => {
                        let activity = uncreated.map_or(Activity::ALWAYS, |record| record.activity);
                        let version = Version::UNCREATED;
                        let as_of = self.shown_as_of(kind, window, &activity, as_of, &version);
                        return Ok(Answer {
                            as_of: as_of.await,
                            version,
                            activity,
                            members: 0,
                            value: T::default(),
                        });
                    }
                };
                let scope = self.scope(record.clone(), kind, window, as_of);
                match steady(scope, &read).await {
                    Err(StoreError::Dead) => self.router.boards().forget(&record),
                    result => {
                        let mut answer = result?;
                        let (activity, version) = (&answer.activity, &answer.version);
                        let as_of = self.shown_as_of(kind, window, activity, answer.as_of, version);
                        answer.as_of = as_of.await;
                        return Ok(answer);
                    }
                }
            }
            Err(StoreError::Dead.into())
        };
        answer.boxed()
    }

    /// Returns the time that a read of a window shows, which began at `as_of`.
    ///
    /// What is called final has to outlast a crash, so a read that began late enough for that waits until everything
    /// that it has seen is durable. Where it is not within [`DURABLE_WAIT_MAX`], the read shows the moment before
    /// the window was final. A version that was final once stays so without a wait.
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
        // Mostly there is nothing to wait for, and no timer is needed.
        let known = match (&mut durable).now_or_never() {
            Some(known) => Ok(known),
            None => timeout(DURABLE_WAIT_MAX, durable).await,
        };
        let why = match known {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => error.to_string(),
            Err(elapsed) => elapsed.to_string(),
        };
        tracing::debug!(why, "nothing is called final: what was read is not durable");
        false
    }

    pub(crate) fn scope<'a>(
        &'a self,
        record: Arc<BoardRecord>,
        kind: &'a Arc<Kind>,
        window: Window,
        as_of: Timestamp,
    ) -> Scope<'a> {
        let store = &**self.router.store();
        Scope {
            store,
            counters: &self.counters,
            record,
            kind,
            window,
            as_of,
            places: None,
        }
    }
}
