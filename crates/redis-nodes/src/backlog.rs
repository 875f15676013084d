//! The work that waits for a node, and how much of it may be under way on a connection:
//! [`Backlog`].
//!
//! What is sent to a node waits there before all other calls, and cannot be cancelled. So only as
//! much is sent as the node does within [`UNDER_WAY_MAX`] and a round trip, by its [`Pace`]; the
//! rest waits here, in the order of arrival. A distant node has as much more under way as is on its
//! way, so that it is never idle for the distance.
//!
//! **Invariant:** nothing queues at a node. A call that would wait past its deadline is rejected
//! before it is queued: calls in a queue that is longer than their deadlines fail anyway. So a
//! missing reply means that the node is silent, not busy: `Connection` then ends, so that nothing
//! is sent twice whose reply may still arrive.
//!
//! What is under way is limited by time: many small calls or few large ones, and fewer of a slow
//! node. A permit is a microsecond of a node without distance; a call takes as many as its estimated
//! work.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use crate::pace::{Pace, Sent};
use crate::redis_link::{Address, CommandError};
use shard_store::Overload;

/// The node's work that may be under way on one connection. A larger call is under way alone.
///
/// Redis processes all that has arrived over one connection before it looks at the next one. A
/// fresh top takes a few round trips, and a reader waits for so much work in each of them. With
/// less the node would wait for the next calls.
const UNDER_WAY_MAX: Duration = Duration::from_millis(25);

/// The part of what may be under way that may be combined into one call, so that several calls are
/// under way: while the node does one, the next one is there.
const JOINED_PART: (u32, u32) = (2, 5);

/// The number of calls that may be under way at first, and the number of replies after which the
/// pace is used: a node replies only after it has done all that it has read, so that many slow
/// calls would look like silence. And where few small calls happened to take long, a large one that
/// follows is not late.
const FIRST_CALLS: u32 = 10;

/// The maximum time of [`Backlog::drained`].
const DRAIN_MAX: Duration = Duration::from_secs(1);

/// What a call weighs in addition to its bytes: finding the function, reading the shard's `meta`.
const CALL_BYTES: u64 = 200;

/// Returns the weight of a call of so many bytes.
pub(crate) const fn call_weight(bytes: usize) -> u64 {
    CALL_BYTES + bytes as u64
}

/// The backlog of one connection.
#[derive(Debug)]
pub struct Backlog {
    address: Address,
    /// Only the next caller takes permits: callers that have some and wait for more could hold all
    /// of them.
    next: tokio::sync::Mutex<()>,
    permits: Arc<Semaphore>,
    load: Mutex<Load>,
}

/// How far counted work is.
#[derive(Debug, Clone, Copy)]
enum Stage {
    /// It is not yet a call.
    Gathered,
    /// It is a call that waits for permits.
    Waiting,
    /// It is a call that has them.
    UnderWay,
}

#[derive(Debug)]
struct Load {
    /// The number of calls that may be under way whatever they weigh, if that is the limit.
    calls_max: Option<u32>,
    pace: Pace,
    /// The number of replies.
    answers: u32,
    /// By [`Stage`].
    weights: [u64; 3],
}

impl Load {
    /// Returns the permits of a call.
    fn permits(&self, weight: u64) -> u32 {
        if let Some(calls_max) = self.calls_max {
            return permits_of(UNDER_WAY_MAX / calls_max);
        }
        let least = if self.answers < FIRST_CALLS {
            UNDER_WAY_MAX / FIRST_CALLS
        } else {
            Duration::ZERO
        };
        let distance = self.window().as_secs_f64() / UNDER_WAY_MAX.as_secs_f64();
        let work = self.pace.estimate(weight).min(self.window());
        permits_of(work.div_f64(distance).max(least))
    }

    /// Returns the node's work that may be under way.
    fn window(&self) -> Duration {
        UNDER_WAY_MAX + self.pace.trip()
    }

    fn weight(&self, stage: Stage) -> u64 {
        self.weights[stage as usize]
    }

    /// Returns how long the node needs for all calls.
    fn calls(&self) -> Duration {
        self.wait(self.weight(Stage::Waiting) + self.weight(Stage::UnderWay))
    }

    /// Returns how long it needs for everything.
    fn all(&self) -> Duration {
        self.wait(self.weights.iter().sum())
    }

    fn wait(&self, weight: u64) -> Duration {
        if self.answers < FIRST_CALLS {
            return Pace::at_least(weight);
        }
        self.pace.estimate(weight)
    }
}

/// Work that is counted until this is dropped.
#[derive(Debug)]
pub struct QueuedWork {
    backlog: Arc<Backlog>,
    weight: u64,
    stage: Stage,
}

impl QueuedWork {
    /// Returns its weight.
    #[must_use]
    pub const fn weight(&self) -> u64 {
        self.weight
    }

    /// Returns whether work of this weight may be one call, by the current pace.
    #[must_use]
    pub fn may_be_one_call(&self, weight: u64) -> bool {
        let load = self.backlog.load.lock();
        let joined_max = load.window() * JOINED_PART.0 / JOINED_PART.1;
        load.calls_max.is_some() || load.pace.estimate(weight) <= joined_max
    }
}

impl Drop for QueuedWork {
    fn drop(&mut self) {
        self.backlog.load.lock().weights[self.stage as usize] -= self.weight;
    }
}

/// A call that may be sent, counted until this is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    work: QueuedWork,
    sent: Sent,
    _permits: OwnedSemaphorePermit,
}

impl Backlog {
    /// Creates the backlog of a connection, or of `calls_max` connections with one call at a time.
    pub(crate) fn new(address: &Address, calls_max: Option<u32>) -> Arc<Self> {
        Arc::new(Self {
            address: address.clone(),
            next: tokio::sync::Mutex::new(()),
            permits: Arc::new(Semaphore::new(permits_of(UNDER_WAY_MAX) as usize)),
            load: Mutex::new(Load {
                calls_max,
                pace: Pace::new(),
                answers: 0,
                weights: [0; 3],
            }),
        })
    }

    /// Rejects work that would be done too late.
    pub fn check(&self, until: Instant) -> Result<(), Overload> {
        let wait = self.wait();
        if is_late(wait, until) {
            return Err(self.overload_of(wait));
        }
        Ok(())
    }

    /// Returns whether the node has more to do than it can be sent: the calls that wait are more
    /// work than may be under way.
    pub(crate) fn has_queue(&self) -> bool {
        let load = self.load.lock();
        load.pace.estimate(load.weight(Stage::Waiting)) > UNDER_WAY_MAX
    }

    /// Counts work of so many bytes that is to become a part of a call.
    #[must_use]
    pub fn gather(self: &Arc<Self>, bytes: usize) -> QueuedWork {
        self.count(bytes as u64, Stage::Gathered, &mut self.load.lock())
    }

    fn count(self: &Arc<Self>, weight: u64, stage: Stage, load: &mut Load) -> QueuedWork {
        load.weights[stage as usize] += weight;
        QueuedWork {
            backlog: self.clone(),
            weight,
            stage,
        }
    }

    /// Waits until a call may be sent; rejects it if it would be done too late. One that is `in_doubt`, since it may
    /// already be applied, is not rejected for being late: only the node knows its outcome.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        weight: u64,
        until: Instant,
        in_doubt: bool,
    ) -> Result<Permit, CommandError> {
        let (waiting, permits) = {
            let mut load = self.load.lock();
            let wait = load.calls();
            if !in_doubt && is_late(wait, until) {
                return Err(CommandError::Overloaded(self.overload_of(wait)));
            }
            let waiting = self.count(weight, Stage::Waiting, &mut load);
            (waiting, load.permits(weight))
        };
        let entered = match timeout_at(until, self.take_permits(weight, permits)).await {
            Ok(entered) => entered?,
            Err(_) => return Err(CommandError::Overloaded(self.overload())),
        };
        drop(waiting);
        let mut load = self.load.lock();
        let is_alone = load.weight(Stage::UnderWay) == 0;
        Ok(Permit {
            work: self.count(weight, Stage::UnderWay, &mut load),
            sent: load.pace.sent(is_alone, Instant::now()),
            _permits: entered,
        })
    }

    /// Takes permits, in the order of arrival. Their number follows the estimate when the last of
    /// them is there: the node may have become slower meanwhile. But few replies do not show that a
    /// node is faster, so it is at least the number at arrival.
    async fn take_permits(
        &self,
        weight: u64,
        permits: u32,
    ) -> Result<OwnedSemaphorePermit, CommandError> {
        let _next = self.next.lock().await;
        let mut wanted = permits;
        loop {
            let taken = self.permits.clone().acquire_many_owned(wanted).await;
            let taken =
                taken.map_err(|_| CommandError::NotSent("the connection has ended".to_owned()))?;
            let now = self.load.lock().permits(weight);
            if now <= wanted {
                return Ok(taken);
            }
            // `taken` is given back before all are taken: a drain may wait for it.
            wanted = now;
        }
    }

    /// Returns how long the node needs for everything that waits or is under way.
    pub(crate) fn wait(&self) -> Duration {
        self.load.lock().all()
    }

    /// Returns the error of a caller for which too much waits.
    #[must_use]
    pub fn overload(&self) -> Overload {
        self.overload_of(self.wait())
    }

    fn overload_of(&self, wait: Duration) -> Overload {
        let why = format!(
            "{} has work for {:.1} s waiting",
            self.address,
            wait.as_secs_f64()
        );
        Overload { why, wait }
    }

    /// Returns whether no call delays a command without work: none is under way, unless each is on a connection of its
    /// own, and none waits.
    pub(crate) fn is_idle(&self) -> bool {
        let load = self.load.lock();
        load.weight(Stage::Waiting) == 0
            && (load.weight(Stage::UnderWay) == 0 || load.calls_max.is_some())
    }

    /// Waits until nothing is under way, if the round trip has not been measured for long. Nothing is sent until the
    /// result is dropped.
    pub(crate) async fn drained(&self) -> Option<impl Drop> {
        {
            let load = self.load.lock();
            if load.calls_max.is_some() || !load.pace.is_trip_old(Instant::now()) {
                return None;
            }
        }
        // Not behind the calls that wait for `next`: where few may be under way since the round trip is not known, they
        // take long.
        let all = permits_of(UNDER_WAY_MAX);
        let all = self.permits.clone().acquire_many_owned(all);
        timeout(DRAIN_MAX, all).await.ok()?.ok()
    }

    /// Records how long a command without work took.
    pub(crate) fn saw_trip(&self, trip: Duration) {
        let now = Instant::now();
        self.load.lock().pace.saw_trip(trip, now);
    }

    /// Returns the longest recent round trip.
    pub(crate) fn trip(&self) -> Duration {
        self.load.lock().pace.trip()
    }

    /// Records that a command was sent that may block the connection without being work.
    pub(crate) fn holds_up(&self) {
        let now = Instant::now();
        self.load.lock().pace.holds_up(now);
    }

    /// Records that it has a reply.
    pub(crate) fn goes_on(&self) {
        let now = Instant::now();
        self.load.lock().pace.goes_on(now);
    }

    /// Ends the waiting of all callers.
    pub(crate) fn close(&self) {
        self.permits.close();
    }
}

fn is_late(wait: Duration, until: Instant) -> bool {
    wait > until.saturating_duration_since(Instant::now())
}

fn permits_of(work: Duration) -> u32 {
    u32::try_from(work.as_micros()).unwrap_or(u32::MAX).max(1)
}

impl Permit {
    /// Records that the call has ended. If it has a reply, its time counts.
    pub(crate) fn ended<T>(self, answer: &Result<T, CommandError>) {
        if let Ok(_) | Err(CommandError::Redis(_)) = answer {
            let now = Instant::now();
            let mut load = self.work.backlog.load.lock();
            load.pace.answered(self.work.weight, self.sent, now);
            load.answers = load.answers.saturating_add(1);
        }
    }
}
