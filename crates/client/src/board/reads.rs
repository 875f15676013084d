//! Read requests of one board: [`GetTop`], [`GetMember`] and others. Each is sent when it is awaited, and retried
//! according to the retry policy.

use std::fmt::Display;

use serde::Serialize;

use crate::answer::{Count, Entries, FoundEntries, Info, Place, RankOf, StreamToken, Top, Values};
use crate::query::request;

request! {
    /// The best entries of a board, from its cached top: [`Board::top`](crate::Board::top).
    GetTop -> Top {
        /// Sets the number of entries: up to the kind's `top`, 100 by default.
        n: u64,
        /// Selects a window (any selector); the kind's first by default.
        window: impl Display,
        /// Adds the profile of each member that has one.
        profiles: bool,
        /// Requires a merge that began after the request arrived.
        fresh: bool,
    } Always
}

request! {
    /// Entries at positions: [`Board::range`](crate::Board::range).
    GetRange -> Entries {
        /// Selects a window (any selector); the kind's first by default.
        window: impl Display,
        /// Adds the profile of each member that has one.
        profiles: bool,
    } Always
}

impl GetRange {
    /// Counts the positions from the worst entry, and reads the worst first.
    pub fn from_worst(self) -> Self {
        let request = self.request.with("order", "worst");
        Self { request }
    }
}

request! {
    /// The entries after another: [`Board::range_after`](crate::Board::range_after).
    GetRangeAfter -> Entries {
        /// Limits the number of entries: up to 1,000, 100 by default.
        limit: u64,
        /// Selects a window (any selector), which has to be that of the page before; the kind's first by default.
        window: impl Display,
    } Always
}

impl GetRangeAfter {
    /// Reads towards the best entry, for a page that was read from the worst.
    pub fn from_worst(self) -> Self {
        let request = self.request.with("order", "worst");
        Self { request }
    }
}

request! {
    /// Entries by their first field: [`Board::range_of_values`](crate::Board::range_of_values).
    GetRangeOfValues -> Entries {
        /// Limits the number of entries: up to 1,000, 100 by default.
        limit: u64,
        /// Continues after a page: its [`next`](Entries::next).
        after: impl Display,
        /// Selects a window (any selector); the kind's first by default.
        window: impl Display,
        /// Adds the profile of each member that has one.
        profiles: bool,
    } Always
}

impl GetRangeOfValues {
    /// Reads the worst entries first.
    pub fn from_worst(self) -> Self {
        let request = self.request.with("order", "worst");
        Self { request }
    }
}

request! {
    /// The number of members in a range of values: [`Board::count`](crate::Board::count).
    GetCount -> Count {
        /// Selects a window (any selector); the kind's first by default.
        window: impl Display,
    } Always
}

request! {
    /// The rank, standing and neighbours of a member: [`Board::member`](crate::Board::member).
    GetMember -> Place {
        /// Requests [`Place::to_target`]: the change that results in this position or a better one.
        target: u64,
        /// Selects a window (any selector); the kind's first by default.
        window: impl Display,
        /// Adds the profile of each member that has one.
        profiles: bool,
    } Always
}

request! {
    /// A member and its neighbours: [`Board::around`](crate::Board::around).
    GetAround -> Entries {
        /// Sets the number of better neighbours: up to 500, 5 by default.
        above: u64,
        /// Sets the number of worse neighbours: up to 500, 5 by default.
        below: u64,
        /// Instead of both, sets the number of entries, up to 500, with the member in the middle; near an end of
        /// the board the others are from the other side.
        size: u64,
        /// Selects a window (any selector); the kind's first by default.
        window: impl Display,
        /// Adds the profile of each member that has one.
        profiles: bool,
    } Always
}

/// The body of a lookup.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Lookup {
    pub(crate) members: Vec<String>,
}

request! {
    /// Several members: [`Board::lookup`](crate::Board::lookup).
    GetMembers -> FoundEntries {
        /// Selects a window (any selector); the kind's first by default.
        window: impl Display,
        /// Adds the profile of each member that has one.
        profiles: bool,
    } Always with members: Lookup
}

request! {
    /// The rank of hypothetical points: [`Board::rank_of`](crate::Board::rank_of).
    GetRankOf -> RankOf {
        /// Selects a window (any selector); the kind's first by default.
        window: impl Display,
    } Always
}

/// The body of a request for the rank of values.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Score {
    pub(crate) values: Values,
}

request! {
    /// The rank of hypothetical values: [`Board::rank_of_values`](crate::Board::rank_of_values).
    GetRankOfValues -> RankOf {
        /// Selects a window (any selector); the kind's first by default.
        window: impl Display,
    } Always with score: Score
}

request! {
    /// The properties of a board: [`Board::info`](crate::Board::info).
    GetInfo -> Info {
        /// Selects the window of the envelope (any selector); the kind's first by default.
        window: impl Display,
    } Always
}

/// The body of a request for a stream token.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TokenRequest {
    pub(crate) board: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ttl: Option<String>,
}

request! {
    /// A token for streams of the board: [`Board::stream_token`](crate::Board::stream_token).
    MakeStreamToken -> StreamToken {} Always with body: TokenRequest
}

impl MakeStreamToken {
    /// Sets the lifetime of the token, such as `30s`: 1 s to 1 h, 10 min by default.
    pub fn ttl(mut self, ttl: impl Into<String>) -> Self {
        self.body.ttl = Some(ttl.into());
        self
    }
}
