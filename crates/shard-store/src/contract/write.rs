//! What goes into a shard: batches of items, and what became of each.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use board::{IdDigest, Kind, Member, OutOfRange, Standing, Timestamp, Values, Window, Windows};

use super::error::Overload;

/// Items for one shard of one board, applied in order, each whole or not at all.
#[derive(Debug, Clone)]
pub struct Batch<'a> {
    /// The board's kind, as the caller read it. Refused with `StaleKind` where it does not mean
    /// what the board's record says.
    pub kind: &'a Kind,
    /// The server's clock: ids are remembered from then on.
    pub now: Timestamp,
    /// Whether outcomes carry the standings after them.
    pub report: bool,
    /// From when on it may not be applied any more: a window or the board closes then. The store checks it
    /// in the same atomic step in which it applies the batch. `None` where nothing closes.
    pub until: Option<Deadline<'a>>,
    /// What to apply.
    pub items: &'a [Item],
}

impl Batch<'_> {
    /// Whether its deadline has passed.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.until.is_some_and(|until| until.has_passed())
    }
}

/// A server's clock.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The end of the time in which a batch may be applied: when a window or the board closes by the server's clock.
///
/// Where a batch is applied in the server's process, that clock is asked in the same atomic step: it may be set forward
/// while the batch is under way, and a read that begins after that calls the window final; or it was set back, and
/// stands still before the closing. Elsewhere the instant stands for it.
#[derive(Clone, Copy)]
pub struct Deadline<'a> {
    /// When it will be the closing, by a clock that is never set. It may come shortly before.
    pub instant: Instant,
    /// The closing, and the clock that the server's reads use. `None`: nobody sets it.
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

/// One contribution to one board, with everything decided but what the shard holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Whose standing changes.
    pub member: Member,
    /// The member's [`Member::placement_hash`].
    pub hash: u64,
    /// What happens to it.
    pub change: Change,
    /// When it happened: a [kept time](board::Rules::kept_time).
    pub at: Timestamp,
    /// What to remember it by, within the kind's dedupe span.
    pub id: Option<IdDigest>,
    /// The windows it counts in. Without meaning for a removal, which takes the member off all.
    pub windows: Windows,
}

/// What an item does to a standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Folds values into it.
    Fold(Values),
    /// Makes the values the standing.
    Set(Values),
    /// Takes the member off.
    Remove,
}

/// What became of an item.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Applied in every open window of it. With [`Batch::report`]: the standings after it.
    Applied(Vec<WindowStanding>),
    /// Its id was applied before; nothing changed. With [`Batch::report`]: the standings as they are.
    Duplicate(Vec<WindowStanding>),
    /// It is wrong; nothing changed, no id is remembered.
    Refused(Refused),
    /// The store could not take it.
    Failed(Failure),
}

/// A standing in one window.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowStanding {
    /// The window.
    pub window: Window,
    /// The standing there.
    pub standing: Standing,
}

/// Why an item is wrong for this shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A sum would leave its range in a window.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// The shard has dropped every window of it.
    #[error("at: every window of the kind that {0} falls into has been dropped")]
    WindowClosed(Timestamp),
    /// To be removed, and not there.
    #[error("member {:?} is not ranked", .0.as_str())]
    NotRanked(Member),
}

/// Why the store could not take an item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Surely not applied: more work waits than can be done in time.
    #[error("{0}")]
    Overloaded(Overload),
    /// Surely not applied.
    #[error("{0}")]
    Unavailable(String),
    /// Perhaps applied.
    #[error("{0}")]
    Unknown(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_told_by_its_name() {
        let refused = Refused::NotRanked(Member::new("no \"body\"").unwrap());
        assert_eq!(refused.to_string(), r#"member "no \"body\"" is not ranked"#);
    }
}
