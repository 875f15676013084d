//! The top of a board, from the cache where that is young enough.

use std::sync::Arc;

use board::{BoardName, Incarnation, Kind, Timestamp, Window};
use futures::FutureExt;
use moka::sync::Cache;
use shard_store::StoreError;
use tokio::time::Instant;

use super::gate::Gates;
use super::life::Life;
use super::share::Sharing;
use super::snapshot::{Need, Snapshot};
use crate::error::ReadError;
use crate::merger::{LIVES_MAX, Merger};

/// Names known to be unborn that are kept at hand.
const UNBORN_MAX: u64 = 65_536;

/// One window of one life of a board.
pub(crate) type Key = (Incarnation, Window);

/// Snapshots by board life and window, under a limit of bytes.
pub(crate) struct GlobalBoards {
    pub(crate) snapshots: Cache<Key, Arc<Snapshot>>,
    pub(super) merges: Gates<Key>,
    pub(super) sharing: Sharing,
    pub(crate) unborn: Cache<BoardName, Arc<Snapshot>>,
    pub(super) births: Gates<BoardName>,
}

impl GlobalBoards {
    pub(crate) fn new(bytes_max: u64) -> Self {
        let snapshots = Cache::builder()
            .max_capacity(bytes_max)
            .weigher(|_, snapshot: &Arc<Snapshot>| snapshot.weight())
            .build();
        Self {
            snapshots,
            merges: Gates::default(),
            sharing: Sharing::default(),
            unborn: Cache::new(UNBORN_MAX),
            births: Gates::default(),
        }
    }

    pub(crate) fn tidy(&self) {
        self.snapshots.run_pending_tasks();
        self.unborn.run_pending_tasks();
    }
}

/// A top, and whether it is older than it should be because the store is away.
#[derive(Debug, Clone)]
pub struct TopView {
    /// What to show.
    pub snapshot: Arc<Snapshot>,
    /// The store could not be reached.
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
    /// The cached top of a board, as old as the kind allows; with `fresh` from a merge that begins
    /// after this call. Without the store, the last one there is, told as stale; never for `fresh`.
    pub async fn top(
        &self,
        board: &BoardName,
        kind: &Arc<Kind>,
        window: Window,
        fresh: bool,
    ) -> Result<TopView, ReadError> {
        let arrived = Instant::now();
        let not_before = if fresh {
            arrived
        } else {
            arrived.checked_sub(kind.max_staleness()).unwrap_or(arrived)
        };
        // What was merged before the end is not what the window has come to, nor the board.
        let passed = |at: Option<Timestamp>| at.filter(|at| self.now() >= *at);
        let need = Need {
            not_before,
            since: passed(kind.closes_at(window)),
            fresh,
        };
        for _ in 0..LIVES_MAX {
            // What has to wait is boxed: nearly every top is at hand, and a small future is cheap.
            let at_hand = self.life_at_hand(board, kind, need);
            let is_at_hand = at_hand.is_some();
            let life = match at_hand {
                Some(life) => Ok(life),
                None => self.life(board, kind, need).boxed().await,
            };
            let record = match life {
                Ok(Life::On(record)) => record,
                Ok(Life::Unborn(snapshot)) => {
                    if is_at_hand {
                        self.counters.count_hit(arrived, &snapshot);
                    } else {
                        self.counters.count_miss(&snapshot);
                    }
                    return Ok(TopView::now(snapshot));
                }
                Err(error) => return self.last(self.boards.unborn.get(board), fresh, error),
            };
            let key = (record.incarnation, window);
            let known = self.boards.snapshots.get(&key);
            let need = Need {
                since: need.since.max(passed(record.activity.ends_at())),
                ..need
            };
            if let Some(snapshot) = known.filter(|snapshot| snapshot.serves(kind, need)) {
                self.counters.count_hit(arrived, &snapshot);
                return Ok(TopView::now(snapshot));
            }
            let merged = self.merged(record.clone(), kind, key, need);
            match merged.boxed().await {
                Ok(Some(snapshot)) => {
                    self.counters.count_miss(&snapshot);
                    return Ok(TopView::now(snapshot));
                }
                Ok(None) => self.router.boards().forget(&record),
                Err(error) => return self.last(self.boards.snapshots.get(&key), fresh, error),
            }
        }
        Err(StoreError::Dead.into())
    }

    /// The last board there is, where it will do.
    fn last(
        &self,
        known: Option<Arc<Snapshot>>,
        fresh: bool,
        error: ReadError,
    ) -> Result<TopView, ReadError> {
        let will_do = !fresh && !matches!(error, ReadError::WindowGone | ReadError::KindChanged);
        let snapshot = known.filter(|_| will_do).ok_or(error)?;
        self.counters.count_stale(&snapshot);
        Ok(TopView {
            snapshot,
            stale: true,
        })
    }
}
