//! [`Activity`]: the period in which one board accepts contributions, and how long it is kept.
//!
//! An activity is set for a board before its first contribution (a PK battle, a campaign) or later
//! ([`Activity::check_change`]). It applies in addition to the kind's windows: a contribution has to
//! satisfy both. Not here: any clock, and the code that deletes a board whose activity is over.

use std::fmt;
use std::num::NonZero;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::calendar::Timestamp;
use crate::kind::Kind;
use crate::limits::{KEEP_MAX, NAME_CLOSED_MAX, SETTINGS_KEPT_MIN};

const MICROSECOND: Duration = Duration::from_micros(1);
const MILLISECOND: Duration = Duration::from_millis(1);

/// The period in which a board accepts contributions, and how long the board is kept afterwards.
/// The default has no bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(try_from = "UncheckedActivity")]
pub struct Activity {
    starts_at: Option<Timestamp>,
    ends_at: Option<Timestamp>,
    expires_after: Option<Millis>,
    idle: Option<Millis>,
}

/// A span of at least a millisecond, in half the room of a [`Duration`]: records of boards have two, and are many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
struct Millis(NonZero<u64>);

impl Millis {
    /// Rounds down to whole milliseconds.
    fn of(span: Duration) -> Option<Self> {
        let ms = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        NonZero::new(ms).map(Self)
    }

    const fn span(self) -> Duration {
        Duration::from_millis(self.0.get())
    }
}

/// An activity as it is stored.
#[derive(Deserialize)]
struct UncheckedActivity {
    starts_at: Option<Timestamp>,
    ends_at: Option<Timestamp>,
    expires_after: Option<Millis>,
    idle: Option<Millis>,
}

impl TryFrom<UncheckedActivity> for Activity {
    type Error = ActivityError;

    fn try_from(stored: UncheckedActivity) -> Result<Self, ActivityError> {
        let expires_after = stored.expires_after.map(Millis::span);
        let activity = Self::new(stored.starts_at, stored.ends_at, expires_after)?;
        activity.with_idle(stored.idle.map(Millis::span))
    }
}

/// Why settings do not form an [`Activity`]. Names the setting and its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ActivityError {
    /// The end is not after the start.
    #[error("ends_at: {ends_at} is not after starts_at, {starts_at}")]
    EndsBeforeItStarts {
        /// The start.
        starts_at: Timestamp,
        /// The end.
        ends_at: Timestamp,
    },
    /// `expires_after` counts from the end, so it requires an end.
    #[error("expires_after: requires ends_at, from which it counts")]
    ExpiresWithoutEnd,
    /// The span is out of its range.
    #[error("expires_after: {0:?} is not from 1 ms to 1000 years")]
    ExpiresOutOfRange(Duration),
    /// The board would expire after the last representable timestamp.
    #[error("expires_after: {0:?} behind the end is past the year 9999")]
    ExpiresTooLate(Duration),
    /// A board with an end is kept for `expires_after`.
    #[error("idle: cannot be combined with ends_at: use expires_after")]
    IdleWithEnd,
    /// The span is out of its range.
    #[error("idle: {0:?} is not from 1 ms to 1000 years")]
    IdleOutOfRange(Duration),
}

/// The activity of a board with contributions cannot be changed like this. Names the setting and its
/// value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ActivityChangeError {
    /// The board has ended: what was final stays final.
    #[error(
        "ends_at: the board ended at {ended_at}: starts_at and ends_at cannot change, and expires_after can only \
         become longer"
    )]
    Ended {
        /// When it ended.
        ended_at: Timestamp,
    },
    /// The board has expired.
    #[error("expires_after: the board expired at {expired_at}")]
    Expired {
        /// When it expired.
        expired_at: Timestamp,
    },
    /// The board would end in the past: it may have contributions from after that.
    #[error(
        "ends_at: {ends_at} is not after the server's time, {now}, and the board has contributions"
    )]
    EndsInThePast {
        /// The end.
        ends_at: Timestamp,
        /// The server's time.
        now: Timestamp,
    },
}

/// A contribution, a set or a removal falls outside of a board's activity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ActivityRejection {
    /// The contribution's own time is outside.
    #[error("at: {at} is outside of the board's activity, {activity}")]
    Outside {
        /// The contribution's time.
        at: Timestamp,
        /// The board's activity.
        activity: Activity,
    },
    /// The request arrived after the end, whatever the contribution's own time is.
    #[error("ends_at: the server's time is {now}, and the board's activity, {activity}, is over")]
    Over {
        /// The server's time.
        now: Timestamp,
        /// The board's activity.
        activity: Activity,
    },
}

impl Activity {
    /// An activity without bounds.
    pub const ALWAYS: Self = Self {
        starts_at: None,
        ends_at: None,
        expires_after: None,
        idle: None,
    };

    /// Creates an activity from `starts_at` (inclusive) to `ends_at` (exclusive). `expires_after`
    /// is rounded down to whole milliseconds.
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
            if !(MILLISECOND..=KEEP_MAX).contains(&kept) {
                return Err(ActivityError::ExpiresOutOfRange(kept));
            }
            if ends_at.plus(kept) > Timestamp::LATEST {
                return Err(ActivityError::ExpiresTooLate(kept));
            }
        }
        Ok(Self {
            starts_at,
            ends_at,
            expires_after: expires_after.and_then(Millis::of),
            idle: None,
        })
    }

    /// Returns the same activity of a board that is deleted after so long without a write; rounded down to
    /// whole milliseconds.
    pub fn with_idle(self, idle: Option<Duration>) -> Result<Self, ActivityError> {
        if let Some(span) = idle {
            if self.ends_at.is_some() {
                return Err(ActivityError::IdleWithEnd);
            }
            if !(MILLISECOND..=KEEP_MAX).contains(&span) {
                return Err(ActivityError::IdleOutOfRange(span));
            }
        }
        Ok(Self {
            idle: idle.and_then(Millis::of),
            ..self
        })
    }

    /// Returns the same activity with any time before its end.
    #[must_use]
    pub fn without_start(self) -> Self {
        Self {
            starts_at: None,
            ..self
        }
    }

    /// Returns the first moment of the activity.
    #[must_use]
    pub const fn starts_at(&self) -> Option<Timestamp> {
        self.starts_at
    }

    /// Returns the first moment after the activity.
    #[must_use]
    pub const fn ends_at(&self) -> Option<Timestamp> {
        self.ends_at
    }

    /// Returns how long the board is kept after its end. `None`: as long as its kind configures.
    #[must_use]
    pub const fn expires_after(&self) -> Option<Duration> {
        match self.expires_after {
            Some(span) => Some(span.span()),
            None => None,
        }
    }

    /// Returns the moment from which the board no longer exists.
    #[must_use]
    pub fn expires_at(&self) -> Option<Timestamp> {
        Some(self.ends_at?.plus(self.expires_after?.span()))
    }

    /// Returns after how long without a write the board is deleted, if it is.
    #[must_use]
    pub const fn idle(&self) -> Option<Duration> {
        match self.idle {
            Some(span) => Some(span.span()),
            None => None,
        }
    }

    /// Returns after how long without a write a board of this kind is deleted: not while an id of its
    /// contributions is remembered, since a contribution that is sent again would then count again.
    #[must_use]
    pub fn idle_span(&self, kind: &Kind) -> Option<Duration> {
        self.idle().map(|idle| idle.max(kind.dedupe()))
    }

    /// Returns the settings that a board's name keeps after the board is removed, and the moment
    /// from which those settings date. Their `starts_at` keeps contributions from before the
    /// board's end off any later board of that name. For a board without an end, the bound is its
    /// start: a name that is closed up to a moment stays closed up to it when one of its boards is
    /// removed.
    ///
    /// The settings are dated so that [`settings_kept_until`](Self::settings_kept_until) is the
    /// first moment at which no contribution from before the bound would be admitted
    /// (`admitted_until`), at least a day and at most [`NAME_CLOSED_MAX`] after the bound. That moment
    /// depends on the bound and the kind alone: a later board of the name never makes it earlier.
    /// `None` for a board without bounds, and where that moment has passed at `now`.
    #[must_use]
    pub fn settings_after(
        &self,
        admitted_until: impl FnOnce(Timestamp) -> Option<Timestamp>,
        now: Timestamp,
    ) -> Option<(Self, Timestamp)> {
        let closed_to = self.expires_at().or(self.ends_at).or(self.starts_at)?;
        let last = closed_to.plus(NAME_CLOSED_MAX);
        let until =
            admitted_until(closed_to.minus(MICROSECOND)).map_or(last, |until| until.min(last));
        let after = Self {
            starts_at: Some(closed_to),
            ..Self::ALWAYS
        };
        (until > now).then(|| (after, until.minus(SETTINGS_KEPT_MIN)))
    }

    /// Checks that the activity of a board with contributions may become `wanted` at `now`. Returns the
    /// moment from which that is no longer known: the change must be made before it.
    ///
    /// A board that has ended stays ended, and may only be kept longer. One that has not ended may
    /// end at any time to come, or not at all. Contributions that count stay, whatever the bounds.
    pub fn check_change(
        &self,
        wanted: &Self,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, ActivityChangeError> {
        if let Some(expired_at) = self.expires_at().filter(|at| now >= *at) {
            return Err(ActivityChangeError::Expired { expired_at });
        }
        if let Some(ended_at) = self.ends_at.filter(|at| now >= *at) {
            let spans = (self.starts_at, self.ends_at) == (wanted.starts_at, wanted.ends_at);
            let kept = wanted.expires_after;
            let is_longer =
                kept.is_none_or(|kept| self.expires_after.is_some_and(|held| kept >= held));
            return if spans && is_longer {
                Ok(self.expires_at())
            } else {
                Err(ActivityChangeError::Ended { ended_at })
            };
        }
        match wanted.ends_at {
            Some(ends_at) if ends_at <= now => {
                Err(ActivityChangeError::EndsInThePast { ends_at, now })
            }
            ends_at => Ok(self.ends_at.into_iter().chain(ends_at).min()),
        }
    }

    /// Returns whether the activity has no bounds.
    #[must_use]
    pub fn is_always(&self) -> bool {
        *self == Self::ALWAYS
    }

    /// Returns whether the board accepts contributions of any time.
    #[must_use]
    pub const fn admits_all(&self) -> bool {
        self.starts_at.is_none() && self.ends_at.is_none()
    }

    /// Returns whether the activity is over. A board does not change after its end.
    #[must_use]
    pub fn has_ended(&self, now: Timestamp) -> bool {
        self.ends_at.is_some_and(|ends_at| now >= ends_at)
    }

    /// Returns whether the board has expired, even if it has not been deleted yet.
    #[must_use]
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at()
            .is_some_and(|expires_at| now >= expires_at)
    }

    /// Returns whether the board ended or expired after `then` and up to `now`, so that what was
    /// read at `then` is outdated.
    #[must_use]
    pub fn ended_or_expired_since(&self, then: Timestamp, now: Timestamp) -> bool {
        self.has_ended(then) != self.has_ended(now)
            || self.has_expired(then) != self.has_expired(now)
    }

    /// Checks that something that happened `at` and arrives at `now` counts on the board.
    pub fn admit(&self, at: Timestamp, now: Timestamp) -> Result<(), ActivityRejection> {
        let activity = *self;
        if self.starts_at.is_some_and(|starts_at| at < starts_at) || self.has_ended(at) {
            return Err(ActivityRejection::Outside { at, activity });
        }
        if self.has_ended(now) {
            return Err(ActivityRejection::Over { now, activity });
        }
        Ok(())
    }

    /// Returns how long settings made at `set_at` are kept for a board that has no contributions,
    /// or whose contributions are gone: until the board would expire, or until [`SETTINGS_KEPT_MIN`]
    /// after the last moment that the settings name.
    #[must_use]
    pub fn settings_kept_until(&self, set_at: Timestamp) -> Timestamp {
        let named = self.starts_at.max(self.ends_at);
        self.expires_at().unwrap_or_else(|| {
            named
                .map_or(set_at, |named| named.max(set_at))
                .plus(SETTINGS_KEPT_MIN)
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
