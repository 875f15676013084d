//! Answers about boards: [`Top`], [`Place`] and the others.

use jiff::Timestamp;
use serde::Deserialize;

use super::{Entry, Envelope, Found, Neighbour, Span};

/// The best of a board.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Top {
    /// Of which board, window and moment.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// True while the store is away: the last board that was seen.
    #[serde(default)]
    pub stale: bool,
    /// The best, in their order.
    pub entries: Vec<Entry>,
}

/// Entries of a board, best first.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Entries {
    /// Of which board, window and moment.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// Best first.
    pub entries: Vec<Entry>,
}

/// How many members lie in a range.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Count {
    /// Of which board, window and moment.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// How many those are.
    pub count: u64,
}

/// Members in the order in which they were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct FoundEntries {
    /// Of which board, window and moment.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// One for each who was asked for.
    pub entries: Vec<Found>,
}

/// Where a member stands.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Place {
    /// Of which board, window and moment.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// Who, and the standing.
    #[serde(flatten)]
    pub found: Found,
    /// 1 is best; none of who is not ranked.
    pub position: Option<u64>,
    /// 100 · (members − position) / (members − 1); 100 for the first.
    pub percentile: Option<f64>,
    /// The next better one; none for the first.
    pub above: Option<Neighbour>,
    /// The next one behind; none for the last.
    pub below: Option<Neighbour>,
    /// Where a target was asked for: the smallest change of the first field that, made now, gives a
    /// position of at most that. None where no change does.
    pub to_target: Option<i64>,
    /// In streams: where the member has fallen, who of the ten directly above was not among them
    /// before.
    #[serde(default)]
    pub overtaken_by: Vec<String>,
}

/// What a member reaching it now would have.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct RankOf {
    /// Of which board, window and moment.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// What the kind's rank style makes of the position; none where it would not be on the list of
    /// a kind that ranks only its best.
    pub rank: Option<u64>,
    /// 1 is best.
    pub position: Option<u64>,
}

/// A board itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Info {
    /// Of which board, window and moment.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// Over how many its members are spread.
    pub shards: u32,
    /// Where it is kept.
    pub store: String,
    /// The windows that hold something.
    pub windows: Vec<WindowMembers>,
    /// How long a bounded board is kept after its end.
    pub expires_after: Option<String>,
    /// When a bounded board goes.
    pub expires_at: Option<Timestamp>,
}

/// A window of a board.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct WindowMembers {
    /// By its whole name.
    pub window: String,
    /// How many are ranked in it.
    pub members: u64,
}

/// What holds of a board from now on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Settled {
    /// Kind and subject.
    pub board: String,
    /// Over how many its members are spread.
    pub shards: u32,
    /// The time that it is bounded by, where it is.
    #[serde(flatten)]
    pub span: Span,
    /// How long it is kept after its end.
    pub expires_after: Option<String>,
    /// When it goes.
    pub expires_at: Option<Timestamp>,
}

/// A page of the boards of a kind, by subject.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Boards {
    /// The kind.
    pub kind: String,
    /// Those that have had a contribution.
    pub boards: Vec<Listed>,
    /// The subject behind which to go on; none at the end.
    pub next: Option<String>,
}

/// A board of a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Listed {
    /// Kind and subject.
    pub board: String,
    /// What it is about.
    pub subject: String,
    /// Over how many its members are spread.
    pub shards: u32,
    /// The time that it is bounded by, where it is.
    #[serde(flatten)]
    pub span: Span,
}

/// A token that opens the streams of one board, and nothing else.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct StreamToken {
    /// For `?token=`, or [`BoardStream::token`](crate::BoardStream::token).
    pub token: String,
    /// Until when a stream may begin with it.
    pub expires_at: Timestamp,
}

/// A server whose store answers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Ready {
    /// `ready`.
    pub status: String,
    /// Where boards are kept.
    pub store: String,
}

impl std::fmt::Debug for StreamToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamToken")
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}
