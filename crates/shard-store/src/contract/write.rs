//! The input of a shard: batches of items, and their outcomes.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use board::{IdDigest, Kind, Member, OutOfRange, Standing, Timestamp, Values, Window, Windows};

use super::failure::ItemFailure;

/// Items for one shard of one board, applied in order, each as a whole or not at all.
#[derive(Debug, Clone)]
pub struct Batch<'a> {
    /// The board's kind, as the caller read it. Rejected with `StaleKind` if its meaning differs
    /// from that in the board's record.
    pub kind: &'a Arc<Kind>,
    /// The server's clock, from which ids are remembered.
    pub now: Timestamp,
    /// Whether outcomes carry the standings after them.
    pub report: bool,
    /// When a window or the board closes, so that the batch must not be applied later. The store
    /// checks it in the same atomic step in which it applies the batch. `None` if nothing closes.
    pub until: Option<Deadline<'a>>,
    /// Until when the caller waits for a store that is unavailable. `None`: as briefly as other callers do.
    pub waits_until: Option<Instant>,
    /// What to apply.
    pub items: &'a [Item],
}

impl Batch<'_> {
    /// Returns whether its deadline has passed.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.until.is_some_and(|until| until.has_passed())
    }
}

/// A server's clock.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The latest time at which a batch may be applied: when a window or the board closes by the
/// server's clock.
///
/// A store in the server's process reads that clock in the same atomic step: it may be set forward
/// while the batch is in progress, and a read that begins after that reports the window as final;
/// or it was set back, and stands still before the closing. Other stores use the instant.
#[derive(Clone, Copy)]
pub struct Deadline<'a> {
    /// The instant of the closing, by the monotonic clock. It may be slightly early.
    pub instant: Instant,
    /// The closing, and the clock that the server's reads use. `None`: the clock cannot be set.
    pub closing: Option<(Timestamp, &'a Clock)>,
}

impl Deadline<'_> {
    /// Returns whether it has passed, in the server's process.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        match self.closing {
            Some((at, clock)) => clock() >= at,
            None => Instant::now() >= self.instant,
        }
    }
}

impl From<Instant> for Deadline<'_> {
    fn from(instant: Instant) -> Self {
        Self {
            instant,
            closing: None,
        }
    }
}

impl fmt::Debug for Deadline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deadline")
            .field("instant", &self.instant)
            .field("closing", &self.closing.map(|(at, _)| at))
            .finish()
    }
}

/// One contribution to one board, of which only the shard's contents remain to be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The member whose standing changes.
    pub member: Member,
    /// The member's [`Member::placement_hash`].
    pub hash: u64,
    /// The change.
    pub change: Change,
    /// When it happened: a [kept time](board::Rules::kept_time).
    pub at: Timestamp,
    /// The digest by which it is remembered, within the kind's dedupe span.
    pub id: Option<IdDigest>,
    /// The windows that it counts in. Unused by [`Change::Remove`].
    pub windows: Windows,
}

/// The effect of an item on a standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub enum Change {
    /// Folds values into it.
    Fold(Values),
    /// Sets it to the values.
    Set(Values),
    /// Removes the member from all windows.
    Remove,
    /// Removes the member from the item's windows.
    RemoveFrom,
    /// Removes the member from the item's window, exactly one, if its standing there was reached up to
    /// the item's time.
    Expire,
}

impl Change {
    /// Returns whether it removes the member. A removal opens no window and remembers no id.
    #[must_use]
    pub const fn is_removal(self) -> bool {
        matches!(self, Self::Remove | Self::RemoveFrom | Self::Expire)
    }

    /// Returns the values of a change that has some.
    #[must_use]
    pub const fn values(&self) -> Option<&Values> {
        match self {
            Self::Fold(values) | Self::Set(values) => Some(values),
            Self::Remove | Self::RemoveFrom | Self::Expire => None,
        }
    }
}

/// The outcome of an item.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Applied in each of its open windows. With [`Batch::report`]: the standings after it.
    Applied(Vec<WindowStanding>),
    /// Its id was applied before; nothing changed. With [`Batch::report`]: the current standings.
    Duplicate(Vec<WindowStanding>),
    /// Rejected permanently; nothing changed, and its id is not remembered.
    Rejected(ItemRejected),
    /// The store failed.
    Failed(ItemFailure),
}

/// A standing in one window.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowStanding {
    /// The window.
    pub window: Window,
    /// The standing there.
    pub standing: Standing,
}

/// Why a shard rejects an item permanently.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ItemRejected {
    /// A sum would exceed its range in a window.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// The shard has dropped all of its windows.
    #[error("at: the windows in which {0} would count have been dropped")]
    WindowClosed(Timestamp),
    /// A removal of a member that is not there.
    #[error("member {:?} is not ranked", .0.as_str())]
    NotRanked(Member),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_contain_the_name_of_the_member() {
        let refused = ItemRejected::NotRanked(Member::new("no \"body\"").unwrap());
        assert_eq!(refused.to_string(), r#"member "no \"body\"" is not ranked"#);
    }
}
