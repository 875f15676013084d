//! The items that are to be published at a later time, when a window or a board ends: [`Schedule`].

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use board::{Activity, Kind, KindName, Period, Publication, Timestamp, Window};
use tokio::time::Instant;

use crate::item::{Extent, Item};

/// The number of scheduled items.
const ITEMS_MAX: usize = 100_000;

/// The time from the first item that exceeded [`ITEMS_MAX`] to a scan of its kind. So a kind is scanned at most this
/// often.
const SCAN_AFTER: Duration = Duration::from_mins(1);

/// The scheduled items, by the time at which they are to be published.
pub(crate) struct Schedule {
    max: usize,
    times: HashMap<Item, Instant>,
    queue: BTreeSet<(Instant, Item)>,
    /// The kinds of items that exceeded the limit, by the time at which their boards are to be scanned. The scan
    /// schedules these items again.
    scans: HashMap<KindName, Instant>,
}

impl Default for Schedule {
    fn default() -> Self {
        Self::with_limit(ITEMS_MAX)
    }
}

impl Schedule {
    fn with_limit(max: usize) -> Self {
        Self {
            max,
            times: HashMap::new(),
            queue: BTreeSet::new(),
            scans: HashMap::new(),
        }
    }

    /// Schedules an item. If there are too many, schedules a scan of its kind instead.
    pub(crate) fn add(&mut self, item: Item, at: Instant) {
        if let Some(before) = self.times.get(&item) {
            if *before <= at {
                return;
            }
            self.queue.remove(&(*before, item.clone()));
        } else if self.times.len() >= self.max {
            let at = at + SCAN_AFTER;
            let scan = self.scans.entry(item.board.kind().clone());
            scan.and_modify(|scan| *scan = at.min(*scan)).or_insert(at);
            return;
        }
        self.queue.insert((at, item.clone()));
        self.times.insert(item, at);
    }

    /// Takes the first item, if it is due.
    pub(crate) fn take(&mut self, now: Instant) -> Option<Item> {
        let (at, _) = self.queue.first()?;
        if *at > now {
            return None;
        }
        let (_, item) = self.queue.pop_first()?;
        self.times.remove(&item);
        Some(item)
    }

    /// Takes the kinds that are to be scanned now.
    pub(crate) fn take_scans(&mut self, now: Instant) -> Vec<KindName> {
        let due = self.scans.extract_if(|_, at| *at <= now);
        due.map(|(kind, _)| kind).collect()
    }

    /// Returns when the first item or scan is due.
    pub(crate) fn next(&self) -> Option<Instant> {
        let first = self.queue.first().map(|(at, _)| *at);
        first.into_iter().chain(self.scans.values().copied()).min()
    }
}

/// Returns what is to be published after this window, and when: the same window once it is final, `tolerance` after it
/// has closed; or, if windows share a key, the next window once it begins.
pub(crate) fn after_window(
    kind: &Kind,
    publication: &Publication,
    window: Window,
    tolerance: Duration,
    now: Timestamp,
) -> Option<(Timestamp, Extent)> {
    let end = kind.calendar().span(window).end?;
    if publication.key.is_shared_by_windows() {
        return Some((
            end,
            Extent::Window(current_window(kind, window.period(), end)),
        ));
    }
    let closed = kind.closes_at(window)?.plus(tolerance);
    (closed > now).then_some((closed, Extent::Window(window)))
}

/// Returns when this window is to be published again because the board ends or expires.
pub(crate) fn after_board(
    activity: &Activity,
    window: Window,
    tolerance: Duration,
    now: Timestamp,
) -> Option<(Timestamp, Extent)> {
    let ended = activity.ends_at().map(|at| at.plus(tolerance));
    let times = [ended, activity.expires_at()];
    let next = times.into_iter().flatten().filter(|at| *at > now).min()?;
    Some((next, Extent::Window(window)))
}

/// Returns the window of this period that contains `now`.
pub(crate) fn current_window(kind: &Kind, period: Period, now: Timestamp) -> Window {
    kind.calendar().span_at(period, now).window
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn item(subject: &str) -> Item {
        Item {
            board: Arc::new(format!("gifts/{subject}").parse().unwrap()),
            extent: Extent::Window(Window::ALL_TIME),
        }
    }

    #[test]
    fn items_are_taken_in_the_order_of_their_times_each_once() {
        let (mut schedule, now) = (Schedule::default(), Instant::now());
        let at = |seconds| now + Duration::from_secs(seconds);
        for (subject, seconds) in [("b", 2), ("a", 3), ("a", 1), ("b", 5)] {
            schedule.add(item(subject), at(seconds));
        }
        assert_eq!(schedule.take(now), None);
        assert_eq!(schedule.take(at(2)), Some(item("a")));
        assert_eq!(schedule.take(at(2)), Some(item("b")));
        assert_eq!((schedule.take(at(9)), schedule.next()), (None, None));
    }

    #[test]
    fn kinds_of_items_beyond_the_limit_are_scanned() {
        let (mut schedule, now) = (Schedule::with_limit(1), Instant::now());
        let at = |seconds| now + Duration::from_secs(seconds);
        for (subject, seconds) in [("a", 9), ("b", 5), ("c", 3), ("d", 4)] {
            schedule.add(item(subject), at(seconds));
        }
        assert_eq!(schedule.take(at(9)), Some(item("a")));
        let scan = at(3) + SCAN_AFTER;
        assert_eq!(schedule.next(), Some(scan));
        assert_eq!(schedule.take_scans(at(3)), []);
        assert_eq!(schedule.take_scans(scan), ["gifts".parse().unwrap()]);
        assert_eq!(
            (schedule.take_scans(scan), schedule.next()),
            (Vec::new(), None)
        );
    }

    #[test]
    fn a_window_is_published_when_it_closes_and_under_a_shared_key_when_the_next_begins() {
        let kind = |key: &str, close: &str| {
            let shape = format!(
                r#"{{"windows": ["day"], "close": {close},
                    "publish": {{"target": "readers", "key": "{key}"}}}}"#
            );
            let shape: wire::KindShape = serde_json::from_str(&shape).unwrap();
            let mut targets = board::PublishTargets::default();
            targets
                .add("readers".parse().unwrap(), "redis://a".parse().unwrap())
                .unwrap();
            shape
                .into_kind_at("gifts", board::ShardCount::DEFAULT, &targets)
                .unwrap()
        };
        let at = |text| Timestamp::parse_rfc3339(text).unwrap();
        let now = at("2026-11-20T12:00:00Z");
        let after = |kind: &Kind, now| {
            let window = current_window(kind, Period::Day, at("2026-11-20T12:00:00Z"));
            after_window(
                kind,
                kind.publication().unwrap(),
                window,
                Duration::ZERO,
                now,
            )
        };
        let closing = kind("{subject}:{window}", r#"{"day": "10m"}"#);
        let window = |text| Extent::Window(current_window(&closing, Period::Day, at(text)));
        let closed = at("2026-11-21T00:10:00Z");
        assert_eq!(
            after(&closing, now),
            Some((closed, window("2026-11-20T00:00:00Z")))
        );
        assert_eq!(after(&closing, closed), None);
        assert_eq!(after(&kind("{subject}:{window}", "{}"), now), None);
        assert_eq!(
            after(&kind("{subject}:{period}", "{}"), now),
            Some((at("2026-11-21T00:00:00Z"), window("2026-11-21T00:00:00Z")))
        );
    }

    #[test]
    fn a_board_with_a_time_of_its_own_is_published_when_it_ends_and_when_it_expires() {
        let at = |text| Timestamp::parse_rfc3339(text).unwrap();
        let (start, end, expiry) = (
            at("2026-11-20T20:00:00Z"),
            at("2026-11-20T20:15:00Z"),
            at("2026-11-20T21:15:00Z"),
        );
        let battle = Activity::new(Some(start), Some(end), Some(Duration::from_hours(1))).unwrap();
        let after = |activity: &Activity, now| {
            after_board(activity, Window::ALL_TIME, Duration::ZERO, now).map(|(at, _)| at)
        };
        assert_eq!(after(&battle, start), Some(end));
        assert_eq!(after(&battle, end), Some(expiry));
        assert_eq!(after(&battle, expiry), None);
        assert_eq!(after(&Activity::ALWAYS, start), None);
    }
}
