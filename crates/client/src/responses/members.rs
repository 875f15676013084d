//! Responses about one member across all boards: [`Hidden`], [`HiddenIn`], [`Erased`].

use serde::{Deserialize, Serialize};

use super::Standing;

/// The members that a kind hides.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Hidden {
    /// The kind.
    pub kind: String,
    /// The hidden members, ordered by name.
    pub hidden: Vec<String>,
}

/// The kinds in which a member is hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HiddenIn {
    /// The member.
    pub member: String,
    /// The names of the kinds, out of those that the request selects.
    pub hidden_in: Vec<String>,
}

/// The boards of a kind that rank a member.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct MemberBoards {
    /// The member.
    pub member: String,
    /// The kind.
    pub kind: String,
    /// The boards, ordered by subject.
    pub boards: Vec<MemberBoard>,
    /// The number of boards of the kind that were looked at.
    pub looked_at: u64,
    /// The subject after which to continue; `None` at the end.
    pub next: Option<String>,
}

/// A board that ranks a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MemberBoard {
    /// The name of the board.
    pub board: String,
    /// The windows that rank the member, with rank and position.
    pub windows: Vec<Standing>,
}

/// What a removal did.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Removed {
    /// The number of members that were removed.
    pub removed: u64,
    /// Of a range: the window that it is of.
    pub window: Option<String>,
    /// Of a range: whether members may be left, so that the next request continues.
    #[serde(default)]
    pub more: bool,
}

/// The progress of erasing a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Erased {
    /// The number of boards that were searched.
    pub boards: u64,
    /// The number of boards that the member was erased from.
    pub erased: u64,
    /// The board after which the next request continues; `None` at the end.
    pub next: Option<String>,
}
