//! A contribution: [`Item`], and what was reported of it: [`Sent`].

use serde_json::{Value, json};
use testkit::clock::DAY_MS;

/// The boards, all of one kind.
pub(crate) const BOARDS: [&str; 3] = ["k/a", "k/b", "k/c"];

/// The number of days on which contributions happen.
pub(super) const DAYS: usize = 2;

/// 2023-11-14.
const FIRST_DAY_MS: i64 = 1_699_920_000_000;

/// The windows of these days, in order.
pub(super) const DAY_WINDOWS: [&str; DAYS] = ["day:2023-11-14", "day:2023-11-15"];

/// The standing that a contribution adds to, besides the all-time one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Account {
    pub(super) board: usize,
    pub(super) day: usize,
    pub(super) member: String,
}

/// A contribution of at least one point.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) account: Account,
    pub(super) points: i64,
    /// Without an id, nothing else of the member is under way.
    pub(super) id: Option<String>,
}

/// The reported outcome of a contribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reported {
    /// Applied, or a duplicate.
    Applied,
    /// Definitely not applied.
    Unavailable,
    /// Possibly applied: the outcome is unknown, or there was no response.
    Unknown,
}

/// A contribution with its outcome.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(super) item: Item,
    pub(crate) reported: Reported,
}

impl Item {
    pub(super) fn json(&self) -> Value {
        let Account { board, day, member } = &self.account;
        let at = FIRST_DAY_MS + i64::try_from(*day).unwrap() * DAY_MS + self.points;
        let mut item =
            json!({"board": BOARDS[*board], "member": member, "points": self.points, "at": at});
        if let Some(id) = &self.id {
            item["id"] = json!(id);
        }
        item
    }
}
