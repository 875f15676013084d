//! Refills in the background: [`Refills`] has a task for each list that is being refilled.
//!
//! A caller that finds that a list lacks members requests a [`Refill`], and may wait for it if it
//! is short. A request during a refill shares it, and gets another round if the current one may
//! have read the member before. A failure is reported to the sweep, which requests it again.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use board::{Incarnation, Window};
use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use super::{List, refill};
use crate::boards::parts::Parts;
use shard_store::StoreError;

/// The number of lists that one server refills at once: each has a step of some 2 ms under way.
/// Others wait.
pub(super) const REFILLS_AT_ONCE: usize = 16;

/// The maximum number of lists that are refilled or wait for it. Others are reported to the sweep.
const REFILLS_MAX: usize = 1_000;

/// The maximum number of members of a shard at which callers wait for its list: some 40 steps.
const WAITED_MEMBERS_MAX: u64 = 20_000;

/// The number of steps after which no caller waits any longer: repeated marks make a round long.
const WAITED_STEPS_MAX: usize = 100;

type Key = (Incarnation, u16, Window);

/// The lists that are being refilled.
#[derive(Debug)]
pub(crate) struct Refills {
    parts: Parts,
    pub(super) turns: Semaphore,
    under_way: Mutex<HashMap<Key, UnderWay>>,
}

#[derive(Debug)]
struct UnderWay {
    /// The number of requests.
    asked: u64,
    progress: watch::Receiver<Progress>,
}

#[derive(Debug, Default)]
struct Progress {
    /// The requests up to this number are done.
    done: u64,
    /// It takes longer.
    is_long: bool,
}

/// A refill that was requested. It continues when this is dropped.
#[derive(Debug)]
pub(crate) struct Refill {
    number: u64,
    progress: watch::Receiver<Progress>,
}

impl Refill {
    /// Waits until the list is complete, or it is known that this takes longer.
    pub(crate) async fn soon(mut self) {
        let is_over = |progress: &Progress| progress.is_long || progress.done >= self.number;
        // A refill that failed is over, too.
        let _ = self.progress.wait_for(is_over).await;
    }
}

impl Refills {
    pub(crate) fn new(parts: &Parts) -> Arc<Self> {
        Arc::new(Self {
            parts: parts.clone(),
            turns: Semaphore::new(REFILLS_AT_ONCE),
            under_way: Mutex::default(),
        })
    }

    /// Starts the refill of a list, or requests another round of the current one. `None` if there
    /// are too many: the sweep requests it again.
    pub(crate) fn start(self: &Arc<Self>, list: List) -> Option<Refill> {
        let mut under_way = self.under_way.lock();
        let is_full = under_way.len() >= REFILLS_MAX;
        let refilled = match under_way.entry(key_of(&list)) {
            Entry::Occupied(refill) => refill.into_mut(),
            Entry::Vacant(_) if is_full => {
                self.parts.incarnations.due(&list.board);
                return None;
            }
            Entry::Vacant(place) => {
                let (progress_sender, progress) = watch::channel(Progress::default());
                let refills = self.clone();
                let task = Task {
                    refills,
                    list,
                    progress: progress_sender,
                };
                tokio::spawn(task.run());
                place.insert(UnderWay { asked: 0, progress })
            }
        };
        refilled.asked += 1;
        Some(Refill {
            number: refilled.asked,
            progress: refilled.progress.clone(),
        })
    }
}

fn key_of(list: &List) -> Key {
    (list.board.incarnation, list.shard, list.window)
}

/// Refills one list as long as that is requested.
struct Task {
    refills: Arc<Refills>,
    list: List,
    progress: watch::Sender<Progress>,
}

impl Task {
    async fn run(self) {
        while let Some(asked) = self.asked_anew() {
            // A permit for each round, so that lists with repeated marks do not keep others out.
            let _turn = self.turn().await;
            self.progress
                .send_modify(|progress| progress.is_long = false);
            if let Err(error) = self.round().await {
                let board = &self.list.board;
                tracing::debug!(board = %board.name, %error, "its list is refilled later");
                self.refills.parts.incarnations.due(board);
                self.forget();
                return;
            }
            self.progress.send_modify(|progress| progress.done = asked);
        }
    }

    /// Waits for a permit; callers that wait for the list do not.
    async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        let turns = &self.refills.turns;
        if let Ok(turn) = turns.try_acquire() {
            return Some(turn);
        }
        self.takes_longer();
        turns.acquire().await.ok()
    }

    /// Returns the number of requests, unless all are done: then the refill is not under way any
    /// more.
    fn asked_anew(&self) -> Option<u64> {
        let mut under_way = self.refills.under_way.lock();
        let asked = under_way
            .get(&key_of(&self.list))
            .map(|refill| refill.asked);
        let anew = asked.filter(|asked| *asked > self.progress.borrow().done);
        if anew.is_none() {
            under_way.remove(&key_of(&self.list));
        }
        anew
    }

    /// Scans the list until it is complete.
    async fn round(&self) -> Result<(), StoreError> {
        let mut steps = 0;
        let each = |members| {
            steps += 1;
            if members > WAITED_MEMBERS_MAX || steps >= WAITED_STEPS_MAX {
                self.takes_longer();
            }
        };
        refill(&self.refills.parts, &self.list, each).await
    }

    fn takes_longer(&self) {
        self.progress
            .send_modify(|progress| progress.is_long = true);
    }

    fn forget(&self) {
        self.refills.under_way.lock().remove(&key_of(&self.list));
    }
}

impl Drop for Task {
    /// If the task panics, the refill is not under way any more: the list may be refilled again.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.forget();
        }
    }
}
