//! [`ReadWindow`]: the window that a read is about.

use std::time::Duration;

use board::{Activity, BoardName, Calendar, Kind, Timestamp, Window};
use http_server::validators::Freshness;
use merger::{ReadResult, Snapshot, TopForm, TopView, final_from};
use wire::Envelope;

/// The window of a read, with what its responses need of the kind.
#[derive(Debug, Clone)]
pub(crate) struct ReadWindow {
    pub(crate) window: Window,
    /// When it closes, if it does.
    closes_at: Option<Timestamp>,
    /// How much longer servers with other clocks may write to it.
    clock_tolerance: Duration,
    /// The number of members that the kind ranks, if it ranks only the best.
    pub(crate) listed: Option<u64>,
    calendar: Calendar,
    /// Of final responses.
    final_freshness: Freshness,
}

impl ReadWindow {
    pub(crate) fn new(
        kind: &Kind,
        window: Window,
        clock_tolerance: Duration,
        final_freshness: Freshness,
    ) -> Self {
        Self {
            window,
            closes_at: kind.closes_at(window),
            clock_tolerance,
            listed: kind.retain().map(|retain| retain.keep),
            calendar: kind.calendar().clone(),
            final_freshness,
        }
    }

    /// Returns the window for a response that also depends on something else if `condition` holds: it is validated even
    /// if it is final.
    pub(crate) fn validated_if(mut self, condition: bool) -> Self {
        if condition {
            self.final_freshness = Freshness::Validated;
        }
        self
    }

    /// Returns who may keep a response.
    pub(crate) const fn freshness(&self, is_final: bool) -> Freshness {
        if is_final {
            self.final_freshness
        } else {
            Freshness::Validated
        }
    }

    /// Whether a read that began at `as_of` shows all that the window of a board with this activity will ever have. The
    /// current time does not matter: what was read before the end is not final after it.
    pub(crate) fn is_final(&self, as_of: Timestamp, activity: &Activity) -> bool {
        let from = final_from(self.closes_at, activity, self.clock_tolerance);
        from.is_some_and(|from| as_of >= from)
    }

    /// Returns the envelope of a response about a board in this window.
    pub(crate) fn envelope<'a, T>(
        &self,
        board: &'a BoardName,
        read: &'a ReadResult<T>,
    ) -> Envelope<'a> {
        Envelope {
            board,
            window: self.name().into(),
            version: read.version.text().into(),
            as_of: read.as_of,
            members: read.members,
            listed: self.listed,
            activity: &read.activity,
            is_final: self.is_final(read.as_of, &read.activity),
            stale: false,
        }
    }

    /// Returns what distinguishes the response with the best `n` of a view from others made of the same snapshot.
    pub(crate) fn form(&self, view: &TopView, n: usize) -> TopForm {
        let Snapshot {
            as_of, activity, ..
        } = &*view.snapshot;
        self.form_at(*as_of, activity, view.stale, n)
    }

    /// The same for a board with this activity that was read at `as_of`.
    pub(crate) fn form_at(
        &self,
        as_of: Timestamp,
        activity: &Activity,
        stale: bool,
        n: usize,
    ) -> TopForm {
        let is_final = self.is_final(as_of, activity);
        TopForm {
            window: self.window,
            n,
            is_final,
            // A final top is current whether the store can be reached or not.
            stale: stale && !is_final,
            listed: self.listed,
        }
    }

    /// Returns the name of the window. Made on each call: a cached response does not need it.
    pub(crate) fn name(&self) -> String {
        self.calendar.name(self.window)
    }
}
