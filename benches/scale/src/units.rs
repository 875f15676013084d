//! [`UnitCosts`]: what one call, one read and one member cost, as `benches/run unit-costs` measures it.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

const HEAD: &str = "\
# What one call, one read and one member cost on Redis. `benches/run unit-costs` measures it and writes this file;
# docs/scale.md is computed from it. CPU is in microseconds: of a node as `INFO cpu` reports it, of a Megaboard server as
# the system does. Bytes are those that the node received (in) and sent (out).

";

/// The measured costs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitCosts {
    /// The machine.
    pub machine: String,
    /// The version of Redis.
    pub redis: String,
    /// The day of the measurement.
    pub date: String,
    /// The members of each measured board, in one window.
    pub members: u64,
    /// The connections of one server to one node.
    pub connections_a_link: f64,
    /// Memory.
    pub memory: MemoryCosts,
    /// CPU and bytes of a server without its store.
    pub server: ServerCosts,
    /// A call with this number of contributions to a shard.
    pub apply: Vec<ApplyCost>,
    /// Tops of boards of one shard, by the number of their members.
    pub top: Vec<TopCost>,
    /// A merge of a top of 1,000 by a `fresh` read, by shards of the board.
    pub merge: Vec<ReadCost>,
    /// A member's rank and neighbours.
    pub member: Vec<ReadCost>,
    /// A page of 100 at a random depth.
    pub page: Vec<ReadCost>,
}

/// Memory of nodes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryCosts {
    /// Bytes of a member in one window.
    pub member_bytes: f64,
    /// Bytes of a board of one shard, besides its members.
    pub board_bytes: f64,
    /// Bytes of a node without boards, functions included.
    pub node_bytes: f64,
}

/// CPU and bytes of a server.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerCosts {
    /// CPU of a contribution in requests of 1,000 lines, to a board of one shard.
    pub line_us: f64,
    /// CPU of a call to a shard, from the difference to a board of 64 shards.
    pub call_us: f64,
    /// CPU of a cached top of 100.
    pub cached_top_us: f64,
    /// Bytes of the response.
    pub cached_top_bytes: f64,
}

/// The cost of a call of contributions for a node.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApplyCost {
    /// The number of contributions.
    pub contributions: f64,
    /// CPU of the node.
    pub node_us: f64,
    /// Bytes received.
    pub bytes_in: f64,
    /// Bytes sent.
    pub bytes_out: f64,
}

/// The cost of a top of a board of one shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopCost {
    /// The entries of the top: all members of the board.
    pub entries: f64,
    /// A merge with its lease, and with the copy for other servers.
    pub merged: ReadCost,
    /// The copy of another server's merge.
    pub taken: ReadCost,
}

/// The cost of a read for all nodes together, and for the server.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadCost {
    /// The shards of the board.
    pub shards: f64,
    /// Function calls.
    pub calls: f64,
    /// CPU of the nodes.
    pub node_us: f64,
    /// Bytes received.
    pub bytes_in: f64,
    /// Bytes sent.
    pub bytes_out: f64,
    /// CPU of the server.
    pub server_us: f64,
}

/// CPU and bytes of work at a node.
#[derive(Debug, Clone, Copy, Default)]
pub struct NodeWork {
    /// Function calls.
    pub calls: f64,
    /// CPU in microseconds.
    pub us: f64,
    /// Bytes received.
    pub bytes_in: f64,
    /// Bytes sent.
    pub bytes_out: f64,
}

impl NodeWork {
    /// Returns this work, this number of times.
    #[must_use]
    pub fn times(self, times: f64) -> Self {
        Self {
            calls: self.calls * times,
            us: self.us * times,
            bytes_in: self.bytes_in * times,
            bytes_out: self.bytes_out * times,
        }
    }

    /// Adds other work.
    pub fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.us += other.us;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
    }
}

impl UnitCosts {
    /// Reads the file.
    pub fn read(file: &Path) -> io::Result<Self> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?;
        toml::from_str(&text).map_err(io::Error::other)
    }

    /// Writes the file.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        let text = toml::to_string(self).map_err(io::Error::other)?;
        std::fs::write(file, format!("{HEAD}{text}"))
    }

    /// Returns the work of a call with this number of contributions: linear between those that were measured.
    #[must_use]
    pub fn apply(&self, contributions: f64) -> NodeWork {
        let of = |cost: fn(&ApplyCost) -> f64| {
            between(&self.apply, |row| row.contributions, cost, contributions)
        };
        NodeWork {
            calls: 1.0,
            us: of(|row| row.node_us),
            bytes_in: of(|row| row.bytes_in),
            bytes_out: of(|row| row.bytes_out),
        }
    }
}

/// The cost of a top.
#[derive(Debug, Clone, Copy, Default)]
pub struct TopWork {
    /// The work of a merge on each shard.
    pub shard: NodeWork,
    /// What shard 0 does in addition: the lease, and the copy for other servers.
    pub publish: NodeWork,
    /// The work of shard 0 for a server that takes the copy.
    pub taken: NodeWork,
    /// CPU of the server that merges.
    pub merged_server_us: f64,
    /// CPU of a server that takes the copy.
    pub taken_server_us: f64,
}

impl UnitCosts {
    /// Returns the cost of the top of a board with so many members and shards. More than 1,000 are not read.
    #[must_use]
    pub fn top(&self, members: f64, shards: f64) -> TopWork {
        let last = self.top.last().map_or(1.0, |row| row.entries);
        let (merged, merged_server_us) = self.top_of(members.min(last), |row| &row.merged);
        let (taken, taken_server_us) = self.top_of(members.min(last), |row| &row.taken);
        if shards <= 1.0 {
            return TopWork {
                shard: merged,
                publish: NodeWork::default(),
                taken,
                merged_server_us,
                taken_server_us,
            };
        }
        let (one, one_server_us) = read_of_shard(&self.merge, 1.0);
        let (shard, server_us) = read_of_shard(&self.merge, shards);
        let above = |more: f64, less: f64| (more - less).max(0.0);
        TopWork {
            shard,
            publish: NodeWork {
                calls: above(merged.calls, one.calls),
                us: above(merged.us, one.us),
                bytes_in: above(merged.bytes_in, one.bytes_in),
                bytes_out: above(merged.bytes_out, one.bytes_out),
            },
            taken,
            merged_server_us: server_us + above(merged_server_us, one_server_us),
            taken_server_us,
        }
    }

    fn top_of(&self, entries: f64, cost: impl Fn(&TopCost) -> &ReadCost) -> (NodeWork, f64) {
        let of = |part: fn(&ReadCost) -> f64| {
            between(&self.top, |row| row.entries, |row| part(cost(row)), entries)
        };
        let work = NodeWork {
            calls: of(|row| row.calls),
            us: of(|row| row.node_us),
            bytes_in: of(|row| row.bytes_in),
            bytes_out: of(|row| row.bytes_out),
        };
        (work, of(|row| row.server_us))
    }
}

/// Returns the work of a read over this number of shards on one of them, and the CPU of the server for all.
#[must_use]
pub fn read_of_shard(rows: &[ReadCost], shards: f64) -> (NodeWork, f64) {
    let of = |cost: fn(&ReadCost) -> f64| between(rows, |row| row.shards, cost, shards);
    let work = NodeWork {
        calls: of(|row| row.calls),
        us: of(|row| row.node_us),
        bytes_in: of(|row| row.bytes_in),
        bytes_out: of(|row| row.bytes_out),
    };
    (work.times(1.0 / shards), of(|row| row.server_us))
}

/// Returns the value at `at` of lines through the points of the rows, which are in order. The first and the last line go
/// on.
fn between<R>(rows: &[R], x: impl Fn(&R) -> f64, y: impl Fn(&R) -> f64, at: f64) -> f64 {
    let Some(last) = rows.len().checked_sub(2) else {
        return rows.first().map_or(0.0, y);
    };
    let after = rows.iter().position(|row| x(row) >= at);
    let first = after.unwrap_or(last + 1).saturating_sub(1).min(last);
    let (one, two) = (&rows[first], &rows[first + 1]);
    y(one) + (y(two) - y(one)) * (at - x(one)) / (x(two) - x(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_linear_between_the_measured_ones() {
        let points = [(1.0, 10.0), (10.0, 19.0), (100.0, 199.0)];
        for (x, y) in [
            (1.0, 10.0),
            (2.0, 11.0),
            (10.0, 19.0),
            (55.0, 109.0),
            (200.0, 399.0),
        ] {
            let found = between(&points, |point| point.0, |point| point.1, x);
            assert!((found - y).abs() < 1e-9, "{x}");
        }
        let found = between(&points[..1], |point| point.0, |point| point.1, 7.0);
        assert!((found - 10.0).abs() < 1e-9);
    }
}
