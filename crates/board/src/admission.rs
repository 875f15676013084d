//! Which windows accept a contribution at a given time, and which are closed or expired.
//!
//! All of it follows from the calendar and the kind's settings; nothing is inferred from what a
//! store holds. `now` is a parameter.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::calendar::Timestamp;
use crate::calendar::{Period, Span, Window};
use crate::kind::Kind;
use crate::limits::FUTURE_MAX;
use crate::window_rule::{Keep, WindowRule};

/// The windows in which a contribution counts. Contributions of about the same time share one list.
pub type Windows = Arc<[Window]>;

/// Why no window accepts a contribution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdmissionError {
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
        /// The range in which the kind's window without bounds accepts contributions.
        span: Option<(Timestamp, Timestamp)>,
    },
}

fn span_of(span: Option<(Timestamp, Timestamp)>) -> String {
    span.map_or_else(String::new, |(from, until)| format!(", {from} to {until}"))
}

/// Whether a window can be written and read, at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowState {
    /// Contributions count in it.
    Open,
    /// Contributions are no longer accepted; the window can be read.
    Closed,
    /// Past its retention.
    Expired,
    /// It began before its period was added to the kind.
    BeforePeriod,
}

impl Kind {
    /// Returns the windows in which a contribution of this time counts, in the kind's order.
    pub fn admit(&self, at: Timestamp, now: Timestamp) -> Result<Windows, AdmissionError> {
        Admission::default().admit(self, at, now)
    }

    /// Returns the state of a window. The period is one of the kind's.
    #[must_use]
    pub fn window_state(&self, window: Window, now: Timestamp) -> WindowState {
        self.window_rule(window.period())
            .map_or(WindowState::BeforePeriod, |rule| {
                rule.state(&self.calendar().span(window), now)
            })
    }

    /// Returns the moment from which the window accepts no contributions, if it ever closes. The
    /// period is one of the kind's.
    #[must_use]
    pub fn closes_at(&self, window: Window) -> Option<Timestamp> {
        let close = self.window_rule(window.period())?.close?;
        let end = self.calendar().span(window).end?;
        Some(end.plus(close))
    }

    /// Returns the moment from which no window accepts contributions dated `at`. `None`: some
    /// window always does.
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

    /// Returns whether a store may drop the window. Does not cover the windows of idle boards.
    #[must_use]
    pub fn is_expired(&self, window: Window, now: Timestamp) -> bool {
        matches!(
            self.window_state(window, now),
            WindowState::Expired | WindowState::BeforePeriod
        )
    }

    /// Returns how long after the last write a board's unbounded window is dropped, if it is.
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
            return WindowState::BeforePeriod;
        }
        let Some(end) = span.end else {
            return WindowState::Open;
        };
        if let Keep::After(keep) = self.keep
            && now >= end.plus(keep)
        {
            return WindowState::Expired;
        }
        match self.close {
            Some(close) if now >= end.plus(close) => WindowState::Closed,
            _ => WindowState::Open,
        }
    }
}

/// Admits one contribution after another and caches the last windows. Contributions arrive roughly
/// in the order of their time, so that nearly all of them need no calendar lookup.
#[derive(Debug, Default)]
pub struct Admission {
    /// The spans that contained the last contribution, one for each window rule.
    spans: SmallVec<[Span; 5]>,
    windows: Option<Windows>,
    /// The range of `at` (end exclusive) for which `windows` is valid, for the same `now`.
    valid: Option<(Timestamp, Timestamp)>,
    now: Option<Timestamp>,
    closes_at: Option<Timestamp>,
}

impl Admission {
    /// Returns when the first of the last admitted windows closes, if one does.
    #[must_use]
    pub const fn closes_at(&self) -> Option<Timestamp> {
        self.closes_at
    }

    /// Does what [`Kind::admit`] does. One `Admission` serves one kind.
    pub fn admit(
        &mut self,
        kind: &Kind,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<Windows, AdmissionError> {
        if at > now.plus(FUTURE_MAX) {
            return Err(AdmissionError::FromTheFuture { at, now });
        }
        let known =
            self.now == Some(now) && self.valid.is_some_and(|(from, to)| from <= at && at < to);
        let windows = match &self.windows {
            Some(windows) if known => windows.clone(),
            _ => self.resolve(kind, at, now),
        };
        if windows.is_empty() {
            return Err(AdmissionError::WindowClosed { at });
        }
        if let Some(packing) = kind.rules().packing()
            && !windows.iter().all(|window| packing.has_room(*window, at))
        {
            let span = packing.span;
            return Err(AdmissionError::OutOfRange { at, span });
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
