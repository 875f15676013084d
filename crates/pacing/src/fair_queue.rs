//! [`FairQueue`]: who is next.
//!
//! Start-time fair queueing, on two levels. Each caller has a tag: when it would have been served
//! last if all callers were served at the same speed. The caller with the lowest tag is next, and of
//! its boards the one with the lowest. A caller that had nothing to do gains nothing by that: its
//! tag is at least that of the last caller that was served.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::task::yield_now;

/// Callers, and boards of one, that are remembered for what they were served before, though nothing of them waits.
const IDLE_MAX: usize = 1024;

/// Whose request it is, and on which board: what turns are given out by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Flow {
    /// A digest of the caller's key or address.
    pub caller: u64,
    /// A digest of the board.
    pub board: u64,
}

/// Gives out turns.
#[derive(Debug)]
pub struct FairQueue {
    state: Mutex<Turns>,
}

#[derive(Debug)]
struct Turns {
    lanes: usize,
    /// Turns that nobody has.
    free: usize,
    /// Requests that have waited, for the order of arrival where tags are equal.
    arrived: u64,
    callers: Level<Level<VecDeque<Waiting>>>,
}

/// A request that waits.
#[derive(Debug)]
struct Waiting {
    number: u64,
    work: u64,
    turn: oneshot::Sender<Turn>,
}

/// The permission to do a step, until this is dropped.
#[derive(Debug)]
pub struct Turn {
    /// `None`: the turn was given back.
    queue: Option<Arc<FairQueue>>,
}

/// Queues that take turns, by the digest of a caller or of a board.
#[derive(Debug)]
struct Level<Q> {
    /// The tag at which the last queue was served.
    now: u64,
    /// Requests that wait, in all queues.
    waiting: usize,
    queues: HashMap<u64, Tagged<Q>>,
}

#[derive(Debug, Default)]
struct Tagged<Q> {
    tag: u64,
    queue: Q,
}

/// What waits.
trait Queue: Default {
    /// Returns when the first request arrived.
    fn first(&self) -> Option<u64>;
}

impl Queue for VecDeque<Waiting> {
    fn first(&self) -> Option<u64> {
        self.front().map(|waiting| waiting.number)
    }
}

impl<Q: Queue> Queue for Level<Q> {
    fn first(&self) -> Option<u64> {
        // Most queues only remember what they were served.
        if self.waiting == 0 {
            return None;
        }
        self.next().map(|(_, first)| first)
    }
}

impl<Q> Default for Level<Q> {
    fn default() -> Self {
        Self {
            now: 0,
            waiting: 0,
            queues: HashMap::new(),
        }
    }
}

impl<Q: Queue> Level<Q> {
    /// Returns the queue that is next, and when its first request arrived.
    fn next(&self) -> Option<(u64, u64)> {
        let waiting = self.queues.iter().filter_map(|(id, tagged)| {
            let first = tagged.queue.first()?;
            Some((tagged.tag.max(self.now), first, *id))
        });
        waiting.min().map(|(_, first, id)| (id, first))
    }

    /// Returns the queue to which a request is added.
    fn add_to(&mut self, id: u64) -> &mut Q {
        self.waiting += 1;
        self.forget_idle(id);
        &mut self.queues.entry(id).or_default().queue
    }

    /// Returns the queue from which a request is removed.
    fn remove_from(&mut self, id: u64) -> &mut Q {
        self.waiting -= 1;
        &mut self.queues.entry(id).or_default().queue
    }

    fn forget_idle(&mut self, but: u64) {
        if self.queues.len() > IDLE_MAX {
            self.queues
                .retain(|id, tagged| *id == but || tagged.queue.first().is_some());
        }
    }

    /// Counts work that is done for a queue now, and returns it.
    fn serve(&mut self, id: u64, work: u64) -> &mut Q {
        self.forget_idle(id);
        let tagged = self.queues.entry(id).or_default();
        self.now = self.now.max(tagged.tag);
        tagged.tag = self.now.saturating_add(work);
        &mut tagged.queue
    }
}

impl FairQueue {
    /// Creates a queue that gives out so many turns at a time.
    #[must_use]
    pub fn with_lanes(lanes: usize) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(Turns {
                lanes,
                free: lanes,
                arrived: 0,
                callers: Level::default(),
            }),
        })
    }

    /// Waits for a turn, for so much work.
    pub async fn turn(self: &Arc<Self>, flow: Flow, work: usize) -> Turn {
        let work = work as u64;
        let waiting = {
            let mut state = self.state.lock();
            if state.free > 0 {
                // Nobody waits.
                state.free -= 1;
                state
                    .callers
                    .serve(flow.caller, work)
                    .serve(flow.board, work);
                return self.turn_now();
            }
            state.arrived += 1;
            let (turn, waiting) = oneshot::channel();
            let waiter = Waiting {
                number: state.arrived,
                work,
                turn,
            };
            state
                .callers
                .add_to(flow.caller)
                .add_to(flow.board)
                .push_back(waiter);
            waiting
        };
        let turn = waiting
            .await
            .expect("a request that waits is in the queue until its turn");
        // The runtime would poll what was just woken before everything else that is ready.
        yield_now().await;
        turn
    }

    fn turn_now(self: &Arc<Self>) -> Turn {
        Turn {
            queue: Some(self.clone()),
        }
    }

    fn end(self: &Arc<Self>) {
        let mut state = self.state.lock();
        state.free += 1;
        while state.free > 0
            && let Some(next) = state.next()
        {
            // A request that was abandoned takes no turn.
            match next.turn.send(self.turn_now()) {
                Ok(()) => state.free -= 1,
                Err(mut unused) => unused.queue = None,
            }
        }
        if state.free == state.lanes {
            // Nothing waits and nothing runs: what was served before is of no interest.
            state.callers = Level::default();
        }
    }
}

impl Turns {
    /// Removes the request that is next.
    fn next(&mut self) -> Option<Waiting> {
        let (caller, _) = self.callers.next()?;
        let boards = self.callers.remove_from(caller);
        let (board, _) = boards.next()?;
        let waiting = boards.remove_from(board).pop_front()?;
        if !waiting.turn.is_closed() {
            let work = waiting.work;
            self.callers.serve(caller, work).serve(board, work);
        }
        Some(waiting)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(queue) = self.queue.take() {
            queue.end();
        }
    }
}
