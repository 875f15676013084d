//! Lists that the sweep found marked for a refill: [`ShortList`]. The refill itself is in
//! `store-redis`.

use std::fmt::Debug;
use std::sync::Arc;

use board::{Kind, Window};
use redis_nodes::Location;
use shard_store::BoardRecord;

/// The list of one window of one shard that may lack members.
#[derive(Debug)]
pub struct ShortList {
    /// The incarnation of the board.
    pub board: BoardRecord,
    /// The shard, from 0.
    pub shard: u16,
    /// The board's kind, which has `retain`.
    pub kind: Arc<Kind>,
    /// The node of the shard.
    pub place: Location,
    /// The window.
    pub window: Window,
}

/// Refills lists in the background.
pub trait RefillLists: Debug + Send + Sync {
    /// Starts the refill of a list, unless it is being refilled already.
    fn refill(self: Arc<Self>, list: ShortList);
}
