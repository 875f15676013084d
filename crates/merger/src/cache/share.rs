//! Merges shared with other servers: take what one of them has published, or merge for all.
//!
//! **Invariant:** sharing merges only saves merges. Whatever goes wrong with it, this server merges itself: no lease,
//! no board, a garbled board, one that goes back behind what was shown here. A shared board is named by its version,
//! so that no two servers show different boards under one version. Its age is told by one clock, the store's.
//!
//! A lease that is of no use is given back (`publish`); one that is lost ends by itself.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use board::{Kind, Timestamp};
use shard_store::{BoardRecord, SharedBoards, SharedTop, StoreError, Taken};
use tokio::time::Instant;

use super::publish::{Held, Publishers};
use super::shown::Shown;
use super::snapshot::{Need, Shape, Snapshot};
use super::top::Key;
use super::wire::{self, Content};
use crate::merger::Merger;

/// How long another server's merge is waited for.
const WAIT_MAX: Duration = Duration::from_secs(1);

/// Until another server's merge is asked for again, at first; then twice as long each time.
const POLL_MIN: Duration = Duration::from_millis(4);

/// Until another server's merge is asked for again, at most.
const POLL_MAX: Duration = Duration::from_millis(64);

/// What a merger keeps for sharing.
#[derive(Default)]
pub(super) struct Sharing {
    pub(super) shown: Shown,
    publishers: Publishers,
}

/// Whoever is inside the gate of a board, with what it has come for.
pub(super) struct Turn<'a> {
    pub(super) record: Arc<BoardRecord>,
    pub(super) kind: &'a Arc<Kind>,
    pub(super) key: Key,
    pub(super) need: Need,
    /// What is shown now.
    pub(super) known: Option<&'a Snapshot>,
}

/// What came of asking for another server's board.
pub(super) enum Shared {
    /// It will do.
    Taken(Arc<Snapshot>),
    /// It is merged here; with a lease, for all.
    Merge(Option<Held>),
}

impl Merger {
    /// What another server has published, where it serves; otherwise perhaps a lease.
    pub(super) async fn take(&self, turn: &Turn<'_>) -> Shared {
        let Some(boards) = self.router.store().shared() else {
            return Shared::Merge(None);
        };
        let too_large = |known: &Snapshot| wire::len(known) > boards.bytes_max();
        if turn.need.fresh || turn.known.is_some_and(too_large) {
            return Shared::Merge(None);
        }
        let shared = self.ask(boards, turn).await;
        if let Ok(Shared::Taken(_)) = &shared {
            self.counters.count_taken();
        }
        shared.unwrap_or(Shared::Merge(None))
    }

    /// Asks until there is a board, a lease, or no time left.
    async fn ask(&self, boards: &dyn SharedBoards, turn: &Turn<'_>) -> Result<Shared, StoreError> {
        let top = SharedTop {
            board: turn.record.clone(),
            window: turn.key.1,
            shape: wire::name_of(turn.shape(), self.settings.renderer_mark),
        };
        let version = turn.known_alike().map(|known| known.version.as_str());
        let give_up = Instant::now() + WAIT_MAX;
        let mut pause = POLL_MIN;
        loop {
            let (as_of, asked) = (self.now(), Instant::now());
            let not_before = self.not_before(turn);
            // Ages are of a moment after this one: no merge began before what they make of it.
            let since = turn.need.since;
            let seen = |age| {
                let (as_of, began) = (as_of.minus(age), asked.checked_sub(age)?);
                let late_enough = began >= not_before && since.is_none_or(|since| as_of >= since);
                late_enough.then_some((as_of, began))
            };
            let age_max = asked.saturating_duration_since(not_before);
            let age_max = since.map_or(age_max, |since| age_max.min(between(since, as_of)));
            let snapshot = match boards.take(&top, version, age_max).await? {
                Taken::Board { bytes, age } => {
                    seen(age).and_then(|(as_of, began)| turn.snapshot(&bytes, as_of, began))
                }
                Taken::Unchanged { age } => turn
                    .known_alike()
                    .zip(seen(age))
                    .map(|(known, (as_of, began))| known.seen_again(as_of, began, false, true)),
                Taken::Merge(lease) => {
                    let held = self.boards.sharing.publishers.held(
                        self.router.store(),
                        top,
                        lease,
                        turn.kind.max_staleness(),
                    );
                    return Ok(Shared::Merge(Some(held)));
                }
                Taken::Wait(left) if Instant::now() < give_up => {
                    let patience = give_up.saturating_duration_since(Instant::now());
                    tokio::time::sleep(pause.min(left).min(patience)).await;
                    pause = (pause * 2).min(POLL_MAX);
                    continue;
                }
                Taken::Wait(_) => None,
            };
            return Ok(snapshot.map_or(Shared::Merge(None), |snapshot| {
                Shared::Taken(Arc::new(snapshot))
            }));
        }
    }

    /// When the merge of a board that is taken has to have begun.
    fn not_before(&self, turn: &Turn<'_>) -> Instant {
        let not_before = turn.need.not_before;
        // Where there is one, its version is held against what is taken.
        let last = match turn.known {
            Some(_) => None,
            None => self.boards.sharing.shown.last(&turn.key),
        };
        last.map_or(not_before, |last| not_before.max(last))
    }
}

/// How long it is from one moment to a later one; nothing where it is not later.
fn between(from: Timestamp, to: Timestamp) -> Duration {
    let ms = to.millis().saturating_sub(from.millis());
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}

impl Turn<'_> {
    fn shape(&self) -> Shape {
        Shape::of(self.kind)
    }

    /// What is shown now, if it has the shape that is wanted.
    fn known_alike(&self) -> Option<&Snapshot> {
        self.known.filter(|known| known.shape == self.shape())
    }

    /// The snapshot that another server published as these bytes, if it may be shown here.
    fn snapshot(&self, bytes: &[u8], as_of: Timestamp, began: Instant) -> Option<Snapshot> {
        let Content {
            vector,
            members,
            rendered,
        } = wire::read(bytes)?;
        let is_this = vector.incarnation() == Some(self.record.incarnation)
            && vector.ranks() == self.kind.rank_style()
            && vector.hidden() == self.kind.hidden().digest()
            && vector.shards().len() == usize::from(self.record.shards.get());
        let goes_on = |known: &Snapshot| vector.continues(&known.vector);
        (is_this && self.known.is_none_or(goes_on)).then(|| Snapshot {
            version: vector.to_string(),
            as_of,
            activity: self.record.activity,
            members,
            rendered,
            vector,
            shape: self.shape(),
            began,
            unsettled: false,
            durable: OnceLock::new(),
            taken: true,
            kept: OnceLock::new(),
        })
    }
}
