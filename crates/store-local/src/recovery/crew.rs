//! [`Crew`]: the threads that fill boards while the journal is read.
//!
//! The events of one shard are replayed by one thread, in order; so are those of a small board,
//! whose shards are one. [`Crew::wait`] is for events that concern all shards of a board: all tasks
//! submitted before are done when it returns.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Barrier};
use std::thread::Scope;

use board::Window;
use parking_lot::Mutex;

use super::threads::threads;
use engine::{Applied, Registry, SharedCell};
use journal::Sequence;

/// Items that are sent to a thread at once.
const BATCH_ITEMS: usize = 4096;
const BATCHES_MAX: usize = 8;

/// Something to replay on one shard.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) cell: SharedCell,
    pub(super) shard: u16,
    pub(super) sequence: Sequence,
    pub(super) action: Action,
}

/// Action to replay.
#[derive(Debug)]
pub(super) enum Action {
    Apply(Applied<'static>),
    DropWindows(Cow<'static, [Window]>),
    Empty,
}

impl Action {
    fn items(&self) -> usize {
        match self {
            Self::Apply(applied) => applied.items.len(),
            Self::DropWindows(_) | Self::Empty => 1,
        }
    }
}

enum Message {
    Batch(Vec<Task>),
    Meet(Arc<Barrier>),
}

struct Lane {
    messages: SyncSender<Message>,
    batch: Vec<Task>,
    /// Number of items in `batch`.
    items: usize,
}

/// The threads and their pending tasks.
pub(super) struct Crew {
    lanes: Vec<Lane>,
    /// The first record that did not have the effect it had before.
    failed: Arc<Mutex<Option<Sequence>>>,
}

impl Crew {
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        registry: &'scope Registry,
    ) -> Self {
        let failed = Arc::new(Mutex::new(None));
        let lane = |_| {
            let (messages, received) = sync_channel(BATCHES_MAX);
            let failed = failed.clone();
            scope.spawn(move || work(&received, registry, &failed));
            Lane {
                messages,
                batch: Vec::new(),
                items: 0,
            }
        };
        Self {
            lanes: (0..threads()).map(lane).collect(),
            failed,
        }
    }

    /// Submits a task.
    pub(super) fn submit(&mut self, task: Task) {
        let spread = if task.cell.is_split() {
            u64::from(task.shard)
        } else {
            0
        };
        let lanes = self.lanes.len() as u64;
        let lane = (task.cell.incarnation().0.wrapping_add(spread)) % lanes;
        let lane =
            &mut self.lanes[usize::try_from(lane).expect("the number of lanes fits a usize")];
        lane.items += task.action.items();
        lane.batch.push(task);
        if lane.items >= BATCH_ITEMS {
            lane.send();
        }
    }

    /// Returns when all submitted tasks are done.
    pub(super) fn wait(&mut self) {
        let meeting = Arc::new(Barrier::new(self.lanes.len() + 1));
        for lane in &mut self.lanes {
            lane.send();
            let message = Message::Meet(meeting.clone());
            lane.messages
                .send(message)
                .expect("the lane's thread is running");
        }
        meeting.wait();
    }

    /// Waits for the end of all tasks. An error is the first record that could not be replayed.
    pub(super) fn finish(mut self) -> Result<(), Sequence> {
        self.wait();
        let failed = self.failed.lock().take();
        failed.map_or(Ok(()), Err)
    }
}

impl Lane {
    fn send(&mut self) {
        if !self.batch.is_empty() {
            self.items = 0;
            let message = Message::Batch(std::mem::take(&mut self.batch));
            self.messages
                .send(message)
                .expect("the lane's thread is running");
        }
    }
}

fn work(messages: &Receiver<Message>, registry: &Registry, failed: &Mutex<Option<Sequence>>) {
    // Ends when the crew is dropped.
    while let Ok(message) = messages.recv() {
        match message {
            Message::Meet(meeting) => {
                meeting.wait();
            }
            Message::Batch(tasks) => {
                for task in tasks {
                    let sequence = task.sequence;
                    // A panic counts as a failed record, because others wait for this thread.
                    let replayed = catch_unwind(AssertUnwindSafe(|| replay_task(task, registry)));
                    if !replayed.unwrap_or(false) {
                        let mut failed = failed.lock();
                        *failed = Some(failed.map_or(sequence, |first| first.min(sequence)));
                    }
                }
            }
        }
    }
}

/// Replays a task. Returns false if the shard is not the one that the event was about.
fn replay_task(task: Task, registry: &Registry) -> bool {
    let Task {
        cell,
        shard,
        action,
        ..
    } = task;
    match action {
        Action::Apply(applied) => {
            let Applied {
                items, now, dedupe, ..
            } = applied;
            cell.replay_applied(shard, &items, now, dedupe, &registry.ids)
        }
        Action::DropWindows(windows) => cell.replay_dropped(shard, &windows),
        Action::Empty => {
            cell.replay_emptied(usize::from(shard));
            true
        }
    }
}
