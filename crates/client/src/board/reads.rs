//! What is asked of one board: [`GetTop`], [`GetMember`] and the others. Each is asked when it is
//! awaited, and again for as long as the retry policy says.

use std::fmt::Display;

use serde::Serialize;

use crate::answer::{Count, Entries, FoundEntries, Info, Place, RankOf, StreamToken, Top, Values};
use crate::query::request;

request! {
    /// The best of a board, from its cached top: [`Board::top`](crate::Board::top).
    GetTop -> Top {
        /// How many: up to the kind's `top`, 100 by default.
        n: u64,
        /// Which window (any selector); the kind's first by default.
        window: impl Display,
        /// Answers from a merge that begins after the request has come.
        fresh: bool,
    } Always
}

request! {
    /// Entries at positions: [`Board::range`](crate::Board::range).
    GetRange -> Entries {
        /// Which window (any selector); the kind's first by default.
        window: impl Display,
    } Always
}

request! {
    /// Entries by their first field: [`Board::range_of_values`](crate::Board::range_of_values).
    GetRangeOfValues -> Entries {
        /// How many: up to 1,000, 100 by default.
        limit: u64,
        /// Which window (any selector); the kind's first by default.
        window: impl Display,
    } Always
}

request! {
    /// How many members lie in a range: [`Board::count`](crate::Board::count).
    GetCount -> Count {
        /// Which window (any selector); the kind's first by default.
        window: impl Display,
    } Always
}

request! {
    /// Where a member stands: [`Board::member`](crate::Board::member).
    GetMember -> Place {
        /// Asks for [`Place::to_target`]: what it takes to be at this position, or better.
        target: u64,
        /// Which window (any selector); the kind's first by default.
        window: impl Display,
    } Always
}

request! {
    /// A member among its neighbours: [`Board::around`](crate::Board::around).
    GetAround -> Entries {
        /// How many of the next better ones: up to 500, 5 by default.
        above: u64,
        /// How many of those behind: up to 500, 5 by default.
        below: u64,
        /// Which window (any selector); the kind's first by default.
        window: impl Display,
    } Always
}

/// Whom to look up.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Lookup {
    pub(crate) members: Vec<String>,
}

request! {
    /// Several members at once: [`Board::lookup`](crate::Board::lookup).
    GetMembers -> FoundEntries {
        /// Which window (any selector); the kind's first by default.
        window: impl Display,
    } Always with members: Lookup
}

request! {
    /// The rank of points that nobody may have: [`Board::rank_of`](crate::Board::rank_of).
    GetRankOf -> RankOf {
        /// Which window (any selector); the kind's first by default.
        window: impl Display,
    } Always
}

/// What somebody might have.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Score {
    pub(crate) values: Values,
}

request! {
    /// The rank of values that nobody may have:
    /// [`Board::rank_of_values`](crate::Board::rank_of_values).
    GetRankOfValues -> RankOf {
        /// Which window (any selector); the kind's first by default.
        window: impl Display,
    } Always with score: Score
}

request! {
    /// The board itself: [`Board::info`](crate::Board::info).
    GetInfo -> Info {
        /// Which window the envelope is about (any selector); the kind's first by default.
        window: impl Display,
    } Always
}

/// What a token is wanted for.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TokenWanted {
    pub(crate) board: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ttl: Option<String>,
}

request! {
    /// A token for the board's streams: [`Board::stream_token`](crate::Board::stream_token).
    MakeStreamToken -> StreamToken {} Always with wanted: TokenWanted
}

impl MakeStreamToken {
    /// How long it holds, such as `30s`: 1 s to 1 h, 10 min by default.
    pub fn ttl(mut self, ttl: impl Into<String>) -> Self {
        self.wanted.ttl = Some(ttl.into());
        self
    }
}
