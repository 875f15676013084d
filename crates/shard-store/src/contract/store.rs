//! [`ShardStore`]: the contract.
//!
//! Calls return boxed futures: the body of an async function is compiled in every crate that awaits
//! it (`docs/decisions/0010-release-builds.md`).
//!
//! [`ShardStore::time`] is what a server uses as its `now`. While the clocks are known to be wrong,
//! [`ShardStore::check_time`] rejects what depends on the time, and nothing is written or dropped
//! by it.

use std::sync::Arc;
use std::time::Duration;

use board::{
    Activity, BoardName, Incarnation, Kind, KindName, Member, Profile, Subject, Timestamp, Window,
};
use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use metering::Registry;

use super::capabilities::Capabilities;
use super::error::{
    ChangeActivityError, CreateBoardError, DeleteBoardError, KindWriteError, PutSettingsError,
    StoreError, UnsupportedKind,
};
use super::profile::ProfileChange;
use super::read::{BoardReading, Groups, RangeAsk, ShardQuery, ShardReading, WindowCount};
use super::record::{BoardRecord, BoardSettings, KindRecord, Revision};
use super::write::{Batch, Deadline, Outcome};

/// A store of sharded boards. Each shard has a score KV, which is the authority, and a sorted set
/// over it.
///
/// Every call is atomic on its own. `apply` is atomic on one shard, and `read` on each of its
/// shards; only `read_board` is atomic across shards. A call that returns an error other than `Unknown`
/// changed nothing.
pub trait ShardStore: Send + Sync + 'static {
    /// Returns its name in responses and logs: `memory`.
    fn name(&self) -> &'static str;

    /// Returns what it can do beyond the calls that all stores have.
    fn capabilities(&self) -> Capabilities<'_>;

    /// Returns whether this window of a board is read as [`Capabilities::whole_boards`] says.
    fn reads_whole(&self, _board: &BoardRecord, _window: Window) -> bool {
        self.capabilities().whole_boards
    }

    /// Returns every kind ever written, including deleted ones, by name.
    fn kinds(&self) -> BoxFuture<'_, Result<Vec<KindRecord>, StoreError>>;

    /// Writes a kind whose record is at revision `expected`. `only_without_boards`: rejected if any
    /// board of it has been created; settings of boards not yet created are kept in any case.
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

    /// Changes profiles of members of a kind, up to [`PROFILE_CHANGES_MAX`](super::PROFILE_CHANGES_MAX) of them, in
    /// order. Each change is atomic on its own; the call may be repeated. After an error `Unknown`, any of them may
    /// have taken effect. `StaleKind`: the kind does not exist.
    ///
    /// A kind's profiles are deleted with it: a later kind of its name begins without any.
    fn put_profiles<'a>(
        &'a self,
        kind: &'a KindRecord,
        changes: &'a [ProfileChange],
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Returns the profiles of members of a kind, in order. Each is read at a moment of its own.
    fn profiles<'a>(
        &'a self,
        kind: &'a KindRecord,
        members: &'a [Member],
    ) -> BoxFuture<'a, Result<Vec<Option<Profile>>, StoreError>>;

    /// Returns the board's record, created or not.
    fn board<'a>(
        &'a self,
        name: &'a BoardName,
    ) -> BoxFuture<'a, Result<Option<BoardRecord>, StoreError>>;

    /// Returns the created boards of a kind whose subjects begin with `prefix`, by the bytes of their subjects,
    /// after `after`. Boards before and behind them cost nothing.
    fn boards<'a>(
        &'a self,
        kind: &'a KindName,
        prefix: &'a str,
        after: Option<&'a Subject>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<BoardRecord>, StoreError>>;

    /// Creates a board by its first contribution: creates its record, or marks an existing one with
    /// settings as created, or returns the created one. `kind` is the board's, as the caller read
    /// it.
    ///
    /// A board whose settings have bounds is created only for a caller that has `seen` them,
    /// identified by the incarnation in their record; other callers get them as `SettingsUnseen`. So a
    /// contribution that would be rejected never creates a board.
    fn create_board<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        seen: Option<Incarnation>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, CreateBoardError>>;

    /// Withdraws the creation of a board to which nothing was applied, because every contribution
    /// that it was created for was rejected. Its settings are kept for as long as if it had never
    /// been created. Has no effect if anything was applied to it.
    fn withdraw<'a>(&'a self, board: &'a BoardRecord) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Stores settings for a board not yet created, replacing earlier ones, as another incarnation.
    /// They are kept until [`settings_kept_until`](board::Activity::settings_kept_until) of `now`:
    /// then `drop_expired` drops them.
    fn put_settings<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        settings: BoardSettings,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, PutSettingsError>>;

    /// Changes the activity of a created board, of which the caller has the record `board`, before
    /// `until`. Afterwards, reads and writes with the old record fail with `SettingsChanged`: nothing
    /// is applied under the old activity, and no read that begins later reports by it.
    fn change_activity<'a>(
        &'a self,
        board: &'a BoardRecord,
        activity: Activity,
        until: Option<Deadline<'a>>,
    ) -> BoxFuture<'a, Result<BoardRecord, ChangeActivityError>>;

    /// Ends this incarnation of a board, with all its windows. The store remembers that it ended at
    /// least until `until`.
    fn delete_board<'a>(
        &'a self,
        name: &'a BoardName,
        until: Timestamp,
    ) -> BoxFuture<'a, Result<(), DeleteBoardError>>;

    /// Applies a batch to one shard and returns an outcome for each item, in order; or `SettingsChanged` if `board` has
    /// another activity than the board's current one; or `DeadlinePassed` after [`Batch::until`]: a read that begins
    /// after that moment sees everything that was applied under it, and nothing is applied after that read.
    fn apply<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, StoreError>>;

    /// Queries shards of a board, and returns a reading for each query, in order. Each shard is read
    /// at one moment, but not all of them at the same one. If a shard cannot be read, the call fails.
    ///
    /// A board of a kind with [dense ranks](board::RankStyle::Dense) is read as a whole, with all
    /// shards at one moment, as if it had one: queries name shard 0. A value may be on several
    /// shards, so that counts of distinct values cannot be added.
    fn read<'a>(
        &'a self,
        board: &'a BoardRecord,
        queries: &'a [ShardQuery],
    ) -> BoxFuture<'a, Result<Vec<ShardReading>, StoreError>>;

    /// Reads a range of the order of the whole board, in one step and with all shards at one moment. `None`: the store
    /// does not do that, or not now; `read` answers the same.
    fn read_board(
        &self,
        _board: &BoardRecord,
        _window: Window,
        _groups: Groups,
        _ask: &RangeAsk,
    ) -> Result<Option<BoardReading>, StoreError> {
        Ok(None)
    }

    /// Returns the work of reading a range of a shard, in entries that are returned.
    fn work_of(&self, ask: &RangeAsk) -> usize {
        /// What finding an anchor takes.
        const POSITION_WORK: usize = 4;
        let entries = ask.before.saturating_add(ask.after);
        entries.saturating_add(POSITION_WORK)
    }

    /// Checks whether the store supports a kind.
    fn check_kind(&self, kind: &Kind) -> Result<(), UnsupportedKind> {
        let capabilities = self.capabilities();
        let (shards, shards_max) = (kind.shards(), capabilities.dense_shards_max());
        if kind.is_dense() && shards > shards_max {
            let reason = format!(
                "{} is more than {}, the maximum of kinds with dense ranks on this store",
                shards.get(),
                shards_max.get()
            );
            return Err(UnsupportedKind::new("shards", reason));
        }
        if kind.is_dense() && kind.retain().is_some() && !capabilities.whole_boards {
            let reason = "dense is not supported together with retain on this store";
            return Err(UnsupportedKind::new("rank", reason));
        }
        Ok(())
    }

    /// Waits until everything that reads have returned so far is durable. An error means that this
    /// is unknown.
    ///
    /// A read may return what a crash would revert. Results that are reported as final must not be
    /// such.
    fn durable(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        ready(Ok(())).boxed()
    }

    /// Returns the windows of a shard.
    fn windows<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
    ) -> BoxFuture<'a, Result<Vec<WindowCount>, StoreError>>;

    /// Drops expired data: windows, ids, idle boards, boards past their activity, settings of
    /// boards that were not created, tombstones. Called periodically; does not block writers.
    ///
    /// The name of a board with bounds keeps settings when the board is dropped
    /// ([`settings_after`](board::Activity::settings_after)): contributions from before count on no later
    /// board. A board with bounds is not dropped for being empty before its settings would be. A
    /// board to which nothing was applied for a while after its creation is withdrawn.
    fn drop_expired(&self, now: Timestamp) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Drops a board, or settings, whose time is over at `now` ([`has_expired`](board::Activity::has_expired)), as
    /// `drop_expired` would soon: what comes next finds the name free. Has no effect if it was changed, or dropped.
    fn drop_over<'a>(
        &'a self,
        board: &'a BoardRecord,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Rejects what depends on the time while the caller's clock deviates too far from the store's,
    /// or has jumped: neither is known to be right, so that a rejection may be as wrong as a write.
    fn check_time(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns the time to use when the caller's clock shows `own`: the store's, if servers share
    /// it and that clock is too far ahead, or the expected one, if that clock has jumped. Writes
    /// that depend on the time are rejected then.
    fn time(&self, own: Timestamp) -> Timestamp {
        own
    }

    /// Checks whether it accepts writes and serves reads.
    fn check_ready(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.kinds().map(|kinds| kinds.map(drop)).boxed()
    }

    /// Returns how far the clocks of servers may differ: a closed window or board is final this
    /// much later, for all of them.
    fn clock_tolerance(&self) -> Duration {
        Duration::ZERO
    }

    /// Registers its metrics.
    fn register_metrics(&self, _registry: &mut Registry) {}

    /// Closes it: when this is ready, what was acknowledged is durable, and nothing more is
    /// accepted.
    fn close(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        ready(Ok(())).boxed()
    }

    /// Compares a shard's sorted sets with its scores. With `repair`, the sorted sets are
    /// corrected; `Unavailable` if the store has nothing to repair.
    fn verify<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        repair: bool,
    ) -> BoxFuture<'a, Result<Vec<IndexMismatch>, StoreError>>;

    /// Returns data of boards that do not exist; empty if the store cannot have any.
    fn orphans(&self) -> BoxFuture<'_, Result<Vec<Orphan>, StoreError>> {
        ready(Ok(Vec::new())).boxed()
    }
}

/// Stored data of a board that the store has lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphan {
    /// The board's name.
    pub board: BoardName,
    /// The board's incarnation.
    pub incarnation: Incarnation,
    /// Number of keys.
    pub keys: u64,
    /// One of the keys.
    pub example: String,
}

/// A difference between a sorted set and the scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexMismatch {
    /// The window.
    pub window: Window,
    /// The member, if it is about one.
    pub member: Option<Member>,
    /// What is wrong.
    pub detail: String,
    /// Whether it was repaired.
    pub repaired: bool,
}
