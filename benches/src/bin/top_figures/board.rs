//! The board: the same members and points in Megaboard and in Redis.

use std::fmt::Write as _;
use std::io;

use benches::child::Server;
use benches::http;
use benches::redis::Redis;
use benches::sample::member;
use scale::random::Random;

/// The number of members of the board.
pub(crate) const MEMBERS: u64 = 100_000;

/// The number of different times in a score that contains the time.
const TIMES: u64 = 1 << 31;

/// Returns the points of all members.
fn points() -> impl Iterator<Item = u64> {
    const POINTS_MAX: u64 = 1_000_000;
    let mut random = Random::new(5);
    (0..MEMBERS).map(move |_| 1 + random.below(POINTS_MAX))
}

/// Sends one contribution of each member to Megaboard.
pub(crate) fn fill(megaboard: &Server) -> io::Result<()> {
    let mut lines = String::new();
    for (number, points) in (0..).zip(points()) {
        let member = member(number);
        // Writing into a string cannot fail.
        let _ = writeln!(
            lines,
            r#"{{"board":"gifts/live","member":"{member}","points":{points}}}"#
        );
    }
    let kind = "application/x-ndjson";
    let request = http::post("/v1/contributions", kind, &lines);
    let response = http::ask(megaboard.address, &request)?;
    let text = String::from_utf8_lossy(&response.body);
    if text.contains(&format!("\"applied\":{MEMBERS},")) {
        Ok(())
    } else {
        Err(io::Error::other(format!(
            "the board was not filled: {text}"
        )))
    }
}

/// Adds all members to two sorted sets: `board`, and `packed`, whose scores contain a time.
pub(crate) fn fill_redis(redis: &mut Redis) -> io::Result<()> {
    let mut random = Random::new(6);
    for (number, points) in (0..).zip(points()) {
        let member = member(number);
        let packed = points * TIMES + random.below(TIMES);
        for (key, score) in [("board", points), ("packed", packed)] {
            let command = ["ZADD", key, &score.to_string(), member.as_str()];
            redis.connection.ask(&command)?;
        }
    }
    Ok(())
}
