//! Buffers of what connections have read, under one limit for all of them: [`ReadAhead`].
//!
//! hyper reads into a buffer of its own: heads that are not complete, pieces of bodies, requests that were sent before
//! the last one was answered. It keeps that buffer as large as it has become. The socket sees each read, and asks here
//! how long it may be.
//!
//! - A connection has [`FREE_BYTES`] that are not counted: the limit of connections bounds them.
//! - What its buffer has grown by counts until the connection ends. If a head does not fit into the pool, the
//!   connection ends.
//! - A body is read in longer pieces if there is room for them, and otherwise in pieces of [`SHORT_READ_BYTES`], for
//!   which no buffer grows.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::pool::{HeldBytes, Pool};
use problem::{Problem, ProblemType};

/// Bytes of a connection that are not counted: hyper's buffer at first.
pub(crate) const FREE_BYTES: usize = 8 << 10;

/// Bytes of a read that has to be short: one that filled hyper's buffer would have it grow.
const SHORT_READ_BYTES: usize = FREE_BYTES - 1;

/// What one connection has read.
#[derive(Debug)]
pub struct ReadAhead(Mutex<State>);

#[derive(Debug)]
struct State {
    /// Bytes of the next head.
    head: usize,
    is_reading_request: bool,
    /// What the buffer has grown by.
    held: HeldBytes,
}

/// A request whose head was read: what is read until this is dropped is no head.
#[derive(Debug)]
pub struct ReadingRequest {
    ahead: Arc<ReadAhead>,
    is_last: bool,
}

/// The buffers of all connections take all the memory that there is for them.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("there is no room for the head of the request")]
pub(crate) struct PoolFull;

impl PoolFull {
    pub(crate) fn problem() -> Problem {
        let detail = "the heads of all requests take more memory than there is for them";
        Problem::new(ProblemType::Overloaded, detail)
    }
}

impl ReadAhead {
    /// A connection that has read nothing.
    #[must_use]
    pub fn new(pool: &Pool) -> Self {
        Self(Mutex::new(State {
            head: 0,
            is_reading_request: false,
            held: pool.hold(),
        }))
    }

    /// Returns how many bytes a read may bring for which there is a buffer of so many.
    pub(crate) fn read_max(&self, wanted: usize) -> usize {
        let State {
            is_reading_request,
            held,
            ..
        } = &mut *self.0.lock();
        let more = wanted.saturating_sub(FREE_BYTES);
        if more <= held.bytes() || *is_reading_request && held.resize_unreserved(more) {
            wanted
        } else {
            SHORT_READ_BYTES
        }
    }

    /// Counts what was read. An error: there is no room for it, and the connection has to end.
    pub(crate) fn note_read(&self, bytes: usize) -> Result<(), PoolFull> {
        let state = &mut *self.0.lock();
        if state.is_reading_request {
            return Ok(());
        }
        state.head += bytes;
        let more = state.head.saturating_sub(FREE_BYTES);
        let has_room = more <= state.held.bytes() || state.held.resize(more);
        has_room.then_some(()).ok_or(PoolFull)
    }

    /// A whole head was read, and its request begins.
    #[must_use]
    pub fn begin(self: &Arc<Self>) -> ReadingRequest {
        let state = &mut *self.0.lock();
        (state.head, state.is_reading_request) = (0, true);
        ReadingRequest {
            ahead: self.clone(),
            is_last: false,
        }
    }
}

impl ReadingRequest {
    /// No head follows on the connection: what is read from now on is what is left of the body.
    pub const fn is_last(&mut self) {
        self.is_last = true;
    }
}

impl Drop for ReadingRequest {
    fn drop(&mut self) {
        if !self.is_last {
            self.ahead.0.lock().is_reading_request = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: usize = 64 << 10;

    fn connection(pool: &Pool) -> Arc<ReadAhead> {
        Arc::new(ReadAhead::new(pool))
    }

    /// Reads so much of a head, as the socket does.
    fn read_head(ahead: &ReadAhead, mut bytes: usize) -> Result<(), PoolFull> {
        while bytes > 0 {
            let read = ahead.read_max(LONG).min(bytes);
            ahead.note_read(read)?;
            bytes -= read;
        }
        Ok(())
    }

    #[test]
    fn long_heads_share_a_limit_and_short_ones_are_free() {
        let pool = Pool::up_to(2 * LONG);
        let long = [(); 2].map(|()| connection(&pool));
        for ahead in &long {
            read_head(ahead, LONG).unwrap();
        }
        assert_eq!(pool.bytes(), 2 * (LONG - FREE_BYTES));
        let third = connection(&pool);
        assert!(read_head(&third, LONG).is_err());
        drop(third);
        let short = connection(&pool);
        read_head(&short, FREE_BYTES).unwrap();
        assert_eq!(pool.bytes(), 2 * (LONG - FREE_BYTES));
        drop(long);
        assert_eq!(pool.bytes(), 0);
    }

    #[test]
    fn a_long_head_counts_until_its_connection_ends() {
        let pool = Pool::up_to(LONG);
        let ahead = connection(&pool);
        read_head(&ahead, LONG - 1).unwrap();
        for _ in 0..100 {
            drop(ahead.begin());
            assert_eq!(pool.bytes(), LONG - 1 - FREE_BYTES);
            // It needs no more than the buffer has grown to.
            read_head(&ahead, LONG - 1).unwrap();
        }
        drop(ahead);
        assert_eq!(pool.bytes(), 0);
        // Short ones, one after the other, do not count together.
        let ahead = connection(&pool);
        for _ in 0..100 {
            read_head(&ahead, 200).unwrap();
            drop(ahead.begin());
        }
        assert_eq!(pool.bytes(), 0);
    }

    #[test]
    fn bodies_are_read_in_long_pieces_while_there_is_room() {
        let pool = Pool::up_to(LONG);
        let connections = [(); 2].map(|()| connection(&pool));
        let reading_request = connections.each_ref().map(|ahead| {
            read_head(ahead, 100).unwrap();
            ahead.begin()
        });
        let [first, second] = &connections;
        for _ in 0..3 {
            assert_eq!(first.read_max(LONG / 2), LONG / 2);
            first.note_read(LONG / 2).unwrap();
            assert_eq!(pool.bytes(), LONG / 2 - FREE_BYTES);
        }
        assert_eq!(second.read_max(LONG), SHORT_READ_BYTES);
        second.note_read(SHORT_READ_BYTES).unwrap();
        drop(reading_request);
        assert_eq!(pool.bytes(), LONG / 2 - FREE_BYTES);
        drop(connections);
        assert_eq!(pool.bytes(), 0);
    }

    #[test]
    fn what_is_left_of_a_body_behind_the_last_answer_is_no_head() {
        let pool = Pool::up_to(0);
        let ahead = connection(&pool);
        read_head(&ahead, 100).unwrap();
        let mut reading_request = ahead.begin();
        reading_request.is_last();
        drop(reading_request);
        read_head(&ahead, 10 * LONG).unwrap();
    }
}
