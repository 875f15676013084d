//! [`Waiters`]: the tasks that wait for records, each woken once by the group that has its record.
//!
//! While one group is synced, the next one forms. A channel would wake the writers of both when the first is durable,
//! and a writer that wakes up to wait again costs as much as one that has its answer.
//!
//! **Invariant:** a task checks the progress under the lock before it is added, and the committer takes tasks out under
//! the lock after it has published progress. So a task either sees the progress or is woken.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;
use std::task::Waker;

use parking_lot::{Mutex, MutexGuard};

use crate::sequence::Sequence;

/// Waiting tasks, by what they wait for: at most one for each call of the store.
#[derive(Debug, Default)]
pub(super) struct Waiters(Mutex<WaitingTasks>);

#[derive(Debug, Default)]
pub(super) struct WaitingTasks {
    /// By sequence, then by number.
    by_sequence: BTreeMap<(Sequence, u64), Waker>,
    next_number: u64,
}

/// One waiting task. It is removed if this is dropped before [`Ticket::forget`].
#[derive(Debug)]
pub(super) struct Ticket<'a> {
    waiters: &'a Waiters,
    until: Sequence,
    number: Option<u64>,
}

/// Wakes all tasks on drop: declared last in the committer, so that its channel is closed by then.
#[derive(Debug)]
pub(super) struct WakeAtEnd(pub(super) Arc<Waiters>);

impl Waiters {
    /// Returns a ticket of a task that will wait for the records before `until`.
    pub(super) const fn ticket(&self, until: Sequence) -> Ticket<'_> {
        Ticket {
            waiters: self,
            until,
            number: None,
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, WaitingTasks> {
        self.0.lock()
    }

    /// Wakes the tasks that wait for nothing past `until`.
    pub(super) fn wake_until(&self, until: Sequence) {
        let mut tasks = self.lock();
        let later = tasks.by_sequence.split_off(&(until.plus(1), 0));
        let woken = mem::replace(&mut tasks.by_sequence, later);
        drop(tasks);
        woken.into_values().for_each(Waker::wake);
    }

    /// Wakes all tasks.
    pub(super) fn wake_all(&self) {
        let woken = mem::take(&mut self.lock().by_sequence);
        woken.into_values().for_each(Waker::wake);
    }
}

impl WaitingTasks {
    /// Number of tasks.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.by_sequence.len()
    }
}

impl Ticket<'_> {
    /// Has the task woken when its records are durable.
    pub(super) fn wait(&mut self, tasks: &mut WaitingTasks, waker: &Waker) {
        let number = *self.number.get_or_insert_with(|| {
            tasks.next_number += 1;
            tasks.next_number
        });
        tasks
            .by_sequence
            .entry((self.until, number))
            .and_modify(|before| before.clone_from(waker))
            .or_insert_with(|| waker.clone());
    }

    /// Leaves the task to the committer, which has published what it waits for, and takes it out.
    pub(super) const fn forget(&mut self) {
        self.number = None;
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            let key = (self.until, number);
            // Dropped after the lock: a waker runs code of its runtime.
            let _waker = self.waiters.lock().by_sequence.remove(&key);
        }
    }
}

impl Drop for WakeAtEnd {
    fn drop(&mut self) {
        self.0.wake_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Counted(AtomicUsize);

    impl Wake for Counted {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Counted {
        fn count(&self) -> usize {
            self.0.load(Ordering::Relaxed)
        }
    }

    fn waiting<'a>(waiters: &'a Waiters, until: u64, counted: &Arc<Counted>) -> Ticket<'a> {
        let mut ticket = waiters.ticket(Sequence(until));
        let waker = Waker::from(counted.clone());
        ticket.wait(&mut waiters.lock(), &waker);
        // Polled again for another reason.
        ticket.wait(&mut waiters.lock(), &waker);
        ticket
    }

    #[test]
    fn a_group_wakes_its_own_writers_once() {
        let waiters = Waiters::default();
        let [first, also_first, second, cancelled] = [(); 4].map(|()| Arc::<Counted>::default());
        let _tickets = [
            waiting(&waiters, 3, &first),
            waiting(&waiters, 3, &also_first),
            waiting(&waiters, 4, &second),
        ];
        drop(waiting(&waiters, 4, &cancelled));
        let counts = || [&first, &also_first, &second, &cancelled].map(|task| task.count());
        waiters.wake_until(Sequence(2));
        assert_eq!(counts(), [0, 0, 0, 0]);
        waiters.wake_until(Sequence(3));
        assert_eq!(counts(), [1, 1, 0, 0]);
        waiters.wake_until(Sequence(9));
        assert_eq!(counts(), [1, 1, 1, 0]);
        assert_eq!(waiters.lock().len(), 0);
    }

    #[test]
    fn the_end_wakes_all() {
        let waiters = Arc::new(Waiters::default());
        let task = Arc::<Counted>::default();
        let _ticket = waiting(&waiters, u64::MAX, &task);
        drop(WakeAtEnd(waiters.clone()));
        assert_eq!(task.count(), 1);
    }
}
