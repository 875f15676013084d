//! Responses about boards: [`Top`], [`MemberPosition`] and others.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Entry, Envelope, Found, Neighbour, Span};

/// The best entries of a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Top {
    /// The board, window and time.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// True while the store is unavailable: this is the last top that was read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// The entries, best first.
    pub entries: Vec<Entry>,
}

/// The tops of many boards.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Tops {
    /// One for each requested board, in the order of the request.
    pub boards: Vec<Top>,
}

/// A range of entries of a board.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Entries {
    /// The board, window and time.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The entries, in the order of the request: best first, if it does not say otherwise.
    pub entries: Vec<Entry>,
    /// If more entries may follow: selects these ([`Board::range_after`](crate::Board::range_after),
    /// [`Request::after`](crate::Request::after)).
    pub next: Option<String>,
}

/// The number of members in a range of values.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Count {
    /// The board, window and time.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The number of members.
    pub count: u64,
}

/// Members that were looked up.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct FoundEntries {
    /// The board, window and time.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// One for each requested member, in the order of the request.
    pub entries: Vec<Found>,
}

/// The rank, standing and neighbours of a member.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct MemberPosition {
    /// The board, window and time.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The member and its standing.
    #[serde(flatten)]
    pub found: Found,
    /// The position; 1 is best. `None` if the member is not ranked.
    pub position: Option<u64>,
    /// 100 · (members − position) / (members − 1); 100 for the first.
    pub percentile: Option<f64>,
    /// The next better member; `None` for the first.
    pub above: Option<Neighbour>,
    /// The next worse member; `None` for the last.
    pub below: Option<Neighbour>,
    /// If a target was requested: the smallest change of the first field that would now result in that
    /// position or a better one. `None` if no change would.
    pub to_target: Option<i64>,
    /// In streams, if the member has fallen: those of the ten members directly above it that were not
    /// among the ten directly above it before.
    #[serde(default)]
    pub overtaken_by: Vec<String>,
}

/// The rank that a standing would have now.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct RankOf {
    /// The board, window and time.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The rank, by the kind's rank style. `None` if the kind ranks only its best members, and the
    /// standing would not be among them.
    pub rank: Option<u64>,
    /// The position; 1 is best.
    pub position: Option<u64>,
}

/// The properties of a board.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Info {
    /// The board, window and time.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The number of shards.
    pub shards: u32,
    /// The store that has the board.
    pub store: String,
    /// The windows that are not empty.
    pub windows: Vec<WindowMembers>,
    /// How long the board is kept after its end, if it has one.
    pub expires_after: Option<String>,
    /// When the board is deleted, if it has an end.
    pub expires_at: Option<Timestamp>,
    /// After how long without a write the board is deleted, if it is.
    pub idle: Option<String>,
}

/// A window of a board.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct WindowMembers {
    /// The full name of the window.
    pub window: String,
    /// The number of ranked members.
    pub members: u64,
}

/// The settings of a board after a change.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Settled {
    /// The name of the board: kind and subject.
    pub board: String,
    /// The number of shards.
    pub shards: u32,
    /// The time span of the board.
    #[serde(flatten)]
    pub span: Span,
    /// How long the board is kept after its end, if it has one.
    pub expires_after: Option<String>,
    /// When the board is deleted, if it has an end.
    pub expires_at: Option<Timestamp>,
    /// After how long without a write the board is deleted, if it is.
    pub idle: Option<String>,
}

/// A page of the boards of a kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Boards {
    /// The kind.
    pub kind: String,
    /// The created boards.
    pub boards: Vec<Listed>,
    /// The subject after which the next page begins; `None` for the last page.
    pub next: Option<String>,
}

/// A board in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Listed {
    /// The name of the board: kind and subject.
    pub board: String,
    /// The subject of the board.
    pub subject: String,
    /// The number of shards.
    pub shards: u32,
    /// The time span of the board.
    #[serde(flatten)]
    pub span: Span,
    /// In a list of the busiest boards: the contributions per minute that the server has written, averaged with a
    /// half-life of a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contributions_per_minute: Option<f64>,
}

/// A token that authorizes streams of one board only.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct StreamToken {
    /// The token, for `?token=` or [`BoardStream::token`](crate::BoardStream::token).
    pub token: String,
    /// When the token expires. A stream must begin before.
    pub expires_at: Timestamp,
}

/// The response of a ready server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Ready {
    /// `ready`.
    pub status: String,
    /// The store that has the boards.
    pub store: String,
}

impl std::fmt::Debug for StreamToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamToken")
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}
