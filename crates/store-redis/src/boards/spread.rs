//! The locations of the shards of one incarnation of a board.

use board::{Incarnation, ShardCount};

use super::keys;
use redis_nodes::{Location, ServerId};
use shard_store::BoardRecord;

/// Returns the location of a shard of a board that is spread over these servers.
pub(crate) fn place(board: &BoardRecord, servers: &[ServerId], shard: u16) -> Location {
    location(board.incarnation, board.shards, servers, shard)
}

/// Returns the location of a shard of an incarnation that is spread over these servers.
pub(super) fn location(
    incarnation: Incarnation,
    shards: ShardCount,
    servers: &[ServerId],
    shard: u16,
) -> Location {
    let from = usize::from(keys::offset(incarnation)) + usize::from(shard);
    Location {
        slot: keys::shard_slot(incarnation, shards, shard),
        server: servers.get(from % servers.len().max(1)).copied(),
    }
}

#[cfg(test)]
mod tests {
    use board::{Activity, Meaning};

    use super::*;

    #[test]
    fn shards_go_round_the_servers_of_their_incarnation() {
        let board = BoardRecord {
            name: "gifts/room".parse().unwrap(),
            incarnation: Incarnation(7),
            shards: ShardCount::new(16).unwrap(),
            meaning: Meaning(0),
            activity: Activity::ALWAYS,
            created: true,
        };
        let servers: Vec<_> = (0..3).map(ServerId).collect();
        let of = |shard| place(&board, &servers, shard).server.unwrap();
        for shard in 0..13 {
            assert_eq!(of(shard), of(shard + 3));
            assert_ne!(of(shard), of(shard + 1));
        }
        assert_eq!(place(&board, &[], 3).server, None);
    }
}
