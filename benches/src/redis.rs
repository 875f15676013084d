//! A Redis server, with or without an append-only file. Megaboard is compared with it, and stores boards on it.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

use crate::child::Server;
use crate::resp::Connection;

/// Adds points to a member, with ties broken by time. Scores are in a hash; members of the sorted set begin with the
/// time, so that the earlier one of two equal scores is first.
pub const TIE_BREAK_SCRIPT: &str = "\
local stored = redis.call('HGET', KEYS[2], ARGV[1])
local points = tonumber(ARGV[2])
if stored then
  local split = string.find(stored, ' ', 1, true)
  points = points + tonumber(string.sub(stored, 1, split - 1))
  redis.call('ZREM', KEYS[1], string.sub(stored, split + 1) .. ARGV[1])
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
    /// The folder of a node of a cluster.
    folder: Option<TempDir>,
}

/// The pause between questions whether a cluster serves its slots.
const CLUSTER_INTERVAL: Duration = Duration::from_millis(10);

impl Redis {
    /// Starts a server on a free port, without persistence.
    pub fn start() -> io::Result<Self> {
        Self::program("redis-server")
    }

    /// Starts this program, such as a Valkey server, on a free port, without persistence.
    pub fn program(program: &str) -> io::Result<Self> {
        Self::with(program, &["--appendonly", "no"])
    }

    /// Starts a server with an append-only file in this folder. Its configuration is the default one, except that it
    /// writes no snapshots, which would cost it more.
    pub fn with_append_only_file(folder: &Path, fsync: &str) -> io::Result<Self> {
        let folder = folder.to_string_lossy();
        let program = "redis-server";
        let settings = [
            "--dir",
            &folder,
            "--appendonly",
            "yes",
            "--appendfsync",
            fsync,
            "--logfile",
            "redis.log",
        ];
        Self::with(program, &settings)
    }

    fn with(program: &str, settings: &[&str]) -> io::Result<Self> {
        let server = Server::on_free_port(|port| {
            let mut command = Command::new(program);
            command.args(["--port", &port.to_string(), "--bind", "127.0.0.1"]);
            command.args(["--save", "", "--maxclients", "20000"]);
            // As Megaboard.
            command.args(["--tcp-backlog", "4096"]);
            command.args(settings);
            command
        })?;
        let connection = Connection::open(server.address)?;
        Ok(Self {
            server,
            connection,
            folder: None,
        })
    }

    /// Starts a server as the only node of a cluster, without persistence.
    pub fn cluster_of_one() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let dir = folder.path().to_string_lossy();
        // By default that of the server plus 10,000, which may be none.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let port = port.to_string();
        let settings = [
            "--appendonly",
            "no",
            "--dir",
            &dir,
            "--cluster-enabled",
            "yes",
            "--cluster-port",
            &port,
            "--cluster-announce-ip",
            "127.0.0.1",
        ];
        let mut redis = Self::with("redis-server", &settings)?;
        let all = ["CLUSTER", "ADDSLOTSRANGE", "0", "16383"];
        redis.connection.ask(&all)?;
        let state = ["CLUSTER", "INFO"];
        while !redis.connection.ask(&state)?.contains("cluster_state:ok") {
            sleep(CLUSTER_INTERVAL);
        }
        redis.folder = Some(folder);
        Ok(redis)
    }

    /// Returns the address on which it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// Returns the process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.server.pid()
    }

    /// Returns its CPU time so far as it reports it, user and system, in microseconds.
    pub fn cpu_us(&mut self) -> io::Result<f64> {
        let info = self.connection.ask(&["INFO", "cpu"])?;
        let seconds = number(&info, "used_cpu_user")? + number(&info, "used_cpu_sys")?;
        Ok(seconds * 1e6)
    }

    /// Returns the memory of its data and buffers as it reports it, in bytes.
    pub fn memory_bytes(&mut self) -> io::Result<f64> {
        let info = self.connection.ask(&["INFO", "memory"])?;
        number(&info, "used_memory")
    }

    /// Returns the number of function calls so far, reading and writing.
    pub fn function_calls(&mut self) -> io::Result<f64> {
        self.calls_of("fcall")
    }

    /// Returns the number of calls so far of commands whose names begin with this text.
    pub fn calls_of(&mut self, name: &str) -> io::Result<f64> {
        let info = self.connection.ask(&["INFO", "commandstats"])?;
        let begin = format!("cmdstat_{name}");
        let lines = info.lines().filter(|line| line.starts_with(&begin));
        let calls = lines.filter_map(|line| line.split_once("calls=")?.1.split(',').next());
        calls
            .map(|calls| calls.parse::<f64>().map_err(io::Error::other))
            .sum()
    }

    /// Returns the number of bytes received and sent so far.
    pub fn network_bytes(&mut self) -> io::Result<f64> {
        let (received, sent) = self.network_in_out()?;
        Ok(received + sent)
    }

    /// Returns the number of bytes received so far, and of those sent.
    pub fn network_in_out(&mut self) -> io::Result<(f64, f64)> {
        let info = self.connection.ask(&["INFO", "stats"])?;
        let received = number(&info, "total_net_input_bytes")?;
        Ok((received, number(&info, "total_net_output_bytes")?))
    }

    /// Returns the number of open connections, this one included.
    pub fn clients(&mut self) -> io::Result<f64> {
        let info = self.connection.ask(&["INFO", "clients"])?;
        number(&info, "connected_clients")
    }

    /// Returns the version of the server.
    pub fn version(&mut self) -> io::Result<String> {
        let info = self.connection.ask(&["INFO", "server"])?;
        Ok(field(&info, "redis_version")?.to_owned())
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // If it were killed, a child that rewrites the append-only file would remain. The reply is the end of the
        // connection, which is an error.
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
