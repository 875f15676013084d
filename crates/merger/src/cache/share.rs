//! Shares merges with other servers: uses what one of them has published, or merges for all.
//!
//! **Invariant:** sharing only saves merges. If anything goes wrong with it, this server merges
//! itself: no lease, no board, a damaged board, one that is older than what was shown here. A
//! shared board is identified by its version, so that no two servers show different boards under
//! one version. Its age is measured by one clock, the store's.
//!
//! A lease that is not used is released (`publish`); one that is lost expires by itself.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use board::{Kind, Timestamp};
use shard_router::KnownBoard;
use shard_store::{SharedBoards, SharedTake, SharedTop, StoreError, StoreServers};
use tokio::time::Instant;

use super::kept::KeptResponses;
use super::publish::{End, HeldLease};
use super::snapshot::{Key, Need, Shape, Snapshot};
use super::wire;
use crate::merger::Merger;

/// Maximum wait for another server's merge.
const WAIT_MAX: Duration = Duration::from_secs(1);

/// The first interval between two polls for another server's merge; doubled each time.
const POLL_MIN: Duration = Duration::from_millis(4);

/// The maximum interval between two polls for another server's merge.
const POLL_MAX: Duration = Duration::from_millis(64);

/// The caller that is about to merge a board, and what it needs.
pub(super) struct MergeRequest<'a> {
    pub(super) record: Arc<KnownBoard>,
    pub(super) kind: &'a Arc<Kind>,
    pub(super) key: Key,
    pub(super) need: Need,
    /// The snapshot that is currently served.
    pub(super) known: Option<&'a Snapshot>,
}

/// The result of asking for another server's board.
pub(super) enum SharedMerge {
    /// Another server's board can be used.
    Taken(Arc<Snapshot>),
    /// The board has to be merged here; with a lease, for all servers.
    Merge(Option<HeldLease>),
}

impl Merger {
    /// Returns what another server has published, if it can be used; otherwise possibly a lease.
    pub(super) async fn take(&self, request: &MergeRequest<'_>) -> SharedMerge {
        let servers = self.router.store().capabilities().servers;
        let Some(boards) = servers.and_then(StoreServers::shared) else {
            return SharedMerge::Merge(None);
        };
        let too_large = |known: &Snapshot| wire::len_max(known) > boards.bytes_max();
        if request.need.fresh || request.known.is_some_and(too_large) {
            return SharedMerge::Merge(None);
        }
        let shared = self.ask(boards, request).await;
        if let Ok(SharedMerge::Taken(_)) = &shared {
            self.counters.count_taken();
        }
        shared.unwrap_or(SharedMerge::Merge(None))
    }

    /// Polls until there is a board, a lease, or no time left.
    async fn ask(
        &self,
        boards: &dyn SharedBoards,
        request: &MergeRequest<'_>,
    ) -> Result<SharedMerge, StoreError> {
        let top = SharedTop {
            board: Arc::new((**request.record).clone()),
            window: request.key.1,
            shape: wire::name_of(
                request.shape(),
                &request.record.activity,
                self.settings.renderer_format,
            ),
        };
        let version = request.known_alike().map(|known| known.version.as_str());
        let give_up = Instant::now() + WAIT_MAX;
        let mut pause = POLL_MIN;
        loop {
            let (as_of, asked) = (self.now(), Instant::now());
            let not_before = self.not_before(request);
            // Ages are measured later than this, so no merge began earlier than they say.
            let since = request.need.since;
            let seen = |age| {
                let (as_of, began) = (as_of.minus(age), asked.checked_sub(age)?);
                let late_enough = began >= not_before && since.is_none_or(|since| as_of >= since);
                late_enough.then_some((as_of, began))
            };
            let age_max = asked.saturating_duration_since(not_before);
            let age_max = since.map_or(age_max, |since| age_max.min(as_of.since(since)));
            let snapshot = match boards.acquire(&top, version, age_max).await? {
                SharedTake::Board { bytes, age } => {
                    seen(age).and_then(|(as_of, began)| request.snapshot(&bytes, as_of, began))
                }
                SharedTake::Unchanged { age } => request
                    .known_alike()
                    .zip(seen(age))
                    .map(|(known, (as_of, began))| known.seen_again(as_of, began, false, true)),
                SharedTake::Merge(lease) => {
                    let end = End {
                        store: self.router.store().clone(),
                        top,
                        lease,
                        staleness: request.kind.max_staleness(),
                    };
                    let held = HeldLease::new(end, &self.boards.publishing);
                    return Ok(SharedMerge::Merge(Some(held)));
                }
                SharedTake::Wait(left) if Instant::now() < give_up => {
                    let wait_max = give_up.saturating_duration_since(Instant::now());
                    tokio::time::sleep(pause.min(left).min(wait_max)).await;
                    pause = (pause * 2).min(POLL_MAX);
                    continue;
                }
                SharedTake::Wait(_) => None,
            };
            return Ok(snapshot.map_or(SharedMerge::Merge(None), |snapshot| {
                SharedMerge::Taken(Arc::new(snapshot))
            }));
        }
    }

    /// Returns the earliest beginning of a merge that may be used.
    fn not_before(&self, request: &MergeRequest<'_>) -> Instant {
        let not_before = request.need.not_before;
        // If there is a known snapshot, its version is compared with that of the shared one.
        let last = match request.known {
            Some(_) => None,
            None => self.boards.shown.last(&request.key),
        };
        last.map_or(not_before, |last| not_before.max(last))
    }
}

impl MergeRequest<'_> {
    fn shape(&self) -> Shape {
        Shape::of(self.kind)
    }

    /// Returns the current snapshot if it has the required shape, and the board's current activity.
    fn known_alike(&self) -> Option<&Snapshot> {
        let is_alike = |known: &&Snapshot| {
            known.shape == self.shape() && known.activity == self.record.activity
        };
        self.known.filter(is_alike)
    }

    /// Decodes the snapshot that another server published, if it may be shown here.
    fn snapshot(&self, bytes: &[u8], as_of: Timestamp, began: Instant) -> Option<Snapshot> {
        let content = wire::read(bytes)?;
        let vector = &*content.vector;
        let is_this = vector.incarnation() == Some(self.record.incarnation)
            && vector.ranks() == self.kind.rank_style()
            && vector.hidden() == self.kind.hidden().digest()
            && (self.kind.is_dense()
                || vector.shards().len() == usize::from(self.record.shards.get()));
        let goes_on = |known: &Snapshot| vector.continues(&known.vector);
        if !is_this || !self.known.is_none_or(goes_on) {
            return None;
        }
        let rendered = content.rendered();
        Some(Snapshot {
            version: vector.text(),
            as_of,
            activity: self.record.activity,
            members: content.members,
            kept: KeptResponses::of(rendered.bytes.len()),
            rendered,
            profiles: None,
            vector: content.vector.into_owned(),
            shape: self.shape(),
            began,
            unsettled: false,
            durable: OnceLock::new(),
            taken: true,
        })
    }
}
