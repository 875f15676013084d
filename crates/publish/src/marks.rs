//! What waits to be published at one target: [`Marks`].
//!
//! An item that is marked again while it waits is published once; one that was just published waits
//! until it may be published again. Times are parameters.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Window};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Items that are known of at once, those that rest included.
pub(crate) const ITEMS_MAX: usize = 100_000;

/// What of a board is to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Extent {
    /// This window.
    Window(Window),
    /// All windows that it has.
    Held,
    /// All windows that it has or may have had.
    Anywhere,
}

/// A board, or a window of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MarkedBoard {
    pub(crate) board: Arc<BoardName>,
    pub(crate) extent: Extent,
}

/// Items that wait, are under way, or rest, each with its time.
#[derive(Default)]
pub(crate) struct Marks {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    slots: HashMap<MarkedBoard, Slot>,
    /// When what waits is due, and what rests may go.
    queue: BTreeSet<(Instant, MarkedBoard)>,
    /// Nothing rests any more.
    hurried: bool,
}

#[derive(Debug, Clone, Copy)]
enum Slot {
    Waiting(Instant),
    Running { again: bool },
    Resting(Instant),
}

impl Marks {
    /// Has an item published. `false`: there is no room for it.
    #[must_use]
    pub(crate) fn mark(&self, item: MarkedBoard, now: Instant) -> bool {
        let mut state = self.state.lock();
        let is_full = state.slots.len() >= ITEMS_MAX;
        let due = match state.slots.get_mut(&item) {
            Some(Slot::Waiting(_)) => return true,
            Some(Slot::Running { again }) => {
                *again = true;
                return true;
            }
            // Its time in the queue stays.
            Some(Slot::Resting(until)) => *until,
            None if is_full => return false,
            None => now,
        };
        state.queue.insert((due, item.clone()));
        state.slots.insert(item, Slot::Waiting(due));
        drop(state);
        self.changed.notify_one();
        true
    }

    /// The item that is due first, if it is.
    pub(crate) fn take(&self, now: Instant) -> Option<MarkedBoard> {
        let mut state = self.state.lock();
        loop {
            let (due, _) = state.queue.first()?;
            if *due > now {
                return None;
            }
            let (_, item) = state.queue.pop_first()?;
            match state.slots.get_mut(&item) {
                Some(slot @ Slot::Waiting(_)) => {
                    *slot = Slot::Running { again: false };
                    return Some(item);
                }
                _ => {
                    state.slots.remove(&item);
                }
            }
        }
    }

    /// Ends an item that was taken: it is not published again before `every` has passed.
    pub(crate) fn done(&self, item: MarkedBoard, now: Instant, every: Duration) {
        let mut state = self.state.lock();
        let rest = if state.hurried { Duration::ZERO } else { every };
        let until = now + rest;
        let slot = match state.slots.get(&item) {
            Some(Slot::Running { again: true }) => Slot::Waiting(until),
            _ => Slot::Resting(until),
        };
        state.queue.insert((until, item.clone()));
        state.slots.insert(item, slot);
        drop(state);
        self.changed.notify_one();
    }

    /// Has an item that was taken tried again after this.
    pub(crate) fn again(&self, item: MarkedBoard, now: Instant, after: Duration) {
        let mut state = self.state.lock();
        let due = now + after;
        state.queue.insert((due, item.clone()));
        state.slots.insert(item, Slot::Waiting(due));
        drop(state);
        self.changed.notify_one();
    }

    /// When there is something to take or to let go of.
    pub(crate) fn next(&self) -> Option<Instant> {
        let state = self.state.lock();
        state.queue.first().map(|(due, _)| *due)
    }

    /// Items known of.
    pub(crate) fn len(&self) -> usize {
        self.state.lock().slots.len()
    }

    /// Whether nothing waits and nothing is under way.
    pub(crate) fn is_quiet(&self) -> bool {
        let state = self.state.lock();
        let mut slots = state.slots.values();
        slots.all(|slot| matches!(slot, Slot::Resting(_)))
    }

    /// Makes everything that waits due now, and has nothing rest from now on.
    pub(crate) fn hurry(&self, now: Instant) {
        let mut state = self.state.lock();
        state.hurried = true;
        let queue = std::mem::take(&mut state.queue);
        for (due, item) in queue {
            let due = due.min(now);
            if let Some(Slot::Waiting(at) | Slot::Resting(at)) = state.slots.get_mut(&item) {
                *at = due;
            }
            state.queue.insert((due, item));
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Ready when something was marked or ended.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY: Duration = Duration::from_secs(1);
    const MS: Duration = Duration::from_millis(1);

    fn item(subject: &str) -> MarkedBoard {
        MarkedBoard {
            board: Arc::new(format!("gifts/{subject}").parse().unwrap()),
            extent: Extent::Window(Window::ALL_TIME),
        }
    }

    #[test]
    fn what_is_marked_twice_is_published_once() {
        let (marks, now) = (Marks::default(), Instant::now());
        assert!(marks.mark(item("a"), now) && marks.mark(item("a"), now));
        assert!(marks.mark(item("b"), now + MS));
        assert_eq!(marks.take(now), Some(item("a")));
        assert_eq!(marks.take(now), None);
        assert_eq!(marks.next(), Some(now + MS));
        assert_eq!(marks.take(now + MS), Some(item("b")));
    }

    #[test]
    fn an_item_is_published_at_once_and_then_only_so_often() {
        let (marks, now) = (Marks::default(), Instant::now());
        assert!(marks.mark(item("a"), now));
        let taken = marks.take(now).unwrap();
        // While it is under way.
        assert!(marks.mark(item("a"), now));
        marks.done(taken, now + MS, EVERY);
        assert!(!marks.is_quiet());
        assert_eq!(marks.take(now + EVERY), None);
        let taken = marks.take(now + EVERY + MS).unwrap();
        marks.done(taken, now + EVERY + MS, EVERY);
        // While it rests.
        assert!(marks.is_quiet());
        assert!(marks.mark(item("a"), now + EVERY + 2 * MS));
        assert_eq!(marks.take(now + 2 * EVERY), None);
        let taken = marks.take(now + 2 * EVERY + MS).unwrap();
        marks.done(taken, now + 2 * EVERY + MS, EVERY);
        // Rested, it is forgotten.
        assert_eq!(marks.take(now + 4 * EVERY), None);
        assert_eq!((marks.len(), marks.next()), (0, None));
    }

    #[test]
    fn what_failed_is_tried_again() {
        let (marks, now) = (Marks::default(), Instant::now());
        assert!(marks.mark(item("a"), now));
        let taken = marks.take(now).unwrap();
        marks.again(taken, now, EVERY);
        assert_eq!(marks.take(now), None);
        assert_eq!(marks.take(now + EVERY), Some(item("a")));
    }

    #[test]
    fn there_is_room_for_so_many() {
        let (marks, now) = (Marks::default(), Instant::now());
        for number in 0..ITEMS_MAX {
            assert!(marks.mark(item(&number.to_string()), now));
        }
        assert!(!marks.mark(item("more"), now));
        assert!(marks.mark(item("0"), now));
        let taken = marks.take(now).unwrap();
        marks.done(taken, now, Duration::ZERO);
        // The rest of those that are due has to be taken before it goes.
        while let Some(taken) = marks.take(now) {
            marks.done(taken, now, EVERY);
        }
        assert_eq!(marks.take(now + EVERY), None);
        assert!(marks.mark(item("more"), now));
    }

    #[test]
    fn nothing_waits_once_marks_are_hurried() {
        let (marks, now) = (Marks::default(), Instant::now());
        assert!(marks.mark(item("a"), now));
        let taken = marks.take(now).unwrap();
        marks.done(taken, now, EVERY);
        assert!(marks.mark(item("a"), now));
        assert_eq!(marks.take(now), None);
        marks.hurry(now);
        let taken = marks.take(now).unwrap();
        marks.done(taken, now, EVERY);
        assert_eq!(marks.take(now), None);
        assert_eq!(marks.len(), 0);
    }
}
