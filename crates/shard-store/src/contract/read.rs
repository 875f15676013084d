//! The output of a shard: one query reads it at one moment.
//!
//! A query asks for any number of ranges of the shard's order, each around an anchor: a local rank,
//! a bound in the order, or a member. Tops, counts, neighbours, pages and lookups are all made of
//! these.

use std::sync::Arc;

use board::{Bound, Member, RankKey, Standing, Timestamp, Window};
use serde::{Deserialize, Serialize};

/// A query of one window of one shard.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The window.
    pub window: Window,
    /// If set, a shard that is still at this version returns no parts.
    pub unless: Option<ShardVersion>,
    /// What parts contain about groups of equal fields.
    pub groups: Groups,
    /// The ranges, answered in this order. Often shared by the queries of many shards.
    pub ranges: Arc<[RangeAsk]>,
}

/// What the parts of a reading contain about groups: entries with equal fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Groups {
    /// Nothing.
    #[default]
    None,
    /// Where the group of the first entry begins: [`RangePart::group_start`].
    Start,
    /// How many groups there are above: [`RangePart::group`]. Only for kinds with
    /// [dense ranks](board::RankStyle::Dense).
    Count,
}

/// A query, and the shard that is to answer it.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardQuery {
    /// The shard. A board of a kind with [dense ranks](board::RankStyle::Dense) is always read as a
    /// whole, as if it had one shard: 0.
    pub shard: u16,
    /// The query.
    pub query: Query,
}

/// A range of the order around an anchor.
#[derive(Debug, Clone, PartialEq)]
pub struct RangeAsk {
    /// The anchor.
    pub anchor: Anchor,
    /// Number of entries better than the anchor.
    pub before: usize,
    /// Number of entries from the anchor on: the one at its rank is the first of them.
    pub after: usize,
}

impl RangeAsk {
    /// Asks only for the rank of the anchor.
    #[must_use]
    pub const fn rank_of(anchor: Anchor) -> Self {
        Self {
            anchor,
            before: 0,
            after: 0,
        }
    }
}

/// A position in a shard's order.
#[derive(Debug, Clone, PartialEq)]
pub enum Anchor {
    /// A local rank, counted from 0; past the end it is the end.
    Rank(u64),
    /// Below everything better than the bound.
    Bound(Bound),
    /// The position of the member.
    Member(Member),
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardReading {
    /// The version at the moment of the query.
    pub version: ShardVersion,
    /// Number of members ranked in the window on this shard.
    pub members: u64,
    /// One for each ask; `None` if the version is still [`Query::unless`].
    pub parts: Option<Vec<RangePart>>,
}

/// A range of the order of a whole board, with all shards at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardReading {
    /// The version of each shard, in order.
    pub versions: Vec<ShardVersion>,
    /// Number of members ranked in the window on all shards.
    pub members: u64,
    /// The range. Its ranks are those among all shards.
    pub part: RangePart,
}

/// The result of one ask.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RangePart {
    /// The anchor's local rank: how many entries are better. `None`: the member is not ranked here.
    pub anchor: Option<u64>,
    /// The local rank of the first of `entries`.
    pub start: u64,
    /// With [`Groups::Start`]: the local rank of the best entry whose fields equal those of the
    /// first of `entries`. Otherwise equals `start`.
    pub group_start: u64,
    /// With [`Groups::Count`]: the group of the first of `entries`; if there are none, that of the
    /// anchor, if it is a member or a bound with words for all fields.
    pub group: Group,
    /// The entries of the range, best first.
    pub entries: Vec<ShardEntry>,
    /// For a kind with [`Retain`](board::Retain), if the store has trimmed the member off the list:
    /// its standing. At least as many members as the list keeps are better on this shard.
    pub unlisted: Option<ShardEntry>,
    /// If the anchor is a member whose own entry is requested: its standing, of which entries
    /// contain a part.
    pub standing: Option<Standing>,
}

/// A group of entries with equal fields, among those of a whole board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Group {
    /// How many distinct fields are better.
    pub better: u64,
    /// How many entries have these fields.
    pub members: u64,
}

/// One ranked member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardEntry {
    /// Its rank key, which contains its fields and its name.
    pub key: RankKey,
    /// When the standing was reached.
    pub reached_at: Timestamp,
}

/// The version of a window of a shard. Within one epoch, a greater counter is later, and equal
/// versions mean equal contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub struct ShardVersion {
    /// Changes when the store lost data.
    pub epoch: u64,
    /// Counts changes.
    pub counter: u64,
    /// Digest of all changes, in order.
    pub digest: u64,
}

/// The number of members that a window of a shard ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowCount {
    /// The window.
    pub window: Window,
    /// Members ranked in it.
    pub members: u64,
}
