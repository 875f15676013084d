//! Which windows take a contribution, and which are closed, kept or gone, at a given time.
//!
//! All of it follows from the calendar and the kind's settings; nothing is inferred from what a
//! store holds. `now` is a parameter.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::kind::{Keep, Kind, WindowRule};
use crate::limits::FUTURE_MAX;
use crate::timestamp::Timestamp;
use crate::window::{Period, Span, Window};

/// The windows that a contribution counts in, shared by all contributions of about one time.
pub type Windows = Arc<[Window]>;

/// Why no window takes a contribution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmitted {
    /// `at` is too far ahead of the server's clock.
    #[error("at: {at} is more than 5 minutes ahead of the server's clock, {now}")]
    FromTheFuture {
        /// The contribution's time.
        at: Timestamp,
        /// The server's.
        now: Timestamp,
    },
    /// Every window of the kind that holds `at` is closed or no longer kept.
    #[error("at: every window of the kind that {at} falls into is closed")]
    WindowClosed {
        /// The contribution's time.
        at: Timestamp,
    },
    /// A packed kind has no bits for `at`.
    #[error("at: {at} is outside of what the kind's packed standings can hold{}", span_of(*.span))]
    OutOfRange {
        /// The contribution's time.
        at: Timestamp,
        /// From when to when the kind's window without bounds takes contributions.
        span: Option<(Timestamp, Timestamp)>,
    },
}

fn span_of(span: Option<(Timestamp, Timestamp)>) -> String {
    span.map_or_else(String::new, |(from, until)| format!(", {from} to {until}"))
}

/// What a window takes and shows, at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowState {
    /// Contributions count in it.
    Open,
    /// Nothing counts in it any more; it can be read.
    Closed,
    /// Past its retention.
    Gone,
    /// It began before its period was added to the kind.
    NeverKept,
}

impl Kind {
    /// The windows that a contribution of this time counts in, in the kind's order.
    pub fn admit(&self, at: Timestamp, now: Timestamp) -> Result<Windows, NotAdmitted> {
        Admission::default().admit(self, at, now)
    }

    /// What a window takes and shows. The period is one of the kind's.
    #[must_use]
    pub fn window_state(&self, window: Window, now: Timestamp) -> WindowState {
        self.window_rule(window.period())
            .map_or(WindowState::NeverKept, |rule| {
                rule.state(&self.calendar().span(window), now)
            })
    }

    /// From when on the window takes nothing more, if that is ever so. The period is one of the kind's.
    #[must_use]
    pub fn closes_at(&self, window: Window) -> Option<Timestamp> {
        let close = self.window_rule(window.period())?.close?;
        let end = self.calendar().span(window).end?;
        Some(end.plus(close))
    }

    /// From when on no window takes what happened at `at`. `None`: some window always does.
    #[must_use]
    pub fn admits_until(&self, at: Timestamp) -> Option<Timestamp> {
        let until = |rule: &WindowRule| {
            let end = self.calendar().span_at(rule.period, at).end?;
            let kept = match rule.keep {
                Keep::After(keep) => Some(end.plus(keep)),
                Keep::Forever | Keep::Idle(_) => None,
            };
            let closed = rule.close.map(|close| end.plus(close));
            [kept, closed].into_iter().flatten().min()
        };
        let untils: Option<Vec<_>> = self.windows().iter().map(until).collect();
        untils?.into_iter().max()
    }

    /// Whether a store may drop the window. An idle board's window is not told by this.
    #[must_use]
    pub fn is_expired(&self, window: Window, now: Timestamp) -> bool {
        matches!(
            self.window_state(window, now),
            WindowState::Gone | WindowState::NeverKept
        )
    }

    /// How long after the last write a board's unbounded window goes, if it goes.
    #[must_use]
    pub fn idle(&self) -> Option<std::time::Duration> {
        match self.window_rule(Period::All)?.keep {
            Keep::Idle(span) => Some(span),
            Keep::Forever | Keep::After(_) => None,
        }
    }
}

impl WindowRule {
    fn state(&self, span: &Span, now: Timestamp) -> WindowState {
        if self.since.is_some_and(|since| span.window.start() < since) {
            return WindowState::NeverKept;
        }
        let Some(end) = span.end else {
            return WindowState::Open;
        };
        if let Keep::After(keep) = self.keep
            && now >= end.plus(keep)
        {
            return WindowState::Gone;
        }
        match self.close {
            Some(close) if now >= end.plus(close) => WindowState::Closed,
            _ => WindowState::Open,
        }
    }
}

/// Admits one contribution after another, and remembers the last windows: events come in about the
/// order of their time, so that nearly all of them need no calendar.
#[derive(Debug, Default)]
pub struct Admission {
    /// The spans that held the last contribution, one a window rule.
    spans: SmallVec<[Span; 5]>,
    windows: Option<Windows>,
    /// From when to when (exclusive) the windows stay what they are, for the same `now`.
    valid: Option<(Timestamp, Timestamp)>,
    now: Option<Timestamp>,
    closes_at: Option<Timestamp>,
}

impl Admission {
    /// When the first of the windows closes that were admitted last, if one does.
    #[must_use]
    pub const fn closes_at(&self) -> Option<Timestamp> {
        self.closes_at
    }

    /// As [`Kind::admit`]. One admission serves one kind.
    pub fn admit(
        &mut self,
        kind: &Kind,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<Windows, NotAdmitted> {
        if at > now.plus(FUTURE_MAX) {
            return Err(NotAdmitted::FromTheFuture { at, now });
        }
        let known =
            self.now == Some(now) && self.valid.is_some_and(|(from, to)| from <= at && at < to);
        let windows = match &self.windows {
            Some(windows) if known => windows.clone(),
            _ => self.resolve(kind, at, now),
        };
        if windows.is_empty() {
            return Err(NotAdmitted::WindowClosed { at });
        }
        if let Some(packing) = kind.rules().packing()
            && !windows.iter().all(|window| packing.has_room(*window, at))
        {
            let span = packing.span;
            return Err(NotAdmitted::OutOfRange { at, span });
        }
        Ok(windows)
    }

    fn resolve(&mut self, kind: &Kind, at: Timestamp, now: Timestamp) -> Windows {
        let calendar = kind.calendar();
        let old = std::mem::take(&mut self.spans);
        let (mut from, mut to) = (
            Timestamp::from_millis(i64::MIN),
            Timestamp::from_millis(i64::MAX),
        );
        let mut open: SmallVec<[Window; 5]> = SmallVec::new();
        let mut closes_at = None;
        for rule in kind.windows() {
            let known = old
                .iter()
                .find(|s| s.window.period() == rule.period && s.contains(at));
            let span = known
                .copied()
                .unwrap_or_else(|| calendar.span_at(rule.period, at));
            if let Some(end) = span.end {
                from = from.max(span.window.start());
                to = to.min(end);
            }
            if rule.state(&span, now) == WindowState::Open {
                open.push(span.window);
                let closes = span.end.zip(rule.close).map(|(end, close)| end.plus(close));
                closes_at = closes_at.into_iter().chain(closes).min();
            }
            self.spans.push(span);
        }
        self.closes_at = closes_at;
        self.valid = Some((from, to));
        self.now = Some(now);
        let windows: Windows = Arc::from(open.as_slice());
        self.windows = Some(windows.clone());
        windows
    }
}
