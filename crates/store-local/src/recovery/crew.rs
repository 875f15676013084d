//! The threads that fill boards while the journal is read.
//!
//! What happened to one shard is done by one of them, in order; to a small board, whose shards are
//! one, likewise. [`Crew::wait`] is for what touches all shards of a board: everything handed out
//! before is done when it returns.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Barrier};
use std::thread::Scope;

use board::Window;
use parking_lot::Mutex;

use super::threads;
use crate::record::Applied;
use engine::{Registry, Shared};
use journal::Sequence;

/// Items that are handed over at once, and how many such heaps wait for one thread.
const HEAP_ITEMS: usize = 4096;
const HEAPS_MAX: usize = 8;

/// Something to do to one shard.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) cell: Shared,
    pub(super) shard: u16,
    pub(super) sequence: Sequence,
    pub(super) what: What,
}

/// What to do to it.
#[derive(Debug)]
pub(super) enum What {
    Apply(Applied),
    DropWindows(Vec<Window>),
    Empty,
}

impl What {
    fn items(&self) -> usize {
        match self {
            Self::Apply(applied) => applied.items.len(),
            Self::DropWindows(_) | Self::Empty => 1,
        }
    }
}

enum Order {
    Heap(Vec<Task>),
    Meet(Arc<Barrier>),
}

struct Lane {
    orders: SyncSender<Order>,
    heap: Vec<Task>,
    /// In the heap.
    items: usize,
}

/// Threads with their tasks.
pub(super) struct Crew {
    lanes: Vec<Lane>,
    /// The first record that did not do what it did before.
    failed: Arc<Mutex<Option<Sequence>>>,
}

impl Crew {
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        registry: &'scope Registry,
    ) -> Self {
        let failed = Arc::new(Mutex::new(None));
        let lane = |_| {
            let (orders, received) = sync_channel(HEAPS_MAX);
            let failed = failed.clone();
            scope.spawn(move || work(&received, registry, &failed));
            Lane {
                orders,
                heap: Vec::new(),
                items: 0,
            }
        };
        Self {
            lanes: (0..threads()).map(lane).collect(),
            failed,
        }
    }

    /// Hands out a task.
    pub(super) fn hand(&mut self, task: Task) {
        let spread = if task.cell.is_split() {
            u64::from(task.shard)
        } else {
            0
        };
        let lanes = self.lanes.len() as u64;
        let lane = (task.cell.incarnation().0.wrapping_add(spread)) % lanes;
        let lane = &mut self.lanes[usize::try_from(lane).expect("fewer lanes than fit a usize")];
        lane.items += task.what.items();
        lane.heap.push(task);
        if lane.items >= HEAP_ITEMS {
            lane.send();
        }
    }

    /// Returns when all that was handed out is done.
    pub(super) fn wait(&mut self) {
        let meeting = Arc::new(Barrier::new(self.lanes.len() + 1));
        for lane in &mut self.lanes {
            lane.send();
            let order = Order::Meet(meeting.clone());
            lane.orders.send(order).expect("its thread takes orders");
        }
        meeting.wait();
    }

    /// Waits for the end of everything; tells the first record that could not be done.
    pub(super) fn finish(mut self) -> Result<(), Sequence> {
        self.wait();
        let failed = self.failed.lock().take();
        failed.map_or(Ok(()), Err)
    }
}

impl Lane {
    fn send(&mut self) {
        if !self.heap.is_empty() {
            self.items = 0;
            let order = Order::Heap(std::mem::take(&mut self.heap));
            self.orders.send(order).expect("its thread takes orders");
        }
    }
}

fn work(orders: &Receiver<Order>, registry: &Registry, failed: &Mutex<Option<Sequence>>) {
    // Ends when the crew is dropped.
    while let Ok(order) = orders.recv() {
        match order {
            Order::Meet(meeting) => {
                meeting.wait();
            }
            Order::Heap(tasks) => {
                for task in tasks {
                    let sequence = task.sequence;
                    // What breaks an invariant is no board either, and others wait for this thread.
                    let acted = catch_unwind(AssertUnwindSafe(|| act(task, registry)));
                    if !acted.unwrap_or(false) {
                        let mut failed = failed.lock();
                        *failed = Some(failed.map_or(sequence, |first| first.min(sequence)));
                    }
                }
            }
        }
    }
}

/// False where it is not what it was done to before.
fn act(task: Task, registry: &Registry) -> bool {
    let Task {
        cell, shard, what, ..
    } = task;
    match what {
        What::Apply(applied) => {
            let Applied {
                items, now, dedupe, ..
            } = applied;
            cell.replay_applied(shard, &items, now, dedupe, &registry.ids)
        }
        What::DropWindows(windows) => cell.replay_dropped(shard, &windows),
        What::Empty => {
            cell.replay_emptied(usize::from(shard));
            true
        }
    }
}
