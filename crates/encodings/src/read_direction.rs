//! The direction in which a sorted set is read: [`ReadDirection`].

/// The direction in which existing readers read the sorted set, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadDirection {
    /// From the highest score, higher member bytes first: `ZREVRANGE`.
    Reverse,
    /// From the lowest score, lower member bytes first: `ZRANGE`.
    Forward,
}
