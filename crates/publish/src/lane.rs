//! What is published at one target: [`Lane`], which takes what is marked, a few at once, and tries again
//! what fails.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use board::{PublishProtocol, TargetName};
use futures::stream::{FuturesUnordered, StreamExt};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use crate::ends::Ends;
use crate::marks::{Extent, MarkedBoard, Marks};
use crate::metrics::LaneMetrics;
use crate::outage::Outage;
use crate::publication::{Outcome, Published, publish};
use crate::publisher::Service;
use crate::spread::spread;
use crate::target::{Fault, Target};

/// Items of one target that are under way at once.
const AT_ONCE_MAX: usize = 8;

/// How long a board that cannot be read, or that its target refuses, is left alone.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// How long a store may take over a change that no request waits for any more: the longest deadline of a write.
const MAY_CHANGE_FOR: Duration = Duration::from_secs(15);

/// How often it is logged that a target refuses something.
const REFUSALS_LOGGED_EVERY: Duration = Duration::from_mins(1);

/// Items whose problem is remembered as logged.
const REPORTED_MAX: usize = 1_000;

/// Longest wait of a lane that has nothing to do.
const IDLE_WAIT: Duration = Duration::from_hours(1);

/// A target, and what is to be published there.
pub(crate) struct Lane {
    name: TargetName,
    protocol: PublishProtocol,
    target: Target,
    pub(crate) marks: Marks,
    ends: Mutex<Ends>,
    is_away: AtomicBool,
    metrics: LaneMetrics,
}

/// What a lane remembers while it runs.
struct Run<'a> {
    lane: &'a Lane,
    service: &'a Service,
    outage: Outage,
    /// Items whose problem was logged.
    reported: HashSet<MarkedBoard>,
    refusal_logged: Option<Instant>,
}

impl Lane {
    pub(crate) fn new(name: TargetName, protocol: PublishProtocol, target: Target) -> Self {
        Self {
            name,
            protocol,
            target,
            marks: Marks::default(),
            ends: Mutex::default(),
            is_away: AtomicBool::new(false),
            metrics: LaneMetrics::default(),
        }
    }

    /// The name of the target. Its address is known to the configuration alone.
    pub(crate) const fn name(&self) -> &TargetName {
        &self.name
    }

    pub(crate) const fn protocol(&self) -> PublishProtocol {
        self.protocol
    }

    pub(crate) const fn target(&self) -> &Target {
        &self.target
    }

    pub(crate) const fn metrics(&self) -> &LaneMetrics {
        &self.metrics
    }

    /// Whether its target was not reached when it was last tried.
    pub(crate) fn is_away(&self) -> bool {
        self.is_away.load(Ordering::Relaxed)
    }

    /// Marks an item; where there is no room, all boards of its kind are gone through later.
    pub(crate) fn mark(&self, service: &Service, item: MarkedBoard, now: Instant) {
        let kind = item.board.kind().clone();
        if !self.marks.mark(item, now) && service.walks.ask(kind.clone()) {
            let target = &self.name;
            tracing::warn!(%kind, %target, "too many boards wait to be published: all boards of the kind are checked later");
        }
    }

    /// Marks an item now, and once more when the store has surely ended what it was given: until then it may change.
    pub(crate) fn mark_twice(&self, service: &Service, item: MarkedBoard, now: Instant) {
        self.ends.lock().add(item.clone(), now + MAY_CHANGE_FOR);
        self.mark(service, item, now);
    }

    /// Publishes what is marked, without end.
    pub(crate) async fn run(self: Arc<Self>, service: Arc<Service>) {
        let mut run = Run {
            lane: &self,
            service: &service,
            outage: Outage::default(),
            reported: HashSet::new(),
            refusal_logged: None,
        };
        let mut running = FuturesUnordered::new();
        loop {
            let now = Instant::now();
            self.end(&service, now);
            while running.len() < run.at_once(now)
                && let Some(item) = self.marks.take(now)
            {
                running.push(self.one(&service, item));
            }
            let has_room = running.len() < run.at_once(now);
            let wake = sleep_until(run.wake(now, has_room));
            tokio::select! {
                Some((item, outcome)) = running.next() => run.finish(item, outcome),
                () = self.marks.changed() => {}
                () = wake => {}
            }
        }
    }

    /// Marks what ends now.
    fn end(&self, service: &Service, now: Instant) {
        let mut ends = self.ends.lock();
        while let Some(item) = ends.take(now) {
            self.mark(service, item, now);
        }
        for kind in ends.take_walks(now) {
            service.walks.ask(kind);
        }
    }

    async fn one(&self, service: &Service, item: MarkedBoard) -> (MarkedBoard, Outcome) {
        let board = &item.board;
        let outcome = match item.extent {
            Extent::Window(window) => publish(service, self, board, window).await,
            extent => spread(service, &self.name, board, extent).await,
        };
        (item, outcome)
    }
}

impl Run<'_> {
    /// Items that may be under way now: one asks whether a target is back.
    fn at_once(&self, now: Instant) -> usize {
        match self.outage.until(now) {
            Some(_) => 0,
            None if self.outage.is_on() => 1,
            None => AT_ONCE_MAX,
        }
    }

    fn wake(&self, now: Instant, has_room: bool) -> Instant {
        let next = has_room.then(|| self.lane.marks.next()).flatten();
        let times = [next, self.outage.until(now), self.lane.ends.lock().next()];
        let first = times.into_iter().flatten().min();
        first.unwrap_or(now + IDLE_WAIT)
    }

    fn finish(&mut self, item: MarkedBoard, outcome: Outcome) {
        let now = Instant::now();
        let marks = &self.lane.marks;
        self.lane.metrics.count(&outcome);
        match outcome {
            Outcome::Published(published) => self.published(item, published, now),
            Outcome::NotHere => marks.done(item, now, Duration::ZERO),
            Outcome::Overtaken(every) => {
                self.reached(now);
                marks.again(item, now, every);
            }
            Outcome::Spread(windows) => {
                for window in windows {
                    let board = item.board.clone();
                    let extent = Extent::Window(window);
                    self.lane
                        .mark(self.service, MarkedBoard { board, extent }, now);
                }
                marks.done(item, now, AGAIN_AFTER);
            }
            Outcome::Unreadable(error) => {
                tracing::debug!(board = %item.board, %error, "a board could not be read for publishing");
                marks.again(item, now, AGAIN_AFTER);
            }
            Outcome::Failed(Fault::Away(why)) => {
                self.away(&why, now);
                marks.again(item, now, Duration::ZERO);
            }
            Outcome::Failed(Fault::Refused(why)) => {
                self.reached(now);
                self.refused(&item, &why, now);
                marks.again(item, now, AGAIN_AFTER);
            }
            Outcome::Unnamed(why) => {
                self.report_once(&item, &why, "a board cannot be published");
                marks.done(item, now, AGAIN_AFTER);
            }
        }
    }

    fn published(&mut self, item: MarkedBoard, published: Published, now: Instant) {
        self.reached(now);
        if let Some((wait, extent)) = published.next {
            let board = item.board.clone();
            let end = MarkedBoard { board, extent };
            self.lane.ends.lock().add(end, now + wait);
        }
        match published.inexact {
            Some(why) => {
                let what = "a board is published as JSON only: its encoding cannot represent it";
                self.report_once(&item, &why, what);
            }
            None => {
                self.reported.remove(&item);
            }
        }
        if published.again {
            self.lane.mark(self.service, item.clone(), now);
        }
        self.lane.marks.done(item, now, published.every);
    }

    /// Once for each item, until it is published as it should be.
    fn report_once(&mut self, item: &MarkedBoard, why: &str, what: &str) {
        if self.reported.len() >= REPORTED_MAX {
            self.reported.clear();
        }
        if self.reported.insert(item.clone()) {
            tracing::warn!(board = %item.board, target = %self.lane.name, why, "{what}");
        }
    }

    fn away(&mut self, why: &str, now: Instant) {
        if self.outage.begin(now) {
            let target = &self.lane.name;
            tracing::warn!(%target, why, "boards cannot be published; retrying until the target is reachable");
        }
        self.lane.is_away.store(true, Ordering::Relaxed);
    }

    fn reached(&mut self, now: Instant) {
        if self.lane.target.take_another() {
            let target = &self.lane.name;
            tracing::info!(%target, "the target was restarted or replaced: all boards are checked");
            self.service.walk_all_at(target);
        }
        if let Some(away) = self.outage.end(now) {
            let (target, boards) = (&self.lane.name, self.lane.marks.len());
            tracing::info!(%target, ?away, boards, "boards are published again");
            self.lane.is_away.store(false, Ordering::Relaxed);
            // It may have come back without what it had.
            self.service.walk_all_at(target);
        }
    }

    fn refused(&mut self, item: &MarkedBoard, why: &str, now: Instant) {
        let logged = self.refusal_logged;
        if logged.is_none_or(|logged| now - logged >= REFUSALS_LOGGED_EVERY) {
            self.refusal_logged = Some(now);
            let target = &self.lane.name;
            tracing::warn!(board = %item.board, %target, why, "the target refused a board");
        }
    }
}
