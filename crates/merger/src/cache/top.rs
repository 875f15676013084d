//! Returns the top of a board, from the cache if that is recent enough.

use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Kind, Timestamp, Window};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use shard_store::{BoardRecord, StoreError};
use tokio::time::Instant;

use super::snapshot::{Key, Need, Snapshot};
use super::state::BoardState;
use crate::error::ReadError;
use crate::merger::{BEFORE_FINAL, INCARNATIONS_MAX, Merger};

/// How much older than its kind allows a top may be while its merge would have to queue.
const QUEUED_MAX: Duration = Duration::from_secs(1);

/// A top, and whether it is older than allowed because the store is unavailable or busy.
#[derive(Debug, Clone)]
pub struct TopView {
    /// The snapshot to serve.
    pub snapshot: Arc<Snapshot>,
    /// The store could not be reached, or it is busy.
    pub stale: bool,
}

impl TopView {
    const fn now(snapshot: Arc<Snapshot>) -> Self {
        Self {
            snapshot,
            stale: false,
        }
    }
}

impl Merger {
    /// Returns the cached top of a board, as old as the kind allows; with `fresh`, from a merge
    /// that begins after this call. If the store is unavailable or busy, returns the last one, marked
    /// as stale; never with `fresh`.
    pub async fn top(
        &self,
        board: &BoardName,
        kind: &Arc<Kind>,
        window: Window,
        fresh: bool,
    ) -> Result<TopView, ReadError> {
        let arrived = Instant::now();
        let need = self.need(kind, window, fresh, arrived);
        match self.top_at_hand(board, kind, window, need) {
            Some(snapshot) => {
                self.counters.count_hit(arrived, snapshot.began);
                Ok(TopView::now(snapshot))
            }
            None => {
                self.top_waited_for(board, kind, window, need, arrived)
                    .await
            }
        }
    }

    /// Returns what a read that arrives now requires.
    pub(super) fn need(&self, kind: &Kind, window: Window, fresh: bool, arrived: Instant) -> Need {
        let not_before = if fresh {
            arrived
        } else {
            arrived.checked_sub(kind.max_staleness()).unwrap_or(arrived)
        };
        // A merge before the end does not have the final contents of the window or of the board.
        Need {
            not_before,
            since: self.passed(kind.closes_at(window)),
            fresh,
        }
    }

    /// Returns a top that is recent enough without waiting, as for nearly every read.
    pub(super) fn top_at_hand(
        &self,
        board: &BoardName,
        kind: &Arc<Kind>,
        window: Window,
        need: Need,
    ) -> Option<Arc<Snapshot>> {
        match self.state_at_hand(board, kind, need)? {
            BoardState::Uncreated(seen) => {
                let waits = self.unsettled_since(&seen, kind, window).is_some();
                (!waits).then_some(seen)
            }
            BoardState::On(record) => self.snapshot_at_hand(&record, kind, window, need),
        }
    }

    fn snapshot_at_hand(
        &self,
        record: &BoardRecord,
        kind: &Kind,
        window: Window,
        need: Need,
    ) -> Option<Arc<Snapshot>> {
        let known = self.boards.snapshots.get(&(record.incarnation, window))?;
        let serves =
            known.activity == record.activity && known.serves(kind, self.need_of(record, need));
        serves.then_some(known)
    }

    /// Merges or waits for a top. Boxed, so that callers neither contain its size nor compile it
    /// again.
    fn top_waited_for<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        need: Need,
        arrived: Instant,
    ) -> BoxFuture<'a, Result<TopView, ReadError>> {
        let top = async move {
            for _ in 0..INCARNATIONS_MAX {
                let incarnation = if let Some(state) = self.state_at_hand(board, kind, need) {
                    Ok(state)
                } else {
                    let has_last = self.boards.uncreated.contains_key(board);
                    let silence = self.silence(None, has_last, need);
                    let incarnation = self.incarnation(board, kind, need);
                    unless_silent(incarnation, silence).await
                };
                let record = match incarnation {
                    Ok(BoardState::On(record)) => record,
                    Ok(BoardState::Uncreated(seen)) => {
                        let snapshot = self.shown_uncreated(seen, kind, window).await;
                        self.counters.count_miss(&snapshot);
                        return Ok(TopView::now(snapshot));
                    }
                    Err(error) => {
                        let known = match self.boards.uncreated.get(board) {
                            Some(seen) if may_last(need.fresh, &error) => {
                                Some(self.shown_uncreated(seen, kind, window).await)
                            }
                            _ => None,
                        };
                        return self.last(known, need.fresh, error);
                    }
                };
                if let Some(snapshot) = self.snapshot_at_hand(&record, kind, window, need) {
                    self.counters.count_hit(arrived, snapshot.began);
                    return Ok(TopView::now(snapshot));
                }
                let key = (record.incarnation, window);
                let need = self.need_of(&record, need);
                if let Some(last) = self.last_before_queue(&record, kind, key, need) {
                    return Ok(last);
                }
                let has_last = self.boards.snapshots.contains_key(&key);
                let silence = self.silence(Some(&record), has_last, need);
                let merged = self.merged(record.clone(), kind, key, need);
                match unless_silent(merged, silence).await {
                    Ok(Some(snapshot)) => {
                        self.counters.count_miss(&snapshot);
                        return Ok(TopView::now(snapshot));
                    }
                    Ok(None) => self.router.boards().forget(&record),
                    Err(error) => {
                        return self.last(self.boards.snapshots.get(&key), need.fresh, error);
                    }
                }
            }
            Err(StoreError::IncarnationEnded.into())
        };
        top.boxed()
    }

    /// Returns the absence of a board as the response for a window: final once it is durable, since
    /// a board may have been deleted just now. Never final if the board has only expired.
    async fn shown_uncreated(
        &self,
        seen: Arc<Snapshot>,
        kind: &Kind,
        window: Window,
    ) -> Arc<Snapshot> {
        let Some(from) = self.unsettled_since(&seen, kind, window) else {
            return seen;
        };
        if !seen.unsettled && self.becomes_durable().await {
            let _ = seen.durable.set(());
            return seen;
        }
        let as_of = from.minus(BEFORE_FINAL);
        Arc::new(seen.seen_again(as_of, seen.began, seen.unsettled, seen.taken))
    }

    /// Returns since when the absence of a board is final for a window, unless it is known to be
    /// durable.
    fn unsettled_since(&self, seen: &Snapshot, kind: &Kind, window: Window) -> Option<Timestamp> {
        if seen.durable.get().is_some() {
            return None;
        }
        self.final_since(kind, window, &seen.activity, seen.as_of)
    }

    /// Adds what the board itself requires: it may have ended, too.
    fn need_of(&self, record: &BoardRecord, need: Need) -> Need {
        Need {
            since: need.since.max(self.passed(record.activity.ends_at())),
            ..need
        }
    }

    /// Returns from when on something that closed at `closes_at` is final, if that is past.
    fn passed(&self, closes_at: Option<Timestamp>) -> Option<Timestamp> {
        let at = closes_at?.plus(self.clock_tolerance());
        (self.now() >= at).then_some(at)
    }

    /// Completes when the store is known to send no replies about a board, if the last snapshot may be served then.
    fn silence<'a>(
        &'a self,
        record: Option<&'a BoardRecord>,
        has_last: bool,
        need: Need,
    ) -> Option<BoxFuture<'a, ()>> {
        let may_last = has_last && !need.fresh;
        let servers = self.router.store().capabilities().servers?;
        may_last.then(|| servers.silence(record))
    }

    /// Returns the last snapshot, if a merge would have to queue at the store and the snapshot is at
    /// most [`QUEUED_MAX`] older than allowed. So a busy store has fewer merges to do.
    fn last_before_queue(
        &self,
        record: &BoardRecord,
        kind: &Kind,
        key: Key,
        need: Need,
    ) -> Option<TopView> {
        if need.fresh || !self.has_queue(record) {
            return None;
        }
        let known = self.boards.snapshots.get(&key)?;
        let need = Need {
            not_before: need.not_before.checked_sub(QUEUED_MAX)?,
            ..need
        };
        let is_served = known.activity == record.activity && known.serves(kind, need);
        is_served.then(|| self.stale(known))
    }

    fn has_queue(&self, record: &BoardRecord) -> bool {
        let servers = self.store().capabilities().servers;
        servers.is_some_and(|servers| servers.have_queue(record))
    }

    /// Returns the last snapshot as stale, if that is allowed.
    fn last(
        &self,
        known: Option<Arc<Snapshot>>,
        fresh: bool,
        error: ReadError,
    ) -> Result<TopView, ReadError> {
        let snapshot = known.filter(|_| may_last(fresh, &error)).ok_or(error)?;
        Ok(self.stale(snapshot))
    }

    fn stale(&self, snapshot: Arc<Snapshot>) -> TopView {
        self.counters.count_stale(&snapshot);
        TopView {
            snapshot,
            stale: true,
        }
    }
}

/// Returns the result of a read, or an error if the store is silent.
async fn unless_silent<T>(
    read: impl Future<Output = Result<T, ReadError>>,
    silence: Option<BoxFuture<'_, ()>>,
) -> Result<T, ReadError> {
    let Some(silence) = silence else {
        return read.await;
    };
    tokio::select! {
        biased;
        read = read => read,
        () = silence => {
            let why = "it sends no replies".to_owned();
            Err(StoreError::Unavailable(why).into())
        }
    }
}

/// Returns whether the last snapshot may be served after such an error.
const fn may_last(fresh: bool, error: &ReadError) -> bool {
    !fresh && !matches!(error, ReadError::WindowGone | ReadError::KindChanged)
}
