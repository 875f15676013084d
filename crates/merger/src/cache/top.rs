//! The top of a board, from the cache where that is young enough.

use std::sync::{Arc, OnceLock};

use board::{BoardName, Incarnation, Kind, Window};
use futures::FutureExt;
use moka::sync::Cache;
use shard_store::{BoardRecord, StoreError};
use tokio::time::Instant;

use super::gate::Gates;
use super::life::Life;
use super::snapshot::{Shape, Snapshot};
use crate::error::ReadError;
use crate::gather::{Cut, Gathered, Want};
use crate::merger::{LIVES_MAX, Merger};

/// Names known to be unborn that are kept at hand.
const UNBORN_MAX: u64 = 65_536;

/// One window of one life of a board.
type Key = (Incarnation, Window);

/// Snapshots by board life and window, under a limit of bytes.
pub(crate) struct GlobalBoards {
    snapshots: Cache<Key, Arc<Snapshot>>,
    merges: Gates<Key>,
    pub(super) unborn: Cache<BoardName, Arc<Snapshot>>,
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

/// The last board there is, where it will do.
fn last(known: Option<Arc<Snapshot>>, fresh: bool, error: ReadError) -> Result<TopView, ReadError> {
    let will_do = !fresh && !matches!(error, ReadError::WindowGone | ReadError::KindChanged);
    let snapshot = known.filter(|_| will_do).ok_or(error)?;
    Ok(TopView {
        snapshot,
        stale: true,
    })
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
        for _ in 0..LIVES_MAX {
            // What has to wait is boxed: nearly every top is at hand, and a small future is cheap.
            let life = match self.life_at_hand(board, kind, not_before) {
                Some(life) => Ok(life),
                None => self.life(board, kind, not_before).boxed().await,
            };
            let record = match life {
                Ok(Life::On(record)) => record,
                Ok(Life::Unborn(snapshot)) => return Ok(TopView::now(snapshot)),
                Err(error) => return last(self.boards.unborn.get(board), fresh, error),
            };
            let key = (record.incarnation, window);
            if let Some(snapshot) = self.boards.snapshots.get(&key)
                && snapshot.serves(kind, not_before)
            {
                return Ok(TopView::now(snapshot));
            }
            let merged = self.merged(record.clone(), kind, key, not_before);
            match merged.boxed().await {
                Ok(Some(snapshot)) => return Ok(TopView::now(snapshot)),
                Ok(None) => self.router.boards().forget(&record),
                Err(error) => return last(self.boards.snapshots.get(&key), fresh, error),
            }
        }
        Err(StoreError::Dead.into())
    }

    /// A snapshot that began late enough: somebody else's, or one made here. `None`: this life of
    /// the board has ended.
    async fn merged(
        &self,
        record: Arc<BoardRecord>,
        kind: &Arc<Kind>,
        key: Key,
        not_before: Instant,
    ) -> Result<Option<Arc<Snapshot>>, ReadError> {
        let place = self.boards.merges.at(&key);
        let mut last = place.enter().await;
        let at_gate = match &*last {
            Some((began, Err(error))) if *began >= not_before => return Err(error.clone()),
            Some((_, Ok(snapshot))) => Some(snapshot.clone()),
            _ => None,
        };
        let known = at_gate.or_else(|| self.boards.snapshots.get(&key));
        if let Some(snapshot) = &known
            && snapshot.serves(kind, not_before)
        {
            return Ok(known);
        }
        if known.is_none() {
            // From now on it is known that the board was born.
            self.boards.unborn.invalidate(&record.name);
        }
        let began = Instant::now();
        let merged = match self.merge(record, kind, key, began, known.as_deref()).await {
            Ok(snapshot) => Ok(Arc::new(snapshot)),
            Err(StoreError::Dead) => return Ok(None),
            Err(error) => Err(ReadError::from(error)),
        };
        if let Ok(snapshot) = &merged {
            self.boards.snapshots.insert(key, snapshot.clone());
        }
        *last = Some((began, merged.clone()));
        merged.map(Some)
    }

    async fn merge(
        &self,
        record: Arc<BoardRecord>,
        kind: &Arc<Kind>,
        (_, window): Key,
        began: Instant,
        known: Option<&Snapshot>,
    ) -> Result<Snapshot, StoreError> {
        self.counters.count_merge();
        let as_of = self.now();
        let scope = self.scope(record, kind, window, as_of);
        let want = Want::Around {
            before: 0,
            after: kind.top() as u64,
        };
        let shape = Shape::of(kind);
        let gathered = match known.filter(|known| known.shape == shape) {
            Some(known) => match scope.gather_unless(&Cut::Top, want, &known.vector).await? {
                Some(gathered) => gathered,
                None => return Ok(known.seen_again(as_of, began)),
            },
            None => scope.gather(&Cut::Top, want, None).await?,
        };
        let Gathered {
            readings,
            members,
            entries,
            ..
        } = gathered;
        let vector = scope.version(&readings);
        if known.is_some_and(|known| !vector.follows(&known.vector)) {
            return Err(StoreError::Unavailable(
                "a shard has gone back in time".to_owned(),
            ));
        }
        let rendered = (self.settings.renderer)(kind, &entries);
        Ok(Snapshot {
            version: vector.to_string(),
            as_of,
            members,
            rendered,
            vector,
            shape,
            began,
            kept: OnceLock::new(),
        })
    }
}
