//! [`Publisher`]: hears of changed boards, and has them published.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Kind, KindName, PublishTarget, PublishTargets, TargetName, Timestamp};
use merger::Merger;
use metering::Registry;
use parking_lot::Mutex;
use shard_router::{BoardChange, Router, Watcher};
use shard_store::Clock;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::credentials::Credentials;
use crate::lane::Lane;
use crate::marks::{Extent, MarkedBoard};
use crate::metrics::Targets;
use crate::target::{Access, Target};
use crate::walk::{Walks, walk};

/// How often it is looked whether kinds are published otherwise than before.
const KINDS_EVERY: Duration = Duration::from_millis(500);

/// How long what waits may take to be published at a stop.
const STOP_WAIT_MAX: Duration = Duration::from_secs(5);

/// How often it is looked whether that is done.
const STOP_POLL: Duration = Duration::from_millis(10);

/// What a publisher is given.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The servers that kinds may refer to; nothing is published anywhere else.
    pub targets: PublishTargets,
    /// The logins for them.
    pub credentials: Credentials,
}

/// What everything here works with.
pub(crate) struct Service {
    pub(crate) router: Arc<Router>,
    pub(crate) merger: Arc<Merger>,
    pub(crate) walks: Walks,
    clock: Clock,
    settings: Settings,
    lanes: Mutex<HashMap<TargetName, Running>>,
}

struct Running {
    lane: Arc<Lane>,
    task: JoinHandle<()>,
}

/// Publishes the boards of kinds that say so, from its start to its stop.
pub struct Publisher {
    service: Arc<Service>,
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
        let service = Arc::new(Service {
            router,
            merger,
            walks: Walks::default(),
            clock,
            settings,
            lanes: Mutex::default(),
        });
        service.router.watch(Arc::new(Watch(service.clone())));
        let tasks = vec![
            tokio::spawn(walk(service.clone())),
            tokio::spawn(follow_kinds(service.clone())),
        ];
        Self { service, tasks }
    }

    /// Names what is counted of each target, which goes on being counted.
    pub fn register_metrics(&self, registry: &mut Registry) {
        let targets = Targets(Arc::downgrade(&self.service));
        registry.register_collector(Box::new(targets));
    }

    /// Publishes what waits, as far as that is quickly done, and ends.
    pub async fn stop(self) {
        for task in &self.tasks {
            task.abort();
        }
        let lanes = self.service.lanes();
        for lane in &lanes {
            lane.marks.hurry(Instant::now());
        }
        let end = Instant::now() + STOP_WAIT_MAX;
        let is_done = || {
            lanes
                .iter()
                .all(|lane| lane.is_away() || lane.marks.is_quiet())
        };
        while !is_done() && Instant::now() < end {
            sleep(STOP_POLL).await;
        }
        for (_, running) in self.service.lanes.lock().drain() {
            running.task.abort();
        }
    }
}

impl Service {
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// The lanes that there are.
    pub(crate) fn lanes(&self) -> Vec<Arc<Lane>> {
        let lanes = self.lanes.lock();
        lanes.values().map(|running| running.lane.clone()).collect()
    }

    /// The board's kind, if it is published at this target.
    pub(crate) fn published_at(&self, board: &BoardName, target: &TargetName) -> Option<Arc<Kind>> {
        let kind = self.published(board.kind())?;
        let is_here = self
            .target_of(&kind)
            .is_some_and(|(name, _)| name == target);
        is_here.then_some(kind)
    }

    /// The configured target of a kind; none where it is not published, or refers to none that there is.
    fn target_of(&self, kind: &Kind) -> Option<(&TargetName, &PublishTarget)> {
        self.settings.targets.resolve(&kind.publication()?.at)
    }

    fn published(&self, name: &KindName) -> Option<Arc<Kind>> {
        let known = self.router.catalogue().known(name.as_str())?;
        known.kind.publication()?;
        Some(known.kind)
    }

    /// The lane of the target that a kind is published at, started now if it was not.
    pub(crate) fn lane_of(self: &Arc<Self>, kind: &KindName) -> Option<Arc<Lane>> {
        let kind = self.published(kind)?;
        let (name, at) = self.target_of(&kind)?;
        let mut lanes = self.lanes.lock();
        if let Some(running) = lanes.get(name) {
            return Some(running.lane.clone());
        }
        let credentials = &self.settings.credentials;
        let access = Access {
            credentials,
            login: credentials.login(name),
            store: self.router.store(),
        };
        let target = Target::new(at, access);
        let lane = Arc::new(Lane::new(name.clone(), at.protocol, target));
        let task = tokio::spawn(lane.clone().run(self.clone()));
        let running = Running {
            lane: lane.clone(),
            task,
        };
        lanes.insert(name.clone(), running);
        Some(lane)
    }

    /// Has all boards of a kind gone through, or says why they are not published.
    fn begin(&self, kind: &Kind) {
        let name = kind.name();
        match (self.target_of(kind), kind.publication()) {
            (Some(_), _) => {
                self.walks.ask(name.clone());
            }
            (None, Some(publication)) => {
                let target = &publication.at;
                tracing::warn!(kind = %name, %target, "a kind is not published: its target is not configured (publish.targets)");
            }
            (None, None) => {}
        }
    }

    /// Has all boards gone through that are published at a target.
    pub(crate) fn walk_all_at(&self, target: &TargetName) {
        for kind in self.router.catalogue().kinds() {
            if self
                .target_of(&kind)
                .is_some_and(|(name, _)| name == target)
            {
                self.walks.ask(kind.name().clone());
            }
        }
    }

    /// Ends lanes of targets that no kind is published at any more.
    fn keep_lanes(&self, kinds: &[Arc<Kind>]) {
        let is_wanted = |target: &TargetName| {
            let mut wanted = kinds.iter().filter_map(|kind| self.target_of(kind));
            wanted.any(|(name, _)| name == target)
        };
        self.lanes.lock().retain(|target, running| {
            let stays = is_wanted(target);
            if !stays {
                running.task.abort();
            }
            stays
        });
    }
}

/// Passes what the router reports to the lanes.
struct Watch(Arc<Service>);

impl Watcher for Watch {
    fn board_changed(&self, board: &Arc<BoardName>, change: BoardChange<'_>) {
        self.each(board, change, Lane::mark);
    }

    fn board_may_change(&self, board: &Arc<BoardName>, change: BoardChange<'_>) {
        self.each(board, change, Lane::mark_twice);
    }
}

impl Watch {
    fn each(
        &self,
        board: &Arc<BoardName>,
        change: BoardChange<'_>,
        mark: fn(&Lane, &Service, MarkedBoard, Instant),
    ) {
        let Some(lane) = self.0.lane_of(board.kind()) else {
            return;
        };
        let now = Instant::now();
        let mark = |extent| {
            let board = board.clone();
            mark(&lane, &self.0, MarkedBoard { board, extent }, now);
        };
        match change {
            BoardChange::Windows(windows) => {
                for window in windows {
                    mark(Extent::Window(*window));
                }
            }
            BoardChange::Anywhere => mark(Extent::Anywhere),
        }
    }
}

/// Has all boards of a kind published when it begins to be, and when it changes.
async fn follow_kinds(service: Arc<Service>) {
    let mut walked: HashMap<KindName, Arc<Kind>> = HashMap::new();
    loop {
        let mut kinds = service.router.catalogue().kinds();
        kinds.retain(|kind| kind.publication().is_some());
        for kind in &kinds {
            let before = walked.insert(kind.name().clone(), kind.clone());
            if before.is_none_or(|before| before != *kind) {
                service.begin(kind);
            }
        }
        walked.retain(|name, _| kinds.iter().any(|kind| kind.name() == name));
        service.keep_lanes(&kinds);
        sleep(KINDS_EVERY).await;
    }
}

#[cfg(test)]
mod tests;
