//! Lanes: one call at a time for each shard; what arrives meanwhile goes into the next one. Callers that wait for an
//! unavailable node have lanes, and a session, of their own.
//!
//! [`Lanes`] has a queue for each shard that is being written to. A queue has its own task, so that
//! a caller that goes away cancels nothing, and is removed when it is empty. It is served in order
//! of arrival: contributions of one member stay in order. A batch that comes alone does not wait. A
//! caller may wait for lists to be refilled; the lane continues meanwhile.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use board::Incarnation;
use futures::FutureExt;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

use super::metrics::ShardIds;
use super::part::{BatchPart, ITEMS_A_CALL_MAX};
use super::sending::Sent;
use super::windows::CallWindows;
use crate::boards::parts::Parts;
use crate::boards::session::Session;
use crate::lists::Refills;
use shard_store::{BoardRecord, Outcome, Overload, StoreError};

/// The maximum number of items that wait for one shard. A longer batch is accepted if none waits.
pub(super) const ITEMS_WAITING_MAX: usize = 20_000;

/// A shard of an incarnation of a board, and whether the callers wait for an unavailable node. Others do not wait
/// behind these.
type Key = (Incarnation, u16, bool);

/// What waits for one shard.
#[derive(Debug, Default)]
struct Queue {
    parts: VecDeque<BatchPart>,
    items: usize,
}

/// The shards that are being written to, and what calls to them need.
#[derive(Debug)]
pub(super) struct Lanes {
    queues: Mutex<HashMap<Key, Queue>>,
    pub(super) parts: Parts,
    /// The session of calls whose callers wait for an unavailable node: a shard remembers the last call of each
    /// session, so that the calls of one must not overlap.
    pub(super) waiting_session: Session,
    pub(super) refills: Arc<Refills>,
    /// The remembered ids of shards, and their limit.
    pub(super) ids: Arc<ShardIds>,
}

impl Lanes {
    pub(super) fn new(parts: &Parts, refills: Arc<Refills>, ids: Arc<ShardIds>) -> Self {
        Self {
            queues: Mutex::default(),
            parts: parts.clone(),
            waiting_session: parts.session.other(),
            refills,
            ids,
        }
    }

    /// Queues the parts, all or none.
    pub(super) fn put(
        self: &Arc<Self>,
        board: &BoardRecord,
        shard: u16,
        parts: Vec<BatchPart>,
    ) -> Result<(), StoreError> {
        if parts.is_empty() {
            return Ok(());
        }
        let items: usize = parts.iter().map(|part| part.items.len()).sum();
        let waits = parts.iter().any(|part| part.until.wait_ends_at.is_some());
        let key = (board.incarnation, shard, waits);
        let mut queues = self.queues.lock();
        let idle = !queues.contains_key(&key);
        let queue = queues.entry(key).or_default();
        if queue.items > 0 && queue.items + items > ITEMS_WAITING_MAX {
            drop(queues);
            let why = format!("more than {ITEMS_WAITING_MAX} contributions wait for this shard");
            let backlog = self.backlog(board, shard);
            let wait = backlog.map_or(Duration::ZERO, |backlog| backlog.overload().wait);
            return Err(StoreError::Overloaded(Overload { why, wait }));
        }
        queue.items += items;
        queue.parts.extend(parts);
        drop(queues);
        if idle {
            let lane = Lane {
                lanes: self.clone(),
                board: board.clone(),
                shard,
                waits,
                is_in_vain: false,
            };
            tokio::spawn(lane.serve());
        }
        Ok(())
    }

    /// Returns the parts of the next call. A lane for which nothing waits is removed.
    fn next(&self, key: Key) -> Option<Vec<BatchPart>> {
        let mut queues = self.queues.lock();
        let Some(first) = queues.get_mut(&key).and_then(Queue::pop) else {
            queues.remove(&key);
            return None;
        };
        let (mut items, mut weight) = (first.items.len(), first.weight());
        let mut windows = CallWindows::of(std::slice::from_ref(&first));
        let mut parts = vec![first];
        let queue = queues.get_mut(&key)?;
        while let Some(next) = queue.parts.front() {
            items += next.items.len();
            weight += next.weight();
            let fits = items <= ITEMS_A_CALL_MAX
                && parts[0].may_be_one_call(weight)
                && next.goes_with(&parts[0]);
            if !fits || !windows.add_all(&next.windows) {
                break;
            }
            parts.extend(queue.pop());
        }
        Some(parts)
    }

    #[cfg(test)]
    pub(super) fn busy(&self) -> usize {
        self.queues.lock().len()
    }
}

impl Queue {
    fn pop(&mut self) -> Option<BatchPart> {
        let part = self.parts.pop_front()?;
        self.items -= part.items.len();
        Some(part)
    }
}

/// The task of the queue of one shard.
struct Lane {
    lanes: Arc<Lanes>,
    board: BoardRecord,
    shard: u16,
    /// Whether its callers wait for an unavailable node.
    waits: bool,
    /// Whether the last call found no waiting part.
    is_in_vain: bool,
}

impl Lane {
    async fn serve(mut self) {
        while let Some(parts) = self.lanes.next(self.key()) {
            let (mut parts, late): (Vec<_>, Vec<_>) = parts
                .into_iter()
                .partition(|part| Instant::now() < part.until.at);
            for part in late {
                let late = part.until.failed(&self.late());
                // If the caller has gone away, the result is dropped.
                let _ = part.answer.send(Err(late));
            }
            if !parts.is_empty() {
                for part in &mut parts {
                    // From now on the call counts.
                    part.gathered = None;
                }
                self.send(parts).await;
            }
        }
    }

    /// Returns the outcome of a part that waited until its deadline.
    fn late(&self) -> StoreError {
        let backlog = self.lanes.backlog(&self.board, self.shard);
        if let Some(backlog) = backlog.filter(|_| !self.is_in_vain) {
            return StoreError::Overloaded(backlog.overload());
        }
        let late = "it waited for its shard until its deadline";
        StoreError::Unavailable(late.to_owned())
    }

    async fn send(&mut self, parts: Vec<BatchPart>) {
        let sent = self
            .lanes
            .send(&self.board, self.shard, &parts)
            .boxed()
            .await;
        self.is_in_vain = matches!(
            sent,
            Err(StoreError::Unavailable(_) | StoreError::Unknown(_))
        );
        match sent {
            Ok(sent) if sent.refills.is_empty() => answer(parts, Ok(sent.outcomes)),
            Ok(sent) => drop(tokio::spawn(answer_refilled(parts, sent))),
            Err(error) => answer(parts, Err(error)),
        }
    }

    fn key(&self) -> Key {
        (self.board.incarnation, self.shard, self.waits)
    }
}

/// Replies when the lists are complete, unless that takes long: what was written is written in any
/// case.
async fn answer_refilled(parts: Vec<BatchPart>, sent: Sent) {
    let until = parts.iter().map(|part| part.until.at).min();
    let refilled = async {
        for refill in sent.refills {
            refill.soon().await;
        }
    };
    let _ = timeout_at(until.unwrap_or_else(Instant::now), refilled).await;
    answer(parts, Ok(sent.outcomes));
}

fn answer(parts: Vec<BatchPart>, result: Result<Vec<Outcome>, StoreError>) {
    let mut outcomes = result.map(Vec::into_iter);
    for part in parts {
        let answer = match &mut outcomes {
            Ok(outcomes) => Ok(outcomes.take(part.items.len()).collect()),
            Err(error) => Err(part.until.failed(error)),
        };
        let _ = part.answer.send(answer);
    }
}

impl Drop for Lane {
    /// If a lane ends otherwise than by [`Lanes::next`], its waiting callers are released, and a
    /// later one is served again.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.lanes.queues.lock().remove(&self.key());
        }
    }
}
