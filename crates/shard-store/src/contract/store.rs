//! The contract itself: [`ShardStore`].
//!
//! Calls return boxed futures: the body of an async function is compiled in every crate that awaits it
//! (`docs/decisions/0010-release-builds.md`).
//!
//! [`ShardStore::time`] is what a server uses as its `now`. While the clocks are known to be wrong,
//! [`ShardStore::check_time`] refuses what depends on the time, and nothing is written or dropped by it.

use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Incarnation, Kind, KindName, Member, Subject, Timestamp, Window};
use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use metering::Registry;

use super::error::{
    CreateBoardError, DeleteBoardError, KindWriteError, PutSettingsError, StoreError,
};
use super::read::{Query, Reading, WindowCount};
use super::record::{BoardRecord, BoardSettings, KindRecord, Revision};
use super::shared::SharedBoards;
use super::write::{Batch, Outcome};

/// Calls of one request that a store behind a connection has under way at once.
const APPLIED_AT_ONCE_MAX: usize = 64;

/// Sharded boards: each shard a score KV, which is the authority, and a sorted set over it.
///
/// Every call is atomic on its own. `apply` and `read` are atomic on one shard; nothing is atomic
/// over several. A call that ends in an error other than `Unknown` changed nothing.
pub trait ShardStore: Send + Sync + 'static {
    /// What answers and logs call it: `memory`.
    fn name(&self) -> &'static str;

    /// Every kind ever written, deleted ones too, by name.
    fn kinds(&self) -> BoxFuture<'_, Result<Vec<KindRecord>, StoreError>>;

    /// Writes a kind whose record is at `expected`. `only_without_boards`: refused once it has any
    /// that was created; the settings of boards not yet created stay, whatever the kind becomes.
    fn put_kind(
        &self,
        kind: Arc<Kind>,
        expected: Revision,
        only_without_boards: bool,
    ) -> BoxFuture<'_, Result<KindRecord, KindWriteError>>;

    /// Deletes a kind without boards whose record is at `expected`, and the settings of those not yet created.
    fn delete_kind<'a>(
        &'a self,
        name: &'a KindName,
        expected: Revision,
    ) -> BoxFuture<'a, Result<(), KindWriteError>>;

    /// The board's record, created or not.
    fn board<'a>(
        &'a self,
        name: &'a BoardName,
    ) -> BoxFuture<'a, Result<Option<BoardRecord>, StoreError>>;

    /// The boards of a kind that were created, by subject, from behind `after` on.
    fn boards<'a>(
        &'a self,
        kind: &'a KindName,
        after: Option<&'a Subject>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<BoardRecord>, StoreError>>;

    /// Opens a board for contributions: makes its record, or marks the one that has settings as created, or
    /// returns the one that is. `kind` is the board's, as the caller read it.
    ///
    /// A board whose settings bound its time is created only for a caller who has `seen` them, by the
    /// incarnation in their record; to others they are answered as `Unseen`. So nobody creates a board for
    /// a contribution that it does not take.
    fn create_board<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        seen: Option<Incarnation>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, CreateBoardError>>;

    /// Takes back the creation of a board to which nothing was applied, because nothing of what it was
    /// created for could be: settings that it had are kept for as long as if it had never been created. Changes
    /// nothing where anything was applied to it.
    fn withdraw<'a>(&'a self, board: &'a BoardRecord) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Keeps settings for a board not yet created, in place of earlier ones and as another incarnation, for as
    /// long as [`settings_kept_until`](board::Activity::settings_kept_until) says of those made
    /// `now`: then `expire` drops them.
    fn put_settings<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        settings: BoardSettings,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, PutSettingsError>>;

    /// Ends this incarnation of a board, with all its windows. Its incarnation stays known as dead at
    /// least until `until`.
    fn delete_board<'a>(
        &'a self,
        name: &'a BoardName,
        until: Timestamp,
    ) -> BoxFuture<'a, Result<(), DeleteBoardError>>;

    /// Applies a batch to one shard: an outcome for each item, in order; or `Late`. Where it is applied
    /// is told by [`Batch::until`]: a read that begins after that moment sees all that was applied
    /// under it, and nothing is applied behind that read.
    fn apply<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, StoreError>>;

    /// Most calls of `apply` that one request may have under way at once. A store where they all wait for
    /// the same sync takes as many as there are, so that the request waits for one, not for one after
    /// another.
    fn applied_at_once_max(&self) -> usize {
        APPLIED_AT_ONCE_MAX
    }

    /// One look at one window of one shard.
    fn read<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        query: &'a Query,
    ) -> BoxFuture<'a, Result<Reading, StoreError>>;

    /// Waits until everything that reads have returned so far is durable. An error says that this is not known.
    ///
    /// A read may return what a crash would take back. What is called final must not be such a read.
    fn durable(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        ready(Ok(())).boxed()
    }

    /// The windows that a shard holds.
    fn windows<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
    ) -> BoxFuture<'a, Result<Vec<WindowCount>, StoreError>>;

    /// Drops what is past its time: windows, ids, idle boards, boards that have expired, settings
    /// of boards that were not created, tombstones. Called now and then;
    /// holds up no writer while it works.
    ///
    /// The name of a board whose time is bounded keeps settings when the board goes
    /// ([`after_it`](board::Activity::after_it)): what happened before counts on no later board. A board
    /// whose time is bounded does not go for holding nothing before its settings would. One to which nothing was
    /// applied for a while after its creation is withdrawn.
    fn expire(&self, now: Timestamp) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Refuses what is judged by the time, while the caller's clock is too far from the store's, or has
    /// jumped: neither is known to be right, so that a rejection may be as wrong as a write.
    fn check_time(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// The time to go by where the caller's clock shows `own`: the store's, where servers share it and
    /// that clock is too far ahead, or what it should be, where that clock has jumped. What is written by the
    /// time is refused by then.
    fn time(&self, own: Timestamp) -> Timestamp {
        own
    }

    /// Whether it takes writes and answers reads.
    fn ready(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.kinds().map(|kinds| kinds.map(drop)).boxed()
    }

    /// Whether the Redis of this replication id (`master_replid`) is one of the store's own nodes, as far
    /// as they are connected; or may be one, where it does not say.
    fn may_be_node(&self, _replication_id: Option<&str>) -> bool {
        false
    }

    /// How far the clocks may differ by which servers say that a window or a board is closed: so much later it is
    /// final, for all of them.
    fn clock_tolerance(&self) -> Duration {
        Duration::ZERO
    }

    /// Names what it counts of itself, which goes on being counted.
    fn register_metrics(&self, _registry: &mut Registry) {}

    /// The place where merged boards are shared, while other servers are about; none otherwise.
    fn shared(&self) -> Option<&dyn SharedBoards> {
        None
    }

    /// Ends it: what was answered for is durable when this is ready, and nothing is taken any more.
    fn close(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        ready(Ok(())).boxed()
    }

    /// Holds a shard's sorted sets against its scores. With `repair` what the scores say is put in
    /// place of what they contradict; `Unavailable` where a store has nothing that could be repaired.
    fn verify<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        repair: bool,
    ) -> BoxFuture<'a, Result<Vec<Disagreement>, StoreError>>;

    /// What is stored of boards that there are none of; nothing where that cannot be.
    fn orphans(&self) -> BoxFuture<'_, Result<Vec<Orphan>, StoreError>> {
        ready(Ok(Vec::new())).boxed()
    }
}

/// What is stored of a board that the store has lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphan {
    /// The name it had.
    pub board: BoardName,
    /// Which of that name it was.
    pub incarnation: Incarnation,
    /// How many keys there are.
    pub keys: u64,
    /// One of them.
    pub example: String,
}

/// A place where a sorted set does not say what the scores say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The window.
    pub window: Window,
    /// The member, where it is about one.
    pub member: Option<Member>,
    /// What is wrong.
    pub what: String,
    /// Whether it was put right.
    pub repaired: bool,
}
