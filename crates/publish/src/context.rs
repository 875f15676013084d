//! The parts of the service that publishing uses: [`Context`].

use std::sync::Arc;

use board::{BoardName, Kind, KindName, PublishTarget, PublishTargets, TargetName, Timestamp};
use merger::Merger;
use shard_router::Router;
use shard_store::Clock;

use crate::scan_queue::ScanQueue;

/// The router, the merger and the configured targets.
pub(crate) struct Context {
    pub(crate) router: Arc<Router>,
    pub(crate) merger: Arc<Merger>,
    pub(crate) scans: ScanQueue,
    pub(crate) clock: Clock,
    pub(crate) targets: PublishTargets,
}

impl Context {
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Returns the kind with this name, if it is published.
    pub(crate) fn published_kind(&self, name: &KindName) -> Option<Arc<Kind>> {
        let known = self.router.catalogue().known(name.as_str())?;
        known.kind.publication()?;
        Some(known.kind)
    }

    /// Returns the board's kind, if it is published at this target.
    pub(crate) fn published_at(&self, board: &BoardName, target: &TargetName) -> Option<Arc<Kind>> {
        let kind = self.published_kind(board.kind())?;
        let is_here = self
            .target_of(&kind)
            .is_some_and(|(name, _)| name == target);
        is_here.then_some(kind)
    }

    /// Returns the configured target of a kind; `None` if the kind is not published, or its target is not configured.
    pub(crate) fn target_of(&self, kind: &Kind) -> Option<(&TargetName, &PublishTarget)> {
        self.targets.get(&kind.publication()?.target)
    }

    /// Requests a scan of all boards that are published at a target.
    pub(crate) fn scan_all_at(&self, target: &TargetName) {
        for kind in self.router.catalogue().kinds() {
            if self
                .target_of(&kind)
                .is_some_and(|(name, _)| name == target)
            {
                self.scans.request(kind.name().clone());
            }
        }
    }
}
