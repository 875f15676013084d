//! The servers, each with the same board, and one round of requests to them.

use std::io;
use std::path::Path;
use std::process::Command;
use std::slice;
use std::time::Duration;

use benches::child::{Server, sibling};
use benches::http;
use benches::load::{Load, Target, load};
use benches::redis::Redis;
use benches::resp;
use tempfile::TempDir;

use crate::board::{fill, fill_redis};
use crate::writes::{Writing, write_http, write_redis};

/// The path of the top, for HTTP servers.
const TOP: &str = "/v1/boards/gifts/live/top?n=100";

/// The command for the top, for Redis.
const REVRANGE: [&str; 5] = ["ZREVRANGE", "board", "0", "99", "WITHSCORES"];

/// The command for the top of the sorted set whose scores contain the time.
const REVRANGE_PACKED: [&str; 5] = ["ZREVRANGE", "packed", "0", "99", "WITHSCORES"];

/// The minimum size of the response for a board with members.
const FULL_BYTES: u64 = 5_000;

/// All servers.
pub(crate) struct Stage {
    megaboard: Server,
    redis: Redis,
    bare: Server,
    bare_accept_loop: Server,
    hyper: Server,
    tcp: Server,
    _folder: TempDir,
}

/// The figures of one round.
pub(crate) struct Round {
    pub(crate) megaboard: Load,
    pub(crate) redis: Load,
    pub(crate) redis_packed: Load,
    pub(crate) bare: Load,
    pub(crate) bare_accept_loop: Load,
    pub(crate) hyper: Load,
    pub(crate) tcp: Load,
    pub(crate) megaboard_written: Load,
    pub(crate) redis_written: Load,
}

impl Stage {
    /// Starts all servers, and fills their boards.
    pub(crate) fn start(megaboard: Option<&Path>) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let program = megaboard.map_or_else(|| sibling("megaboard"), |path| Ok(path.to_owned()))?;
        let mut command = Command::new(program);
        command.args(["serve", "--listen", "127.0.0.1:0", "--store", "memory:"]);
        let megaboard = Server::announced(command.current_dir(folder.path()))?;
        fill(&megaboard)?;
        let mut redis = Redis::start()?;
        fill_redis(&mut redis)?;

        let response = http::ask(megaboard.address, &http::get(TOP))?;
        let body = folder.path().join("body.json");
        std::fs::write(&body, &response.body)?;
        let etag = response.header("etag").unwrap_or_default();
        let bare = |program: &str, flags: &[&str]| {
            let mut command = Command::new(sibling(program)?);
            command.arg("--body").arg(&body).args(["--etag", etag]);
            Server::announced(command.args(flags))
        };
        Ok(Self {
            bare: bare("bare_axum", &[])?,
            bare_accept_loop: bare("bare_axum", &["--accept-loop"])?,
            hyper: bare("bare_http", &["--hyper"])?,
            tcp: bare("bare_http", &["--tcp"])?,
            megaboard,
            redis,
            _folder: folder,
        })
    }

    /// Measures each server in turn.
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
        // The servers that are compared with Megaboard are measured directly before and after it.
        let bare_accept_loop = ask(http(&self.bare_accept_loop))?;
        let tcp = ask(http(&self.tcp))?;
        let megaboard = self.full(|| ask(http(&self.megaboard)))?;
        let hyper = ask(http(&self.hyper))?;
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
            hyper,
            tcp,
            megaboard_written,
            redis_written,
        })
    }

    /// Measures again if a new hour has begun meanwhile, so that the window was empty.
    fn full(&self, measure: impl Fn() -> io::Result<Load>) -> io::Result<Load> {
        loop {
            let load = measure()?;
            if load.bytes_each() >= FULL_BYTES {
                return Ok(load);
            }
            eprintln!("a new hour has begun: filling the board again");
            fill(&self.megaboard)?;
        }
    }
}
