//! What comes out of a shard: one query is one look at one moment.
//!
//! A query asks for any number of stretches of the shard's order, each around an anchor: a local
//! rank, a bound in the order, or a member. Tops, counts, neighbours, pages and lookups are all
//! made of these.

use std::sync::Arc;

use board::{Bound, Member, RankKey, Standing, Timestamp, Window};

/// One look at one window of one shard.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The window.
    pub window: Window,
    /// With it, a shard that is still at this version answers without parts.
    pub unless: Option<ShardVersion>,
    /// Whether parts say where groups of equal fields begin ([`Part::group_start`]).
    pub groups: bool,
    /// What is asked, answered in this order: often the same of many shards.
    pub asks: Arc<[Ask]>,
}

/// A stretch of the order around an anchor.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Where.
    pub anchor: Anchor,
    /// How many entries better than the anchor.
    pub before: usize,
    /// How many entries from the anchor on: the one at its rank is the first of them.
    pub after: usize,
}

impl Ask {
    /// Only where the anchor lies.
    #[must_use]
    pub const fn rank_of(anchor: Anchor) -> Self {
        Self {
            anchor,
            before: 0,
            after: 0,
        }
    }
}

/// A place in a shard's order.
#[derive(Debug, Clone, PartialEq)]
pub enum Anchor {
    /// A local rank, counted from 0; past the end it is the end.
    Rank(u64),
    /// Behind everything better than the bound.
    Bound(Bound),
    /// Where the member stands.
    Member(Member),
}

/// What one look saw.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The version that it saw.
    pub version: ShardVersion,
    /// How many members are ranked in the window on this shard.
    pub members: u64,
    /// One for each ask; `None` where the version still is [`Query::unless`].
    pub parts: Option<Vec<Part>>,
}

/// The answer to one ask.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Part {
    /// The anchor's local rank: how many entries are better. `None`: the member is not ranked here.
    pub anchor: Option<u64>,
    /// The local rank of the first of `entries`.
    pub start: u64,
    /// With [`Query::groups`]: the local rank of the best entry whose fields equal those of the
    /// first of `entries`.
    pub group_start: u64,
    /// The stretch, best first.
    pub entries: Vec<Entry>,
    /// Of a kind with [`Retain`](board::Retain), where the store has taken the member off the list:
    /// its standing. At least as many as the list keeps are better on this shard.
    pub unlisted: Option<Entry>,
    /// Of a member that the ask wants entries from: its standing, of which entries show a part.
    pub standing: Option<Standing>,
}

/// One ranked member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the order, which holds its fields and its name.
    pub key: RankKey,
    /// When the standing was reached.
    pub reached_at: Timestamp,
}

/// What a window of a shard has taken in. Of one epoch, a greater counter is later, and the same
/// version is the same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct ShardVersion {
    /// Changes when the store lost data.
    pub epoch: u64,
    /// Counts changes.
    pub counter: u64,
    /// Digest of all changes, in order.
    pub digest: u64,
}

/// How many members a window of a shard ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowCount {
    /// The window.
    pub window: Window,
    /// Members ranked in it.
    pub members: u64,
}
