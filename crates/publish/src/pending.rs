//! The items that wait to be published at one target: [`Pending`].
//!
//! An item that is added again while it waits is published once. An item that was just published waits until its
//! minimum interval has passed. Times are parameters.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::item::Item;

/// The number of items, including those that are cooling down.
pub(crate) const ITEMS_MAX: usize = 100_000;

/// The items that wait, are being published, or are cooling down.
#[derive(Default)]
pub(crate) struct Pending {
    state: Mutex<PendingState>,
    changed: Notify,
}

#[derive(Default)]
struct PendingState {
    items: HashMap<Item, ItemState>,
    /// When waiting items are due, and when items that cool down may be removed.
    queue: BTreeSet<(Instant, Item)>,
    /// Items no longer cool down.
    is_draining: bool,
}

#[derive(Debug, Clone, Copy)]
enum ItemState {
    /// Waits until this time.
    Waiting(Instant),
    /// Is being published. `again`: it was added again meanwhile.
    Running { again: bool },
    /// Was published, and may not be published again before this time.
    CoolingDown(Instant),
}

impl Pending {
    /// Adds an item to be published. Returns `false` if there are too many items.
    #[must_use]
    pub(crate) fn add(&self, item: Item, now: Instant) -> bool {
        let mut state = self.state.lock();
        let is_full = state.items.len() >= ITEMS_MAX;
        let due = match state.items.get_mut(&item) {
            Some(ItemState::Waiting(_)) => return true,
            Some(ItemState::Running { again }) => {
                *again = true;
                return true;
            }
            // The item is in the queue with this time.
            Some(ItemState::CoolingDown(until)) => *until,
            None if is_full => return false,
            None => now,
        };
        state.queue.insert((due, item.clone()));
        state.items.insert(item, ItemState::Waiting(due));
        drop(state);
        self.changed.notify_one();
        true
    }

    /// Takes the first item that is due.
    pub(crate) fn take(&self, now: Instant) -> Option<Item> {
        let mut state = self.state.lock();
        loop {
            let (due, _) = state.queue.first()?;
            if *due > now {
                return None;
            }
            let (_, item) = state.queue.pop_first()?;
            match state.items.get_mut(&item) {
                Some(state @ ItemState::Waiting(_)) => {
                    *state = ItemState::Running { again: false };
                    return Some(item);
                }
                _ => {
                    state.items.remove(&item);
                }
            }
        }
    }

    /// Completes an item that was taken. It is not published again before `every` has passed.
    pub(crate) fn done(&self, item: Item, now: Instant, every: Duration) {
        let mut state = self.state.lock();
        let until = if state.is_draining { now } else { now + every };
        let item_state = match state.items.get(&item) {
            Some(ItemState::Running { again: true }) => ItemState::Waiting(until),
            _ => ItemState::CoolingDown(until),
        };
        state.queue.insert((until, item.clone()));
        state.items.insert(item, item_state);
        drop(state);
        self.changed.notify_one();
    }

    /// Returns an item that was taken, to be tried again after this time.
    pub(crate) fn retry(&self, item: Item, now: Instant, after: Duration) {
        let mut state = self.state.lock();
        let due = now + after;
        state.queue.insert((due, item.clone()));
        state.items.insert(item, ItemState::Waiting(due));
        drop(state);
        self.changed.notify_one();
    }

    /// Returns when the next item is to be taken or removed.
    pub(crate) fn next(&self) -> Option<Instant> {
        let state = self.state.lock();
        state.queue.first().map(|(due, _)| *due)
    }

    /// Returns the number of items, including those that are cooling down.
    pub(crate) fn len(&self) -> usize {
        self.state.lock().items.len()
    }

    /// Returns whether no item waits or is being published.
    pub(crate) fn is_quiet(&self) -> bool {
        let state = self.state.lock();
        let mut states = state.items.values();
        states.all(|state| matches!(state, ItemState::CoolingDown(_)))
    }

    /// Makes all waiting items due now. From now on, items do not cool down.
    pub(crate) fn drain(&self, now: Instant) {
        let mut state = self.state.lock();
        state.is_draining = true;
        let queue = std::mem::take(&mut state.queue);
        for (due, item) in queue {
            let due = due.min(now);
            if let Some(ItemState::Waiting(at) | ItemState::CoolingDown(at)) =
                state.items.get_mut(&item)
            {
                *at = due;
            }
            state.queue.insert((due, item));
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Waits until an item was added, completed or returned.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use board::Window;

    use super::*;
    use crate::item::Extent;

    const EVERY: Duration = Duration::from_secs(1);
    const MS: Duration = Duration::from_millis(1);

    fn item(subject: &str) -> Item {
        Item {
            board: Arc::new(format!("gifts/{subject}").parse().unwrap()),
            extent: Extent::Window(Window::ALL_TIME),
        }
    }

    #[test]
    fn an_item_that_is_added_twice_is_published_once() {
        let (pending, now) = (Pending::default(), Instant::now());
        assert!(pending.add(item("a"), now) && pending.add(item("a"), now));
        assert!(pending.add(item("b"), now + MS));
        assert_eq!(pending.take(now), Some(item("a")));
        assert_eq!(pending.take(now), None);
        assert_eq!(pending.next(), Some(now + MS));
        assert_eq!(pending.take(now + MS), Some(item("b")));
    }

    #[test]
    fn an_item_is_published_at_once_and_then_once_per_interval() {
        let (pending, now) = (Pending::default(), Instant::now());
        assert!(pending.add(item("a"), now));
        let taken = pending.take(now).unwrap();
        // While it is being published.
        assert!(pending.add(item("a"), now));
        pending.done(taken, now + MS, EVERY);
        assert!(!pending.is_quiet());
        assert_eq!(pending.take(now + EVERY), None);
        let taken = pending.take(now + EVERY + MS).unwrap();
        pending.done(taken, now + EVERY + MS, EVERY);
        // While it is cooling down.
        assert!(pending.is_quiet());
        assert!(pending.add(item("a"), now + EVERY + 2 * MS));
        assert_eq!(pending.take(now + 2 * EVERY), None);
        let taken = pending.take(now + 2 * EVERY + MS).unwrap();
        pending.done(taken, now + 2 * EVERY + MS, EVERY);
        // After that it is removed.
        assert_eq!(pending.take(now + 4 * EVERY), None);
        assert_eq!((pending.len(), pending.next()), (0, None));
    }

    #[test]
    fn a_returned_item_is_tried_again() {
        let (pending, now) = (Pending::default(), Instant::now());
        assert!(pending.add(item("a"), now));
        let taken = pending.take(now).unwrap();
        pending.retry(taken, now, EVERY);
        assert_eq!(pending.take(now), None);
        assert_eq!(pending.take(now + EVERY), Some(item("a")));
    }

    #[test]
    fn the_number_of_items_is_limited() {
        let (pending, now) = (Pending::default(), Instant::now());
        for number in 0..ITEMS_MAX {
            assert!(pending.add(item(&number.to_string()), now));
        }
        assert!(!pending.add(item("more"), now));
        assert!(pending.add(item("0"), now));
        let taken = pending.take(now).unwrap();
        pending.done(taken, now, Duration::ZERO);
        // All other items are due before it, so they are taken before it is removed.
        while let Some(taken) = pending.take(now) {
            pending.done(taken, now, EVERY);
        }
        assert_eq!(pending.take(now + EVERY), None);
        assert!(pending.add(item("more"), now));
    }

    #[test]
    fn draining_items_do_not_cool_down() {
        let (pending, now) = (Pending::default(), Instant::now());
        assert!(pending.add(item("a"), now));
        let taken = pending.take(now).unwrap();
        pending.done(taken, now, EVERY);
        assert!(pending.add(item("a"), now));
        assert_eq!(pending.take(now), None);
        pending.drain(now);
        let taken = pending.take(now).unwrap();
        pending.done(taken, now, EVERY);
        assert_eq!(pending.take(now), None);
        assert_eq!(pending.len(), 0);
    }
}
