//! [`ReadDirection`]: the direction in which a sorted set is read.

/// How existing readers read the sorted set to get the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadDirection {
    /// From the highest score down, higher member bytes first: `ZREVRANGE`.
    Reverse,
    /// From the lowest score up, lower member bytes first: `ZRANGE`.
    Forward,
}
