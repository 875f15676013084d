//! What a peer may make this process hold before a reply is complete, and the memory of all replies that are not:
//! [`ReplyBudget`].
//!
//! A peer is not trusted: it may be taken over, or an address may lead elsewhere. Each limit is checked before anything
//! is allocated or decoded for what it limits.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The maximum length of one reply.
pub const REPLY_BYTES_MAX: usize = 64 << 20;

/// The maximum number of elements of one reply, those of nested arrays included. `CLUSTER SLOTS` of the most scattered
/// cluster with two replicas has 350,000.
pub const REPLY_ELEMENTS_MAX: usize = 500_000;

/// The maximum depth of a reply: the decoder calls itself for each level. Replies of Redis have up to 5.
pub const REPLY_DEPTH_MAX: usize = 16;

/// The maximum length of a line: of a status, of an error, or before a string. For memcached, of each reply.
pub const REPLY_LINE_BYTES_MAX: usize = 16 << 10;

/// The maximum memory of incomplete replies of all connections, unless [`limit_replies`] sets another.
pub const REPLIES_BYTES_MAX: usize = 256 << 20;

/// The memory of an element while it is decoded: its range and its frame.
pub(crate) const ELEMENT_BYTES: usize = 192;

/// What each connection has without taking it from the budget.
pub(crate) const OWN_BYTES: usize = 64 << 10;

/// The memory of incomplete replies of several connections.
#[derive(Debug)]
pub(crate) struct ReplyBudget {
    limit: AtomicUsize,
    taken: AtomicUsize,
}

impl ReplyBudget {
    pub(crate) const fn new(limit: usize) -> Self {
        Self {
            limit: AtomicUsize::new(limit),
            taken: AtomicUsize::new(0),
        }
    }
}

/// That of all connections of this process.
pub(crate) static PROCESS: ReplyBudget = ReplyBudget::new(REPLIES_BYTES_MAX);

/// Limits the memory of incomplete replies of all connections of this process.
pub fn limit_replies(bytes: usize) {
    PROCESS.limit.store(bytes, Ordering::Relaxed);
}

impl From<ReplyError> for std::io::Error {
    fn from(error: ReplyError) -> Self {
        Self::other(error)
    }
}

/// Why replies of a connection are not read any further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    /// Longer than [`REPLY_BYTES_MAX`].
    #[error("a reply is longer than {REPLY_BYTES_MAX} bytes")]
    TooLong,
    /// More than [`REPLY_ELEMENTS_MAX`].
    #[error("a reply has more than {REPLY_ELEMENTS_MAX} elements")]
    TooManyElements,
    /// Deeper than [`REPLY_DEPTH_MAX`].
    #[error("a reply is nested more than {REPLY_DEPTH_MAX} levels deep")]
    TooDeep,
    /// Longer than [`REPLY_LINE_BYTES_MAX`].
    #[error("a line of a reply is longer than {REPLY_LINE_BYTES_MAX} bytes")]
    LineTooLong,
    /// More than [`limit_replies`] allows.
    #[error("incomplete replies of all Redis connections take more than {0} bytes")]
    Memory(usize),
    /// Not a reply of the protocol.
    #[error("a reply could not be parsed")]
    Malformed,
}

/// The memory that one connection has for an incomplete reply, beyond its first [`OWN_BYTES`].
#[derive(Debug)]
pub(crate) struct ReplyMemory {
    budget: &'static ReplyBudget,
    held: usize,
}

impl ReplyMemory {
    pub(crate) const fn of(budget: &'static ReplyBudget) -> Self {
        Self { budget, held: 0 }
    }

    /// Holds so many bytes in all, more or fewer than before.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), ReplyError> {
        let bytes = bytes.saturating_sub(OWN_BYTES);
        let ReplyBudget { limit, taken } = self.budget;
        if let Some(more) = bytes.checked_sub(self.held) {
            let limit = limit.load(Ordering::Relaxed);
            if more > 0 && taken.fetch_add(more, Ordering::Relaxed) + more > limit {
                taken.fetch_sub(more, Ordering::Relaxed);
                return Err(ReplyError::Memory(limit));
            }
        } else {
            taken.fetch_sub(self.held - bytes, Ordering::Relaxed);
        }
        self.held = bytes;
        Ok(())
    }
}

impl Drop for ReplyMemory {
    fn drop(&mut self) {
        self.budget.taken.fetch_sub(self.held, Ordering::Relaxed);
    }
}
