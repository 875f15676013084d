//! What is to be published when a window ends or closes: [`Ends`].

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use board::{Activity, Kind, KindName, Period, Publication, Timestamp, Window};
use tokio::time::Instant;

use crate::marks::{Extent, MarkedBoard};

/// Ends that are remembered.
const ENDS_MAX: usize = 100_000;

/// How long after the first end that there was no room for all boards of its kind are gone through. So that is
/// at most this often.
const WALK_AFTER: Duration = Duration::from_mins(1);

/// Items, by when they are to be published.
pub(crate) struct Ends {
    max: usize,
    times: HashMap<MarkedBoard, Instant>,
    queue: BTreeSet<(Instant, MarkedBoard)>,
    /// Kinds with ends that there was no room for, by when their boards are to be gone through, which
    /// finds the next ends again.
    walks: HashMap<KindName, Instant>,
}

impl Default for Ends {
    fn default() -> Self {
        Self::with_room_for(ENDS_MAX)
    }
}

impl Ends {
    fn with_room_for(max: usize) -> Self {
        Self {
            max,
            times: HashMap::new(),
            queue: BTreeSet::new(),
            walks: HashMap::new(),
        }
    }

    /// Remembers one; where there is no room, that its kind has one.
    pub(crate) fn add(&mut self, item: MarkedBoard, at: Instant) {
        if let Some(before) = self.times.get(&item) {
            if *before <= at {
                return;
            }
            self.queue.remove(&(*before, item.clone()));
        } else if self.times.len() >= self.max {
            let at = at + WALK_AFTER;
            let walk = self.walks.entry(item.board.kind().clone());
            walk.and_modify(|walk| *walk = at.min(*walk)).or_insert(at);
            return;
        }
        self.queue.insert((at, item.clone()));
        self.times.insert(item, at);
    }

    /// The first, if it is due.
    pub(crate) fn take(&mut self, now: Instant) -> Option<MarkedBoard> {
        let (at, _) = self.queue.first()?;
        if *at > now {
            return None;
        }
        let (_, item) = self.queue.pop_first()?;
        self.times.remove(&item);
        Some(item)
    }

    /// The kinds whose boards are to be gone through now.
    pub(crate) fn take_walks(&mut self, now: Instant) -> Vec<KindName> {
        let due = self.walks.extract_if(|_, at| *at <= now);
        due.map(|(kind, _)| kind).collect()
    }

    /// When the first is due.
    pub(crate) fn next(&self) -> Option<Instant> {
        let first = self.queue.first().map(|(at, _)| *at);
        first.into_iter().chain(self.walks.values().copied()).min()
    }
}

/// What is to be published after a window was, and when: the same once it is closed and so final, or,
/// where windows follow each other under one key, the next. It is final `tolerance` after it has closed.
pub(crate) fn after(
    kind: &Kind,
    publication: &Publication,
    window: Window,
    tolerance: Duration,
    now: Timestamp,
) -> Option<(Timestamp, Extent)> {
    let end = kind.calendar().span(window).end?;
    if publication.key.is_shared_by_windows() {
        return Some((end, Extent::Window(current(kind, window.period(), end))));
    }
    let closed = kind.closes_at(window)?.plus(tolerance);
    (closed > now).then_some((closed, Extent::Window(window)))
}

/// What is to be published when the board's own time turns: the same, as final, and what is left when it goes.
pub(crate) fn turn(
    activity: &Activity,
    window: Window,
    tolerance: Duration,
    now: Timestamp,
) -> Option<(Timestamp, Extent)> {
    let ended = activity.ends_at().map(|at| at.plus(tolerance));
    let turns = [ended, activity.expires_at()];
    let next = turns.into_iter().flatten().filter(|at| *at > now).min()?;
    Some((next, Extent::Window(window)))
}

/// The window of this period that is on.
pub(crate) fn current(kind: &Kind, period: Period, now: Timestamp) -> Window {
    kind.calendar().span_at(period, now).window
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn item(subject: &str) -> MarkedBoard {
        MarkedBoard {
            board: Arc::new(format!("gifts/{subject}").parse().unwrap()),
            extent: Extent::Window(Window::ALL_TIME),
        }
    }

    #[test]
    fn ends_come_in_their_order_each_once() {
        let (mut ends, now) = (Ends::default(), Instant::now());
        let at = |seconds| now + Duration::from_secs(seconds);
        for (subject, seconds) in [("b", 2), ("a", 3), ("a", 1), ("b", 5)] {
            ends.add(item(subject), at(seconds));
        }
        assert_eq!(ends.take(now), None);
        assert_eq!(ends.take(at(2)), Some(item("a")));
        assert_eq!(ends.take(at(2)), Some(item("b")));
        assert_eq!((ends.take(at(9)), ends.next()), (None, None));
    }

    #[test]
    fn ends_without_room_have_their_kind_gone_through() {
        let (mut ends, now) = (Ends::with_room_for(1), Instant::now());
        let at = |seconds| now + Duration::from_secs(seconds);
        for (subject, seconds) in [("a", 9), ("b", 5), ("c", 3), ("d", 4)] {
            ends.add(item(subject), at(seconds));
        }
        assert_eq!(ends.take(at(9)), Some(item("a")));
        let walk = at(3) + WALK_AFTER;
        assert_eq!(ends.next(), Some(walk));
        assert_eq!(ends.take_walks(at(3)), []);
        assert_eq!(ends.take_walks(walk), ["gifts".parse().unwrap()]);
        assert_eq!((ends.take_walks(walk), ends.next()), (Vec::new(), None));
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
            shape.into_kind_at("gifts", &targets).unwrap()
        };
        let at = |text| Timestamp::parse_rfc3339(text).unwrap();
        let now = at("2026-11-20T12:00:00Z");
        let after = |kind: &Kind, now| {
            let window = current(kind, Period::Day, at("2026-11-20T12:00:00Z"));
            after(
                kind,
                kind.publication().unwrap(),
                window,
                Duration::ZERO,
                now,
            )
        };
        let closing = kind("{subject}:{window}", r#"{"day": "10m"}"#);
        let window = |text| Extent::Window(current(&closing, Period::Day, at(text)));
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
    fn a_board_with_a_time_of_its_own_is_published_when_it_ends_and_when_it_goes() {
        let at = |text| Timestamp::parse_rfc3339(text).unwrap();
        let (start, end, gone) = (
            at("2026-11-20T20:00:00Z"),
            at("2026-11-20T20:15:00Z"),
            at("2026-11-20T21:15:00Z"),
        );
        let battle = Activity::new(Some(start), Some(end), Some(Duration::from_hours(1))).unwrap();
        let turn = |activity: &Activity, now| {
            super::turn(activity, Window::ALL_TIME, Duration::ZERO, now).map(|(at, _)| at)
        };
        assert_eq!(turn(&battle, start), Some(end));
        assert_eq!(turn(&battle, end), Some(gone));
        assert_eq!(turn(&battle, gone), None);
        assert_eq!(turn(&Activity::ALWAYS, start), None);
    }
}
