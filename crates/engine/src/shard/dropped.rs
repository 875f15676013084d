//! [`Dropped`]: up to where the windows of a shard were dropped.

use board::{Period, Timestamp, Window};
use smallvec::SmallVec;

/// By period, the latest start of a window that was dropped: most kinds have up to four periods with
/// bounds. Sorted by period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dropped(SmallVec<[(Period, Timestamp); 4]>);

impl Dropped {
    /// Closes the window, and those of its period that began before it. Windows without bounds are
    /// never dropped.
    pub(crate) fn note(&mut self, window: Window) {
        if window.period() == Period::All {
            return;
        }
        let (period, start) = (window.period(), window.start());
        match self.0.binary_search_by_key(&period, |(held, _)| *held) {
            Ok(index) => self.0[index].1 = start.max(self.0[index].1),
            Err(index) => self.0.insert(index, (period, start)),
        }
    }

    /// Closes what another shard has closed.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (period, start) in other.iter() {
            self.note(Window::starting_at(period, start));
        }
    }

    /// Returns whether the window is closed.
    pub(crate) fn covers(&self, window: Window) -> bool {
        self.iter()
            .any(|(period, start)| period == window.period() && window.start() <= start)
    }

    /// Returns whether no window was dropped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the periods of which a window was dropped, and the latest start of each.
    pub fn iter(&self) -> impl Iterator<Item = (Period, Timestamp)> {
        self.0.iter().copied()
    }
}

impl FromIterator<(Period, Timestamp)> for Dropped {
    fn from_iter<I: IntoIterator<Item = (Period, Timestamp)>>(starts: I) -> Self {
        let mut dropped = Self::default();
        for (period, start) in starts {
            dropped.note(Window::starting_at(period, start));
        }
        dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(period: Period, start: i64) -> Window {
        Window::starting_at(period, Timestamp::from_millis(start))
    }

    #[test]
    fn each_period_is_closed_up_to_its_latest_start() {
        let mut dropped = Dropped::default();
        assert!(dropped.is_empty());
        for (period, start) in [
            (Period::Day, 20),
            (Period::SixHours, 15),
            (Period::Day, 10),
            (Period::All, 90),
            (Period::Year, 1),
        ] {
            dropped.note(window(period, start));
        }
        for (period, start, closed) in [
            (Period::Day, 20, true),
            (Period::Day, 5, true),
            (Period::Day, 21, false),
            (Period::SixHours, 15, true),
            (Period::SixHours, 16, false),
            (Period::Hour, 1, false),
            (Period::All, 0, false),
        ] {
            assert_eq!(
                dropped.covers(window(period, start)),
                closed,
                "{period} {start}"
            );
        }
        let mut other = Dropped::from_iter([(Period::Day, Timestamp::from_millis(30))]);
        other.merge(&dropped);
        let at = Timestamp::from_millis;
        let expected = [
            (Period::SixHours, at(15)),
            (Period::Day, at(30)),
            (Period::Year, at(1)),
        ];
        assert_eq!(other, Dropped::from_iter(expected));
        assert!(other.iter().eq(expected));
    }
}
