//! One contribution: [`Item`], and what was reported of it: [`Sent`].

use serde_json::{Value, json};
use testkit::clock::DAY_MS;

/// All are of one kind.
pub(crate) const BOARDS: [&str; 3] = ["k/a", "k/b", "k/c"];

/// Contributions are of so many days.
pub(super) const DAYS: usize = 2;

/// 2023-11-14.
const FIRST_DAY_MS: i64 = 1_699_920_000_000;

/// The windows of those days, in order.
pub(super) const DAY_WINDOWS: [&str; DAYS] = ["day:2023-11-14", "day:2023-11-15"];

/// Where a contribution counts, beside the window of all days.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) board: usize,
    pub(super) day: usize,
    pub(super) member: String,
}

/// A contribution of one point or more.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) place: Place,
    pub(super) points: i64,
    /// Without one, nobody else has anything under way for the member.
    pub(super) id: Option<String>,
}

/// What was reported of a contribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reported {
    /// It is there: applied, or a duplicate.
    Applied,
    /// It is surely not there.
    Unavailable,
    /// It may be: that was the answer, or there was none.
    Unknown,
}

/// What became of a contribution.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(super) item: Item,
    pub(crate) reported: Reported,
}

impl Item {
    pub(super) fn json(&self) -> Value {
        let Place { board, day, member } = &self.place;
        let at = FIRST_DAY_MS + i64::try_from(*day).unwrap() * DAY_MS + self.points;
        let mut item =
            json!({"board": BOARDS[*board], "member": member, "points": self.points, "at": at});
        if let Some(id) = &self.id {
            item["id"] = json!(id);
        }
        item
    }
}
