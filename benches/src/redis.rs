//! One Redis of its own, with nothing on disk or with its log of commands: the peer, and what boards
//! on Redis live on.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use crate::child::Server;
use crate::resp::Connection;

/// Folds one contribution with ties by time: the score KV is a hash, the sorted set an index whose
/// entries begin with the time, so that of equal scores the earlier stands first.
pub const TIE_BREAK_SCRIPT: &str = "\
local held = redis.call('HGET', KEYS[2], ARGV[1])
local points = tonumber(ARGV[2])
if held then
  local split = string.find(held, ' ', 1, true)
  points = points + tonumber(string.sub(held, 1, split - 1))
  redis.call('ZREM', KEYS[1], string.sub(held, split + 1) .. ARGV[1])
end
local tie = string.format('%013.0f', 9999999999999 - tonumber(ARGV[3]))
redis.call('ZADD', KEYS[1], points, tie .. ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f', points) .. ' ' .. tie)
return 1";

/// A Redis process and a connection to it.
#[derive(Debug)]
pub struct Redis {
    server: Server,
    /// The connection.
    pub connection: Connection,
}

impl Redis {
    /// Starts one on a free port.
    pub fn start() -> io::Result<Self> {
        Self::with(&["--appendonly", "no"])
    }

    /// Starts one that keeps its log in this folder. All else is as Redis has it by default, but
    /// that it writes no snapshots besides, which would cost it more.
    pub fn kept(folder: &Path, fsync: &str) -> io::Result<Self> {
        let folder = folder.to_string_lossy();
        Self::with(&[
            "--dir",
            &folder,
            "--appendonly",
            "yes",
            "--appendfsync",
            fsync,
            "--logfile",
            "redis.log",
        ])
    }

    fn with(settings: &[&str]) -> io::Result<Self> {
        let server = Server::on_free_port(|port| {
            let mut command = Command::new("redis-server");
            command.args(["--port", &port.to_string(), "--bind", "127.0.0.1"]);
            command.args(["--save", ""]).args(settings);
            command
        })?;
        let connection = Connection::open(server.address)?;
        Ok(Self { server, connection })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// Its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.server.pid()
    }

    /// Microseconds of CPU so far, as it tells itself, user and system.
    pub fn cpu_us(&mut self) -> io::Result<f64> {
        let info = self.connection.ask(&["INFO", "cpu"])?;
        let seconds = number(&info, "used_cpu_user")? + number(&info, "used_cpu_sys")?;
        Ok(seconds * 1e6)
    }

    /// Bytes that its data and buffers take, as it tells itself.
    pub fn memory_bytes(&mut self) -> io::Result<f64> {
        let info = self.connection.ask(&["INFO", "memory"])?;
        number(&info, "used_memory")
    }

    /// Functions called so far, of those that read and those that write.
    pub fn function_calls(&mut self) -> io::Result<f64> {
        self.calls_of("fcall")
    }

    /// Commands called so far, of those whose names begin so.
    pub fn calls_of(&mut self, name: &str) -> io::Result<f64> {
        let info = self.connection.ask(&["INFO", "commandstats"])?;
        let begin = format!("cmdstat_{name}");
        let lines = info.lines().filter(|line| line.starts_with(&begin));
        let calls = lines.filter_map(|line| line.split_once("calls=")?.1.split(',').next());
        calls
            .map(|calls| calls.parse::<f64>().map_err(io::Error::other))
            .sum()
    }

    /// Bytes that came and went over its connections so far.
    pub fn network_bytes(&mut self) -> io::Result<f64> {
        let info = self.connection.ask(&["INFO", "stats"])?;
        Ok(number(&info, "total_net_input_bytes")? + number(&info, "total_net_output_bytes")?)
    }

    /// Its version.
    pub fn version(&mut self) -> io::Result<String> {
        let info = self.connection.ask(&["INFO", "server"])?;
        Ok(field(&info, "redis_version")?.to_owned())
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // Killed, it would leave behind a child that rewrites its log. What answers is the end of
        // the connection, which is an error.
        let _ = self.connection.ask(&["SHUTDOWN", "NOSAVE", "NOW"]);
    }
}

fn field<'a>(info: &'a str, name: &str) -> io::Result<&'a str> {
    let mut lines = info.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(other, _)| *other == name);
    let (_, value) = found.ok_or_else(|| io::Error::other(format!("INFO has no {name}")))?;
    Ok(value)
}

fn number(info: &str, name: &str) -> io::Result<f64> {
    field(info, name)?.parse().map_err(io::Error::other)
}
