//! The sweep: drops what is past its time, board by board, and ends boards.
//!
//! [`Sweep::drop_expired`] takes boards that are due and visits each. Several servers share the work by
//! claiming what they take; one that ends in the middle of it leaves nothing that another does not
//! finish:
//!
//! - Windows past their retention go on all shards, and a watermark keeps them closed.
//! - An idle board is emptied: that is decided in its record (`begin_emptying`), if no writer has touched it.
//!   A writer touches the record first, finds what was decided and finishes it. So
//!   the board is emptied whole before a write, or stays whole.
//! - A board that holds nothing ends. Writers touch no record for this, so its shards are frozen while it
//!   is decided, again in its record. A freeze that was not taken back keeps writers out until they have
//!   asked the registry.
//! - A board to which nothing was applied within a minute ends likewise, and its name keeps the settings that it had:
//!   the server that created it could not withdraw it, since a node had too much to do or was away.
//! - The refill of a list that lacks members is started, in case the caller that marked it did not.
//! - A board with an idle span of its own ends with all that it holds once nothing was written to it for so long: its
//!   shards are frozen unless something was.
//! - A board whose time is over (`expires_at`) ends with all that it holds, as if it had been deleted.
//! - An incarnation that ended is in `dying` until all its shards have tombstones.
//!
//! Also here, since it freezes shards likewise: changes of the activity of a board (`change`).
//!
//! A board of which a node is not connected is passed by, and due again.
//!
//! Clocks of servers have to agree to within a small part of the shortest idle time.

mod change;
#[cfg(test)]
mod tests;
mod visit;

use std::collections::HashMap;
use std::sync::Arc;

use board::{BoardName, Incarnation, KindName, Timestamp};
use bytes::Bytes;
use futures::stream::{self, StreamExt};
use moka::sync::Cache;
use tokio::time::Instant;

use super::parts::Parts;
use super::registry::{After, Claimed, Record};
use super::shards::{Shards, not_connected};
use crate::lists::Refills;
use change::reconciled;
use shard_store::{BoardRecord, DeleteBoardError, KindRecord, StoreError};
use visit::after;

/// The number of boards that are claimed at once.
const BOARDS_CLAIMED: usize = 100;

/// The number of boards that are visited at once.
const BOARDS_AT_ONCE: usize = 8;

/// When a board is due next; `None` if it no longer exists.
type Next = Option<Timestamp>;

/// How shards whose nodes are not connected are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Away {
    /// They are called for a request, which does not wait for the nodes.
    Call,
    /// They are left to a later sweep.
    PassBy,
}

/// Drops what is past its time. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Sweep {
    parts: Parts,
    lists: Arc<Refills>,
    /// The boards that were set right, one at a time.
    reconciled: Arc<tokio::sync::Mutex<Cache<Incarnation, ()>>>,
}

/// The boards that a sweep could not visit: there may be very many on a node that is unavailable.
#[derive(Debug, Default)]
struct Failures {
    boards: u64,
    first: Option<StoreError>,
}

impl Failures {
    fn note(&mut self, name: &BoardName, error: StoreError) {
        tracing::debug!(board = %name, %error, "the board could not be swept");
        self.boards += 1;
        self.first.get_or_insert(error);
    }

    fn log(&self) {
        if let Some(error) = &self.first {
            tracing::warn!(boards = self.boards, %error, "boards could not be swept");
        }
    }
}

impl Sweep {
    /// Creates a sweep that has lists refilled by `lists`.
    pub(crate) fn new(parts: &Parts, lists: Arc<Refills>) -> Self {
        Self {
            parts: parts.clone(),
            lists,
            reconciled: Arc::new(tokio::sync::Mutex::new(reconciled())),
        }
    }

    /// Drops what is past its time at `now`, of all boards that no other server has claimed. What
    /// fails is due again a minute later; the first failure is returned.
    pub(crate) async fn drop_expired(&self, now: Timestamp) -> Result<(), StoreError> {
        let finished = self.finish_deletions().await;
        let swept = self.sweep_due(now).await;
        finished.and(swept)
    }

    /// Ends a board, or settings, whose time is over at `now`, so that its name is free, unless it was changed. Its
    /// shards are left to the next sweep.
    pub(crate) async fn end_over(
        &self,
        board: &BoardRecord,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let kind = self.parts.registry.kind(board.name.kind()).await?;
        let Some(kind) = kind.and_then(|record| record.kind) else {
            return Ok(());
        };
        let Some(record) = self.parts.registry.board(&board.name).await? else {
            return Ok(());
        };
        if !record.board.activity.has_expired(now) {
            return Ok(());
        }
        let until = Instant::now() + self.parts.settings.write_deadline;
        let after = after(&record, &kind, now)?;
        let registry = &self.parts.registry;
        let ended = registry.end_incarnation(&record, false, after, until);
        if ended.await? {
            self.parts.incarnations.forget(&record.board);
        }
        Ok(())
    }

    /// Ends the current incarnation of a board.
    pub(crate) async fn delete_board(&self, name: &BoardName) -> Result<(), DeleteBoardError> {
        let Some(record) = self.parts.registry.delete_board(name).await? else {
            return Ok(());
        };
        self.parts.incarnations.forget(&record.board);
        let ended = self.put_tombstones(&record, Away::Call).await;
        // The board has ended, whatever the error says, and the next sweep finishes it. Until
        // then servers that have not learned of its end show it and write to it, so this is not
        // a success either.
        Ok(ended.map_err(|error| {
            let why = format!("the board is deleted, but not yet on all shards: {error}");
            StoreError::Unknown(why)
        })?)
    }

    async fn sweep_due(&self, now: Timestamp) -> Result<(), StoreError> {
        self.parts.incarnations.swept(now);
        let mut failures = Failures::default();
        loop {
            let claimed = self.parts.registry.take_due(now, BOARDS_CLAIMED).await;
            let claimed = claimed.inspect_err(|_| failures.log())?;
            if claimed.boards.is_empty() {
                failures.log();
                return failures.first.map_or(Ok(()), Err);
            }
            self.sweep_claimed(&claimed, now, &mut failures).await?;
        }
    }

    async fn sweep_claimed(
        &self,
        claimed: &Claimed,
        now: Timestamp,
        failures: &mut Failures,
    ) -> Result<(), StoreError> {
        // Read after they were claimed: a kind that changes later makes them due again.
        let kinds = &self.kinds_of(&claimed.boards).await?;
        let visits = claimed.boards.iter().map(|name| async move {
            let kind = kinds
                .get(name.kind())
                .and_then(|record| record.kind.as_ref());
            match kind {
                Some(kind) => (name, self.visit(name, kind, now).await),
                // Kinds are deleted without boards; their settings are deleted with them.
                None => (name, Ok(None)),
            }
        });
        let visits = stream::iter(visits.collect::<Vec<_>>()).buffer_unordered(BOARDS_AT_ONCE);
        let visited: Vec<(_, Result<Next, StoreError>)> = visits.collect().await;
        let mut next = Vec::new();
        for (name, visited) in visited {
            match visited {
                Ok(due) => next.push((name, due)),
                Err(error) => failures.note(name, error),
            }
        }
        self.parts.registry.set_due(claimed, &next).await
    }

    async fn kinds_of(
        &self,
        boards: &[BoardName],
    ) -> Result<HashMap<KindName, KindRecord>, StoreError> {
        let mut kinds = HashMap::new();
        for name in boards {
            if !kinds.contains_key(name.kind())
                && let Some(record) = self.parts.registry.kind(name.kind()).await?
            {
                kinds.insert(record.name.clone(), record);
            }
        }
        Ok(kinds)
    }

    /// Puts tombstones that servers before this one did not put.
    async fn finish_deletions(&self) -> Result<(), StoreError> {
        let mut cursor = "0".to_owned();
        let mut first_failure = Ok(());
        loop {
            let (next, dying) = self.parts.registry.dying(&cursor).await?;
            let end = |record| self.put_tombstones(record, Away::PassBy);
            let ends: Vec<_> = dying.iter().map(end).collect();
            let ends = stream::iter(ends).buffer_unordered(BOARDS_AT_ONCE);
            let ended: Vec<_> = ends.collect().await;
            first_failure = first_failure.and(ended.into_iter().collect());
            if next == "0" {
                return first_failure;
            }
            cursor = next;
        }
    }

    /// Ends this incarnation of a board, before `until`, with all that it holds; with `untouched`, unless it was
    /// touched. Returns whether it did.
    async fn end_incarnation(
        &self,
        record: &Record,
        untouched: bool,
        after: Option<After>,
        until: Instant,
    ) -> Result<bool, StoreError> {
        let registry = &self.parts.registry;
        let ended = registry.end_incarnation(record, untouched, after, until);
        let ended = ended.await?;
        if ended && record.board.created {
            self.parts.incarnations.forget(&record.board);
            self.put_tombstones(record, Away::PassBy).await?;
        }
        Ok(ended)
    }

    /// Ends the shards of an incarnation that has ended. Those whose nodes are connected come
    /// first: none of them waits for a node that is unavailable.
    async fn put_tombstones(&self, record: &Record, away: Away) -> Result<(), StoreError> {
        let shards = Shards {
            waits: away == Away::PassBy,
            ..self.shards(record)
        };
        let (here, others) = shards.by_connection();
        let mut ended = shards.tombstones(&here).await;
        match (others.first(), away) {
            (None, _) => {}
            (Some(_), Away::Call) => ended = ended.and(shards.tombstones(&others).await),
            // Even if it is connected again by now: nothing was done there.
            (Some(shard), Away::PassBy) => ended = ended.and(Err(not_connected(*shard))),
        }
        ended?;
        self.parts.registry.deleted(record.board.incarnation).await
    }

    /// Returns a name for a freeze.
    fn token(&self) -> Bytes {
        self.parts.session.next_name('-').into()
    }

    fn shards<'a>(&'a self, record: &'a Record) -> Shards<'a> {
        Shards {
            nodes: &self.parts.servers,
            board: &record.board,
            servers: &record.servers,
            until: Instant::now() + self.parts.settings.write_deadline,
            waits: true,
        }
    }
}
