//! What every handler shares.

use std::sync::Arc;

use board::Timestamp;
use merger::{Clock, Merger};
use shard_router::{KnownKind, Router};

use crate::problem::Problem;

/// The service behind the routes.
pub struct App {
    /// The way of writes.
    pub router: Arc<Router>,
    /// The way of reads.
    pub merger: Arc<Merger>,
    /// The server's clock.
    pub clock: Clock,
}

impl App {
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// The kind of this name, or 404.
    pub(crate) async fn kind(&self, name: &str) -> Result<KnownKind, Problem> {
        let known = self.router.catalogue().kind(name).await?;
        known.ok_or_else(|| Problem::unknown_kind(name))
    }
}
