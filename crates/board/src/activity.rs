//! The time of one board: from when to when contributions count on it, and when it goes.
//!
//! An [`Activity`] is set for a board before its first contribution (a PK battle, a campaign) and stays
//! for its incarnation. It stands beside the kind's windows: a contribution has to fit both. Not here: any
//! clock, and who ends a board whose time is over.

use std::fmt;
use std::time::Duration;

use crate::limits::{KEEP_MAX, NAMES_CLOSED, SETTINGS_KEPT};
use crate::timestamp::Timestamp;

const MILLISECOND: Duration = Duration::from_millis(1);

/// From when to when a board takes contributions, and how long it is kept after its end. The default
/// is a board without bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Activity {
    starts_at: Option<Timestamp>,
    ends_at: Option<Timestamp>,
    expires_after: Option<Duration>,
}

/// Why these settings are no time of a board. Names the setting and its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ActivityError {
    /// It would end before it has begun.
    #[error("ends_at: {ends_at} is not after starts_at, {starts_at}")]
    EndsBeforeItStarts {
        /// The start.
        starts_at: Timestamp,
        /// The end.
        ends_at: Timestamp,
    },
    /// A board without an end has none to be kept after.
    #[error("expires_after: needs ends_at, which the board is kept after")]
    ExpiresWithoutEnd,
    /// The span is out of its range.
    #[error("expires_after: {0:?} is not from 1 ms to 1000 years")]
    ExpiresOutOfRange(Duration),
    /// It would go past the last moment that can be told.
    #[error("expires_after: {0:?} behind the end is past the year 9999")]
    ExpiresTooLate(Duration),
}

/// A contribution, a set or a removal falls outside of a board's time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotOpen {
    /// By its own time.
    #[error("at: {at} lies outside of the board's time, {activity}")]
    Outside {
        /// The contribution's time.
        at: Timestamp,
        /// The board's.
        activity: Activity,
    },
    /// It comes after the end, whatever its own time.
    #[error("ends_at: it is {now}, and the board's time, {activity}, is over")]
    Over {
        /// The server's time.
        now: Timestamp,
        /// The board's.
        activity: Activity,
    },
}

impl Activity {
    /// A board without bounds.
    pub const ALWAYS: Self = Self {
        starts_at: None,
        ends_at: None,
        expires_after: None,
    };

    /// The time of a board: `starts_at` is in it, `ends_at` is not. What it is kept for after its end
    /// counts in whole milliseconds.
    pub fn new(
        starts_at: Option<Timestamp>,
        ends_at: Option<Timestamp>,
        expires_after: Option<Duration>,
    ) -> Result<Self, ActivityError> {
        if let (Some(starts_at), Some(ends_at)) = (starts_at, ends_at)
            && ends_at <= starts_at
        {
            return Err(ActivityError::EndsBeforeItStarts { starts_at, ends_at });
        }
        if let Some(kept) = expires_after {
            let ends_at = ends_at.ok_or(ActivityError::ExpiresWithoutEnd)?;
            if !(Duration::from_millis(1)..=KEEP_MAX).contains(&kept) {
                return Err(ActivityError::ExpiresOutOfRange(kept));
            }
            if ends_at.plus(kept) > Timestamp::LATEST {
                return Err(ActivityError::ExpiresTooLate(kept));
            }
        }
        let in_millis = |span: Duration| {
            Duration::from_millis(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
        };
        Ok(Self {
            starts_at,
            ends_at,
            expires_after: expires_after.map(in_millis),
        })
    }

    /// The first moment of it.
    #[must_use]
    pub const fn starts_at(&self) -> Option<Timestamp> {
        self.starts_at
    }

    /// The first moment after it.
    #[must_use]
    pub const fn ends_at(&self) -> Option<Timestamp> {
        self.ends_at
    }

    /// How long the board is kept after its end; without, as long as its kind says.
    #[must_use]
    pub const fn expires_after(&self) -> Option<Duration> {
        self.expires_after
    }

    /// When the board goes.
    #[must_use]
    pub fn expires_at(&self) -> Option<Timestamp> {
        Some(self.ends_at?.plus(self.expires_after?))
    }

    /// The time that a name keeps when its board is removed: what happened before the board's end counts on no later
    /// board. Of a board without an end, what happened before its start: a name that is closed stays closed when a
    /// board of it is removed, since its boards have the `starts_at` that closes it.
    ///
    /// With it, the moment from which the settings date, so that
    /// [`settings_kept_until`](Self::settings_kept_until) is the first moment at which nothing from before would be
    /// admitted (`admitted_until`), at least a day and at most [`NAMES_CLOSED`] after the end or start. That moment depends
    /// on the end or start and the kind alone: a later board of the name never makes it earlier. `None` for a board
    /// without bounds, and where that moment has passed at `now`.
    #[must_use]
    pub fn after_it(
        &self,
        admitted_until: impl FnOnce(Timestamp) -> Option<Timestamp>,
        now: Timestamp,
    ) -> Option<(Self, Timestamp)> {
        let closed_to = self.expires_at().or(self.ends_at).or(self.starts_at)?;
        let last = closed_to.plus(NAMES_CLOSED);
        let until =
            admitted_until(closed_to.minus(MILLISECOND)).map_or(last, |until| until.min(last));
        let after = Self {
            starts_at: Some(closed_to),
            ..Self::ALWAYS
        };
        (until > now).then(|| (after, until.minus(SETTINGS_KEPT)))
    }

    /// Whether nothing is bounded.
    #[must_use]
    pub fn is_always(&self) -> bool {
        *self == Self::ALWAYS
    }

    /// Whether the board is frozen: nothing changes on it from its end on.
    #[must_use]
    pub fn has_ended(&self, now: Timestamp) -> bool {
        self.ends_at.is_some_and(|ends_at| now >= ends_at)
    }

    /// Whether the board is gone, be it that nobody has ended it yet.
    #[must_use]
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at()
            .is_some_and(|expires_at| now >= expires_at)
    }

    /// Whether the board ended, or went, after `then`: what was seen of it then is not what it is now.
    #[must_use]
    pub fn has_turned_since(&self, then: Timestamp, now: Timestamp) -> bool {
        self.has_ended(then) != self.has_ended(now)
            || self.has_expired(then) != self.has_expired(now)
    }

    /// Whether something that happened `at` counts on the board when it comes at `now`.
    pub fn admit(&self, at: Timestamp, now: Timestamp) -> Result<(), NotOpen> {
        let activity = *self;
        if self.starts_at.is_some_and(|starts_at| at < starts_at) || self.has_ended(at) {
            return Err(NotOpen::Outside { at, activity });
        }
        if self.has_ended(now) {
            return Err(NotOpen::Over { now, activity });
        }
        Ok(())
    }

    /// How long settings made at `settled` are kept for a board that nobody contributes to, or that holds
    /// nothing any more since then: until the board would go, or for a while behind the last moment that
    /// they name.
    #[must_use]
    pub fn settings_kept_until(&self, settled: Timestamp) -> Timestamp {
        let named = self.starts_at.max(self.ends_at);
        self.expires_at().unwrap_or_else(|| {
            named
                .map_or(settled, |named| named.max(settled))
                .plus(SETTINGS_KEPT)
        })
    }
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.starts_at, self.ends_at) {
            (None, None) => f.write_str("without bounds"),
            (Some(starts_at), None) => write!(f, "from {starts_at} on"),
            (None, Some(ends_at)) => write!(f, "until {ends_at}"),
            (Some(starts_at), Some(ends_at)) => write!(f, "from {starts_at} until {ends_at}"),
        }
    }
}
