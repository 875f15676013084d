//! What goes into a shard: batches of items, and what became of each.

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
    /// From when on it may not be applied any more: a window or the board closes then. Whether it is
    /// that late the store tells in the same atomic step in which it applies; none where nothing closes.
    pub until: Option<Instant>,
    /// What to apply.
    pub items: &'a [Item],
}

impl Batch<'_> {
    /// Whether its deadline has passed.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
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
