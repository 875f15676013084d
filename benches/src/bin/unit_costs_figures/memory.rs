//! Measures the memory of a node, and of a board of one shard.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use benches::figures::number;
use benches::http::{apply_all, post};
use benches::redis::Redis;
use scale::units::MemoryCosts;

use crate::served::Served;

/// The number of boards, and their members at first and in the end.
const BOARDS: u64 = 10_000;
const FEW: u64 = 2;
const MANY: u64 = 10;

/// The contributions of a request.
const BATCH: u64 = 1_000;

/// Returns the costs; the bytes of a member are those of a large board.
pub(crate) fn measure(megaboard: &Path, member_bytes: f64) -> io::Result<MemoryCosts> {
    let mut redis = Redis::cluster_of_one()?;
    let store = format!("redis-cluster://{}", redis.address());
    let mut served = Served::start(megaboard, &store, "1h")?;
    let node_bytes = redis.memory_bytes()?;
    let mut fill = |members: u64| -> io::Result<f64> {
        let mut body = String::new();
        for index in 0..BOARDS * members {
            let (board, member) = (index % BOARDS, index / BOARDS);
            // Writing into a string cannot fail.
            let _ = writeln!(
                body,
                r#"{{"board":"of1/room-{board}","member":"u{member:09}","points":1}}"#
            );
            if (index + 1) % BATCH == 0 {
                let request = post("/v1/contributions", "application/x-ndjson", &body);
                apply_all(&mut served.connection, &request)?;
                body.clear();
            }
        }
        redis.memory_bytes()
    };
    let few = (fill(FEW)? - node_bytes) / number(BOARDS);
    let many = (fill(MANY)? - node_bytes) / number(BOARDS);
    // In a small board a member costs less than in a large one.
    let small_member_bytes = (many - few) / number(MANY - FEW);
    Ok(MemoryCosts {
        member_bytes,
        board_bytes: number(FEW).mul_add(-small_member_bytes, few),
        node_bytes,
    })
}
