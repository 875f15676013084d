//! [`Capabilities`]: what a store can do beyond the calls that all stores have.

use std::num::NonZero;

use board::ShardCount;
use futures::future::BoxFuture;

use super::record::BoardRecord;
use super::shared::SharedBoards;

/// Maximum of concurrent `apply` calls of one request to a store that is on servers.
const CONCURRENT_APPLIES_MAX: usize = 64;

/// What a store can do beyond the calls that all stores have.
#[derive(Clone, Copy)]
pub struct Capabilities<'a> {
    /// Whether it reads all shards of a board in one step, at one moment
    /// ([`read_board`](super::ShardStore::read_board)), and `read` makes no round trip: then more calls
    /// that return less are cheaper than one that returns everything that may be needed.
    pub whole_boards: bool,
    /// The servers that it is on, which may be slow or silent, and which other processes may use.
    pub servers: Option<&'a dyn StoreServers>,
}

impl Capabilities<'_> {
    /// The capabilities of a store that keeps its boards in this process.
    pub const IN_PROCESS: Self = Self {
        whole_boards: true,
        servers: None,
    };

    /// Returns the maximum of concurrent `apply` calls of one request. In this process each is applied
    /// when the call is made, and they all wait for the same sync.
    #[must_use]
    pub const fn concurrent_applies_max(&self) -> usize {
        if self.whole_boards {
            usize::MAX
        } else {
            CONCURRENT_APPLIES_MAX
        }
    }

    /// Returns the maximum number of shards of boards of a kind with [dense
    /// ranks](board::RankStyle::Dense): as many as the store reads at one moment.
    #[must_use]
    pub const fn dense_shards_max(&self) -> ShardCount {
        if self.whole_boards {
            ShardCount::MAX
        } else {
            ShardCount::ONE
        }
    }

    /// Returns the number of shards of new boards whose kind does not set it.
    #[must_use]
    pub fn default_shards(&self, has_dense_ranks: bool) -> ShardCount {
        let shards = if self.whole_boards {
            let cores = std::thread::available_parallelism();
            ShardCount::of_cores(cores.map_or(1, NonZero::get))
        } else {
            ShardCount::DEFAULT
        };
        if has_dense_ranks {
            shards.min(self.dense_shards_max())
        } else {
            shards
        }
    }
}

/// The servers that a store is on.
pub trait StoreServers: Send + Sync {
    /// Completes when the servers that have this board, or without one those that have all records, are known to send
    /// no replies: at once, if they send none already. A server that replies within half a second is not silent.
    fn silence<'a>(&'a self, board: Option<&'a BoardRecord>) -> BoxFuture<'a, ()>;

    /// Returns whether the servers that have the board have more reads to do than they can be sent.
    fn have_queue(&self, board: &BoardRecord) -> bool;

    /// Returns whether the Redis of this replication id (`master_replid`) is one of the connected
    /// servers; also true if that cannot be determined.
    fn may_include(&self, replication_id: Option<&str>) -> bool;

    /// Returns the shared boards while other processes use the servers.
    fn shared(&self) -> Option<&dyn SharedBoards>;
}
