//! Publishing at one target: [`Lane`], which publishes pending items, a few at once, and retries those that fail.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use crate::context::Context;
use crate::item::{Extent, Item};
use crate::outage::Outage;
use crate::outcome::{Outcome, OutcomeCounters, Published};
use crate::pending::Pending;
use crate::publication::publish;
use crate::schedule::Schedule;
use crate::target::{Target, TargetError};
use crate::windows::windows_to_publish;

/// The number of items of one target that are published at once.
const AT_ONCE_MAX: usize = 8;

/// The wait before a retry if a board cannot be read or the target rejected it.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The time for which a store may still apply a change after the request has failed: the longest deadline of a write.
const MAY_CHANGE_FOR: Duration = Duration::from_secs(15);

/// The minimum interval between two log lines about rejections by a target.
const REJECTIONS_LOGGED_EVERY: Duration = Duration::from_mins(1);

/// The number of items that are known to have been logged.
const REPORTED_MAX: usize = 1_000;

/// The longest wait of a lane without pending items.
const IDLE_WAIT: Duration = Duration::from_hours(1);

/// A target, and the items to be published there.
pub(crate) struct Lane {
    pub(crate) target: Target,
    pub(crate) pending: Pending,
    schedule: Mutex<Schedule>,
    is_unreachable: AtomicBool,
    pub(crate) outcomes: OutcomeCounters,
}

/// The state of a lane's task.
struct Run<'a> {
    lane: &'a Lane,
    context: &'a Context,
    outage: Outage,
    /// Items whose problem was logged.
    reported: HashSet<Item>,
    rejection_logged: Option<Instant>,
}

impl Lane {
    pub(crate) fn new(target: Target) -> Self {
        Self {
            target,
            pending: Pending::default(),
            schedule: Mutex::default(),
            is_unreachable: AtomicBool::new(false),
            outcomes: OutcomeCounters::default(),
        }
    }

    /// Returns whether the last attempt did not reach the target.
    pub(crate) fn is_unreachable(&self) -> bool {
        self.is_unreachable.load(Ordering::Relaxed)
    }

    /// Adds an item to be published. If there are too many, requests a scan of its kind instead.
    pub(crate) fn add(&self, context: &Context, item: Item, now: Instant) {
        let kind = item.board.kind().clone();
        if !self.pending.add(item, now) && context.scans.request(kind.clone()) {
            let target = &self.target.name;
            tracing::warn!(%kind, %target, "too many boards wait to be published: all boards of the kind are checked later");
        }
    }

    /// Adds an item now, and again once the store can no longer apply the change.
    pub(crate) fn add_twice(&self, context: &Context, item: Item, now: Instant) {
        self.schedule.lock().add(item.clone(), now + MAY_CHANGE_FOR);
        self.add(context, item, now);
    }

    /// Publishes pending items, forever.
    pub(crate) async fn run(self: Arc<Self>, context: Arc<Context>) {
        let mut run = Run {
            lane: &self,
            context: &context,
            outage: Outage::default(),
            reported: HashSet::new(),
            rejection_logged: None,
        };
        let mut running = FuturesUnordered::new();
        loop {
            let now = Instant::now();
            self.add_scheduled(&context, now);
            while running.len() < run.at_once(now)
                && let Some(item) = self.pending.take(now)
            {
                running.push(self.attempt(&context, item));
            }
            let may_start = running.len() < run.at_once(now);
            let wake = sleep_until(run.wake(now, may_start));
            tokio::select! {
                Some((item, outcome)) = running.next() => run.finish(item, outcome),
                () = self.pending.changed() => {}
                () = wake => {}
            }
        }
    }

    /// Adds the scheduled items that are due, and requests the scans that are due.
    fn add_scheduled(&self, context: &Context, now: Instant) {
        let mut schedule = self.schedule.lock();
        while let Some(item) = schedule.take(now) {
            self.add(context, item, now);
        }
        for kind in schedule.take_scans(now) {
            context.scans.request(kind);
        }
    }

    async fn attempt(&self, context: &Context, item: Item) -> (Item, Outcome) {
        let board = &item.board;
        let outcome = match item.extent {
            Extent::Window(window) => publish(context, &self.target, board, window).await,
            extent => windows_to_publish(context, &self.target.name, board, extent).await,
        };
        (item, outcome)
    }
}

impl Run<'_> {
    /// Returns the number of items that may be published at once now. During an outage a single one tries whether the
    /// target is reachable again.
    fn at_once(&self, now: Instant) -> usize {
        match self.outage.retry_at(now) {
            Some(_) => 0,
            None if self.outage.is_on() => 1,
            None => AT_ONCE_MAX,
        }
    }

    fn wake(&self, now: Instant, may_start: bool) -> Instant {
        let next = may_start.then(|| self.lane.pending.next()).flatten();
        let scheduled = self.lane.schedule.lock().next();
        let times = [next, self.outage.retry_at(now), scheduled];
        let first = times.into_iter().flatten().min();
        first.unwrap_or(now + IDLE_WAIT)
    }

    fn finish(&mut self, item: Item, outcome: Outcome) {
        let now = Instant::now();
        let pending = &self.lane.pending;
        self.lane.outcomes.count(&outcome);
        match outcome {
            Outcome::Published(published) => self.published(item, published, now),
            Outcome::NotHere => pending.done(item, now, Duration::ZERO),
            Outcome::Overtaken(every) => {
                self.reached(now);
                pending.retry(item, now, every);
            }
            Outcome::Windows(windows) => {
                for window in windows {
                    let board = item.board.clone();
                    let extent = Extent::Window(window);
                    self.lane.add(self.context, Item { board, extent }, now);
                }
                pending.done(item, now, RETRY_AFTER);
            }
            Outcome::Unreadable(error) => {
                tracing::debug!(board = %item.board, %error, "a board could not be read for publishing");
                pending.retry(item, now, RETRY_AFTER);
            }
            Outcome::Failed(TargetError::Unreachable(why)) => {
                self.unreachable(&why, now);
                pending.retry(item, now, Duration::ZERO);
            }
            Outcome::Failed(TargetError::Rejected(why)) => {
                self.reached(now);
                self.rejected(&item, &why, now);
                pending.retry(item, now, RETRY_AFTER);
            }
            Outcome::Unnamed(why) => {
                self.report_once(&item, &why, "a board cannot be published");
                pending.done(item, now, RETRY_AFTER);
            }
        }
    }

    fn published(&mut self, item: Item, published: Published, now: Instant) {
        self.reached(now);
        if let Some((wait, extent)) = published.next {
            let board = item.board.clone();
            let next = Item { board, extent };
            self.lane.schedule.lock().add(next, now + wait);
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
        if published.check_again {
            self.lane.add(self.context, item.clone(), now);
        }
        self.lane.pending.done(item, now, published.every);
    }

    /// Logs the problem of an item, once until the item is published without it.
    fn report_once(&mut self, item: &Item, why: &str, what: &str) {
        if self.reported.len() >= REPORTED_MAX {
            self.reported.clear();
        }
        if self.reported.insert(item.clone()) {
            let target = &self.lane.target.name;
            tracing::warn!(board = %item.board, %target, why, "{what}");
        }
    }

    fn unreachable(&mut self, why: &str, now: Instant) {
        if self.outage.fail(now) {
            let target = &self.lane.target.name;
            tracing::warn!(%target, why, "boards cannot be published; retrying until the target is reachable");
        }
        self.lane.is_unreachable.store(true, Ordering::Relaxed);
    }

    fn reached(&mut self, now: Instant) {
        let target = &self.lane.target.name;
        if self.lane.target.take_replaced() {
            tracing::info!(%target, "the target was restarted or replaced: all boards are checked");
            self.context.scan_all_at(target);
        }
        if let Some(away) = self.outage.end(now) {
            let boards = self.lane.pending.len();
            tracing::info!(%target, ?away, boards, "boards are published again");
            self.lane.is_unreachable.store(false, Ordering::Relaxed);
            // The target may have lost its data during the outage.
            self.context.scan_all_at(target);
        }
    }

    fn rejected(&mut self, item: &Item, why: &str, now: Instant) {
        let logged = self.rejection_logged;
        if logged.is_none_or(|logged| now - logged >= REJECTIONS_LOGGED_EVERY) {
            self.rejection_logged = Some(now);
            let target = &self.lane.target.name;
            tracing::warn!(board = %item.board, %target, why, "the target refused a board");
        }
    }
}
