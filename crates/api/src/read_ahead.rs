//! Bytes that a connection has read and no request has taken, under one limit for all connections: [`ReadAhead`].
//!
//! hyper reads into a buffer of its own: heads that are not complete, pieces of bodies, requests that were sent before
//! the last one was answered. The socket sees each read, and asks here how long it may be.
//!
//! - A connection has [`FREE_BYTES`] that are not counted: the limit of connections bounds them.
//! - A head that is longer than that counts as it grows, and until its request is answered. If it does not fit into
//!   the pool, the connection ends.
//! - A body is read in longer pieces if there is room for them, and otherwise in pieces of [`SHORT_READ_BYTES`].
//!
//! While a request is under way hyper reads only into an empty buffer: what it read before has been taken. Between two
//! requests it may hold some of what the last read brought. Neither can be seen from here: what is counted is the most
//! that there can be.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::pool::{Held, Pool};
use crate::problem::{Problem, ProblemType};

/// Bytes of a connection that are not counted: hyper's buffer at first.
pub(crate) const FREE_BYTES: usize = 8 << 10;

/// Bytes of a read that has to be short: one that filled hyper's buffer would have it grow.
const SHORT_READ_BYTES: usize = FREE_BYTES - 1;

/// What one connection has read.
#[derive(Debug)]
pub(crate) struct ReadAhead(Mutex<State>);

#[derive(Debug)]
struct State {
    /// Of the last request: what the buffer may still have.
    left: usize,
    /// Of the next head.
    head: usize,
    last_read: usize,
    is_under_way: bool,
    held: Held,
}

/// A request under way: its head counts until this is dropped.
#[derive(Debug)]
pub(crate) struct UnderWay {
    ahead: Arc<ReadAhead>,
    _head: Option<Held>,
    is_last: bool,
}

/// The heads of all connections take all the memory that there is for them.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("there is no room for the head of the request")]
pub(crate) struct NoRoom;

impl NoRoom {
    pub(crate) fn problem() -> Problem {
        let detail = "the heads of all requests take more memory than there is for them";
        Problem::new(ProblemType::Overloaded, detail)
    }
}

impl ReadAhead {
    pub(crate) fn new(pool: &Pool) -> Self {
        Self(Mutex::new(State {
            left: 0,
            head: 0,
            last_read: 0,
            is_under_way: false,
            held: pool.hold(),
        }))
    }

    /// Returns how many bytes a read may bring for which there is a buffer of so many. [`note_read`](Self::note_read)
    /// or [`note_nothing_read`](Self::note_nothing_read) has to follow.
    pub(crate) fn read_max(&self, wanted: usize) -> usize {
        if wanted <= FREE_BYTES {
            return wanted;
        }
        let state = &mut *self.0.lock();
        if state.is_under_way && state.held.resize_unreserved(wanted - FREE_BYTES) {
            wanted
        } else {
            SHORT_READ_BYTES
        }
    }

    /// Counts what was read. An error: there is no room for it, and the connection has to end.
    pub(crate) fn note_read(&self, bytes: usize) -> Result<(), NoRoom> {
        let state = &mut *self.0.lock();
        state.last_read = bytes;
        if state.is_under_way {
            state.left = bytes;
        } else {
            state.head += bytes;
        }
        state.count()
    }

    /// Counts what there was before.
    pub(crate) fn note_nothing_read(&self) {
        let state = &mut *self.0.lock();
        if state.is_under_way {
            // The buffer was empty, or nothing would have been read for.
            state.left = 0;
        }
        // What shrinks always fits.
        let _ = state.count();
    }

    /// A whole head was read, and its request begins.
    pub(crate) fn begin(self: &Arc<Self>) -> UnderWay {
        let state = &mut *self.0.lock();
        let left = (state.left + state.head).min(state.last_read);
        (state.left, state.head, state.is_under_way) = (left, 0, true);
        // What it has of the next request stays counted by the connection.
        let head = state
            .held
            .bytes()
            .saturating_sub(left.saturating_sub(FREE_BYTES));
        let head = (head > 0).then(|| state.held.split(head));
        UnderWay {
            ahead: self.clone(),
            _head: head,
            is_last: false,
        }
    }
}

impl State {
    fn count(&mut self) -> Result<(), NoRoom> {
        let bytes = (self.left + self.head).saturating_sub(FREE_BYTES);
        if bytes <= self.held.bytes() || self.head <= FREE_BYTES {
            // A short head is free, whatever was read before it.
            self.held.resize_unreserved(bytes);
            return Ok(());
        }
        self.held.resize(bytes).then_some(()).ok_or(NoRoom)
    }
}

impl UnderWay {
    /// No head follows on the connection: what is read from now on is what is left of the body.
    pub(crate) const fn is_last(&mut self) {
        self.is_last = true;
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if !self.is_last {
            self.ahead.0.lock().is_under_way = false;
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
    fn read_head(ahead: &ReadAhead, mut bytes: usize) -> Result<(), NoRoom> {
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
    fn a_head_counts_until_its_request_is_answered() {
        let pool = Pool::up_to(LONG);
        let ahead = connection(&pool);
        read_head(&ahead, LONG - 1).unwrap();
        let under_way = ahead.begin();
        assert_eq!(pool.bytes(), LONG - 1 - FREE_BYTES);
        drop(under_way);
        assert_eq!(pool.bytes(), 0);
        // One after the other, none of them counts for the next.
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
        let under_way = connections.each_ref().map(|ahead| {
            read_head(ahead, 100).unwrap();
            ahead.begin()
        });
        let [first, second] = &connections;
        assert_eq!(first.read_max(LONG / 2), LONG / 2);
        first.note_nothing_read();
        assert_eq!(pool.bytes(), 0);
        assert_eq!(first.read_max(LONG / 2), LONG / 2);
        first.note_read(LONG / 2).unwrap();
        assert_eq!(pool.bytes(), LONG / 2 - FREE_BYTES);
        assert_eq!(second.read_max(LONG), SHORT_READ_BYTES);
        second.note_read(SHORT_READ_BYTES).unwrap();
        // What was read before has been taken.
        first.note_read(1).unwrap();
        assert_eq!(pool.bytes(), 0);
        drop(under_way);
    }

    #[test]
    fn who_was_read_a_long_piece_begins_another_request_in_a_full_pool() {
        let pool = Pool::up_to(LONG);
        let (ahead, other) = (connection(&pool), connection(&pool));
        read_head(&ahead, 100).unwrap();
        let under_way = ahead.begin();
        assert_eq!(ahead.read_max(LONG / 2), LONG / 2);
        ahead.note_read(LONG / 2).unwrap();
        drop(under_way);
        read_head(&other, LONG / 2 + 2 * FREE_BYTES).unwrap();
        read_head(&ahead, 300).unwrap();
        assert!(read_head(&ahead, FREE_BYTES).is_err());
    }

    #[test]
    fn what_was_sent_behind_a_body_counts_when_its_request_is_answered() {
        let pool = Pool::up_to(4 * LONG);
        let ahead = connection(&pool);
        read_head(&ahead, 100).unwrap();
        let body = ahead.begin();
        assert_eq!(ahead.read_max(LONG), LONG);
        ahead.note_read(LONG).unwrap();
        drop(body);
        // It had the end of the body, the next request, and perhaps what follows that.
        let next = ahead.begin();
        drop(next);
        assert_eq!(pool.bytes(), LONG - FREE_BYTES);
    }

    #[test]
    fn what_a_request_has_taken_no_longer_counts_while_nothing_comes() {
        let pool = Pool::up_to(4 * LONG);
        let ahead = connection(&pool);
        read_head(&ahead, 100).unwrap();
        let _body = ahead.begin();
        assert_eq!(ahead.read_max(LONG), LONG);
        ahead.note_read(LONG).unwrap();
        assert_eq!(pool.bytes(), LONG - FREE_BYTES);
        ahead.note_nothing_read();
        assert_eq!(pool.bytes(), 0);
    }

    #[test]
    fn what_is_left_of_a_body_behind_the_last_answer_is_no_head() {
        let pool = Pool::up_to(0);
        let ahead = connection(&pool);
        read_head(&ahead, 100).unwrap();
        let mut under_way = ahead.begin();
        under_way.is_last();
        drop(under_way);
        read_head(&ahead, 10 * LONG).unwrap();
    }
}
