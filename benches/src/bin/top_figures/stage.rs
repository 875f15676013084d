//! The servers, with the same board in each, and one round of asking them.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::Command;
use std::slice;
use std::time::Duration;

use benches::child::{Server, beside};
use benches::http;
use benches::load::{Load, Target, load};
use benches::random::Random;
use benches::redis::Redis;
use benches::resp;
use benches::sample::member;
use tempfile::TempDir;

use crate::writes::{Writing, write_http, write_redis};

/// Members of the board.
pub(crate) const MEMBERS: u64 = 100_000;

/// What is asked of servers that speak HTTP.
const TOP: &str = "/v1/boards/gifts/live/top?n=100";

/// The same of Redis.
const REVRANGE: [&str; 5] = ["ZREVRANGE", "board", "0", "99", "WITHSCORES"];

/// The same where scores hold their time, too, as Redis needs to break ties by it.
const REVRANGE_PACKED: [&str; 5] = ["ZREVRANGE", "packed", "0", "99", "WITHSCORES"];

/// Times that a packed score tells apart.
const TIMES: u64 = 1 << 31;

/// What a board without members answers is shorter than this.
const FULL_BYTES: u64 = 5_000;

pub(crate) struct Stage {
    megaboard: Server,
    redis: Redis,
    bare: Server,
    bare_accept_loop: Server,
    _folder: TempDir,
}

/// What one round gave.
pub(crate) struct Round {
    pub(crate) megaboard: Load,
    pub(crate) redis: Load,
    pub(crate) redis_packed: Load,
    pub(crate) bare: Load,
    pub(crate) bare_accept_loop: Load,
    pub(crate) megaboard_written: Load,
    pub(crate) redis_written: Load,
}

impl Stage {
    /// Starts every server and fills its board.
    pub(crate) fn set(megaboard: Option<&Path>) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let program = megaboard.map_or_else(|| beside("megaboard"), |path| Ok(path.to_owned()))?;
        let mut command = Command::new(program);
        command.args(["serve", "--listen", "127.0.0.1:0", "--store", "memory:"]);
        let megaboard = Server::announced(command.current_dir(folder.path()))?;
        fill(&megaboard)?;
        let mut redis = Redis::start()?;
        fill_redis(&mut redis)?;

        let answer = http::ask(megaboard.address, &http::get(TOP))?;
        let body = folder.path().join("body.json");
        std::fs::write(&body, &answer.body)?;
        let etag = answer.header("etag").unwrap_or_default();
        let bare = |flags: &[&str]| {
            let mut command = Command::new(beside("bare_axum")?);
            command.arg("--body").arg(&body).args(["--etag", etag]);
            Server::announced(command.args(flags))
        };
        Ok(Self {
            bare: bare(&[])?,
            bare_accept_loop: bare(&["--accept-loop"])?,
            megaboard,
            redis,
            _folder: folder,
        })
    }

    /// Asks each server in turn.
    pub(crate) fn round(&mut self, connections: usize, duration: Duration) -> io::Result<Round> {
        let redis = |request| Target {
            address: self.redis.address(),
            pid: self.redis.pid(),
            requests: slice::from_ref(request),
            begins: "*",
            response_length: resp::array_length,
        };
        let plain = resp::command(&REVRANGE);
        let packed = resp::command(&REVRANGE_PACKED);
        let get = http::get(TOP);
        let http = |server: &Server| Target {
            address: server.address,
            pid: server.pid(),
            requests: slice::from_ref(&get),
            begins: http::OK,
            response_length: http::response_length,
        };
        let ask = |target| load(target, connections, duration);
        // The two whose CPU is compared stand side by side.
        let bare_accept_loop = ask(http(&self.bare_accept_loop))?;
        let megaboard = self.full(|| ask(http(&self.megaboard)))?;
        let bare = ask(http(&self.bare))?;
        let redis_plain = ask(redis(&plain))?;
        let redis_packed = ask(redis(&packed))?;
        let megaboard_written = self.full(|| {
            let address = self.megaboard.address;
            let writing = Writing::start(move |random| write_http(address, random));
            writing.stop_after(ask(http(&self.megaboard)))
        })?;
        let address = self.redis.address();
        let writing = Writing::start(move |random| write_redis(address, random));
        let redis_written = writing.stop_after(ask(redis(&plain)))?;
        Ok(Round {
            megaboard,
            redis: redis_plain,
            redis_packed,
            bare,
            bare_accept_loop,
            megaboard_written,
            redis_written,
        })
    }

    /// Asks again where the hour turned meanwhile, which leaves the board of the new one empty.
    fn full(&self, ask: impl Fn() -> io::Result<Load>) -> io::Result<Load> {
        loop {
            let load = ask()?;
            if load.bytes_each() >= FULL_BYTES {
                return Ok(load);
            }
            eprintln!("the hour has turned: the board is filled again");
            fill(&self.megaboard)?;
        }
    }
}

/// One contribution by each member, of the same points everywhere.
fn points() -> impl Iterator<Item = u64> {
    const POINTS_MAX: u64 = 1_000_000;
    let mut random = Random::new(5);
    (0..MEMBERS).map(move |_| 1 + random.below(POINTS_MAX))
}

fn fill(megaboard: &Server) -> io::Result<()> {
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
    let answer = http::ask(megaboard.address, &request)?;
    let text = String::from_utf8_lossy(&answer.body);
    if text.contains(&format!("\"applied\":{MEMBERS},")) {
        Ok(())
    } else {
        Err(io::Error::other(format!(
            "the board was not filled: {text}"
        )))
    }
}

fn fill_redis(redis: &mut Redis) -> io::Result<()> {
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
