//! The interface of this crate: [`Publisher`].

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Kind, KindName, PublishTargets};
use merger::Merger;
use metering::Registry;
use shard_router::{BoardChange, Router, Watcher};
use shard_store::Clock;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::context::Context;
use crate::credentials::Credentials;
use crate::item::{Extent, Item};
use crate::lane::Lane;
use crate::lanes::Lanes;
use crate::metrics::TargetsCollector;
use crate::scan::run_scans;
use crate::scan_queue::ScanQueue;

/// The interval at which the kinds are compared with the previous ones.
const KINDS_EVERY: Duration = Duration::from_millis(500);

/// The time for which a stop waits for pending items to be published.
const STOP_WAIT_MAX: Duration = Duration::from_secs(5);

/// The interval at which a stop checks whether items are pending.
const STOP_POLL: Duration = Duration::from_millis(10);

/// The settings of a publisher.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The servers that kinds may refer to. No other server is published to.
    pub targets: PublishTargets,
    /// The logins for these servers.
    pub credentials: Credentials,
}

/// Publishes the boards of all kinds with a publication, from its start to its stop.
pub struct Publisher {
    lanes: Arc<Lanes>,
    tasks: Vec<JoinHandle<()>>,
}

impl Publisher {
    /// Starts publishing: all boards of published kinds once, and from now on those that change.
    #[must_use]
    pub fn start(
        router: Arc<Router>,
        merger: Arc<Merger>,
        clock: Clock,
        settings: Settings,
    ) -> Self {
        let context = Arc::new(Context {
            router,
            merger,
            scans: ScanQueue::default(),
            clock,
            targets: settings.targets,
        });
        let lanes = Arc::new(Lanes::new(context.clone(), settings.credentials));
        context.router.watch(Arc::new(RouterWatcher(lanes.clone())));
        let tasks = vec![
            tokio::spawn(run_scans(lanes.clone())),
            tokio::spawn(follow_kinds(lanes.clone())),
        ];
        Self { lanes, tasks }
    }

    /// Registers the metrics of all targets.
    pub fn register_metrics(&self, registry: &mut Registry) {
        let targets = TargetsCollector(Arc::downgrade(&self.lanes));
        registry.register_collector(Box::new(targets));
    }

    /// Publishes pending items for a limited time, and stops.
    pub async fn stop(self) {
        for task in &self.tasks {
            task.abort();
        }
        let lanes = self.lanes.all();
        for lane in &lanes {
            lane.pending.drain(Instant::now());
        }
        let end = Instant::now() + STOP_WAIT_MAX;
        let is_done = || {
            lanes
                .iter()
                .all(|lane| lane.is_unreachable() || lane.pending.is_quiet())
        };
        while !is_done() && Instant::now() < end {
            sleep(STOP_POLL).await;
        }
        self.lanes.stop();
    }
}

/// Adds the boards that the router reports as changed to their lanes.
struct RouterWatcher(Arc<Lanes>);

impl Watcher for RouterWatcher {
    fn board_changed(&self, board: &Arc<BoardName>, change: BoardChange<'_>) {
        self.add(board, change, Lane::add);
    }

    fn board_may_change(&self, board: &Arc<BoardName>, change: BoardChange<'_>) {
        self.add(board, change, Lane::add_twice);
    }
}

impl RouterWatcher {
    fn add(
        &self,
        board: &Arc<BoardName>,
        change: BoardChange<'_>,
        add: fn(&Lane, &Context, Item, Instant),
    ) {
        let Some(lane) = self.0.lane_of(board.kind()) else {
            return;
        };
        let now = Instant::now();
        let add = |extent| {
            let board = board.clone();
            add(&lane, &self.0.context, Item { board, extent }, now);
        };
        match change {
            BoardChange::Windows(windows) => {
                for window in windows {
                    add(Extent::Window(*window));
                }
            }
            BoardChange::Anywhere => add(Extent::Any),
        }
    }
}

/// Publishes all boards of a kind when it begins to be published and when it changes, and stops lanes without a kind.
async fn follow_kinds(lanes: Arc<Lanes>) {
    let context = &lanes.context;
    let mut followed: HashMap<KindName, Arc<Kind>> = HashMap::new();
    loop {
        let mut kinds = context.router.catalogue().kinds();
        kinds.retain(|kind| kind.publication().is_some());
        for kind in &kinds {
            let before = followed.insert(kind.name().clone(), kind.clone());
            if before.is_none_or(|before| before != *kind) {
                begin(context, kind);
            }
        }
        followed.retain(|name, _| kinds.iter().any(|kind| kind.name() == name));
        lanes.retain(&kinds);
        sleep(KINDS_EVERY).await;
    }
}

/// Requests a scan of a published kind, or logs that its target is not configured.
fn begin(context: &Context, kind: &Kind) {
    let name = kind.name();
    match (context.target_of(kind), kind.publication()) {
        (Some(_), _) => {
            context.scans.request(name.clone());
        }
        (None, Some(publication)) => {
            let target = &publication.target;
            tracing::warn!(kind = %name, %target, "a kind is not published: its target is not configured (publish.targets)");
        }
        (None, None) => {}
    }
}

#[cfg(test)]
mod tests;
