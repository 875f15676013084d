//! Limits the read buffers of all connections: [`ReadAhead`].
//!
//! hyper reads into a buffer of its own: incomplete heads, parts of bodies, and requests that were sent before the
//! previous response. That buffer never shrinks. The socket asks this module for the maximum length of each read.
//!
//! - [`FREE_BYTES`] of a connection are not counted, since the number of connections is limited.
//! - The bytes by which the buffer has grown are counted until the connection ends. If a head does not fit into the
//!   share, the connection is closed.
//! - A body is read in longer pieces if they fit into the share, otherwise in pieces of [`SHORT_READ_BYTES`], for which
//!   no buffer grows.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::share::{HeldBytes, Share};

/// Bytes of a connection that are not counted: the initial size of hyper's buffer.
pub(crate) const FREE_BYTES: usize = 8 << 10;

/// The length of a short read. A read that fills hyper's buffer makes it grow.
const SHORT_READ_BYTES: usize = FREE_BYTES - 1;

/// The read buffer of one connection.
#[derive(Debug)]
pub struct ReadAhead(Mutex<BufferState>);

#[derive(Debug)]
struct BufferState {
    /// Bytes of the next head.
    head: usize,
    is_reading_request: bool,
    /// The bytes by which the buffer has grown.
    held: HeldBytes,
}

/// A request whose head was read. Until this is dropped, the connection reads no other head.
#[derive(Debug)]
pub struct ReadingRequest {
    ahead: Arc<ReadAhead>,
    is_last: bool,
}

/// The read buffers of all connections have reached their limit.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("there is no memory for the head of the request")]
pub(crate) struct ShareFull;

impl ReadAhead {
    /// Creates the state of a new connection.
    #[must_use]
    pub fn new(share: &Share) -> Self {
        Self(Mutex::new(BufferState {
            head: 0,
            is_reading_request: false,
            held: share.hold(),
        }))
    }

    /// Returns the maximum length of a read for which hyper provides a buffer of `available` bytes.
    pub(crate) fn read_max(&self, available: usize) -> usize {
        let BufferState {
            is_reading_request,
            held,
            ..
        } = &mut *self.0.lock();
        let grown = available.saturating_sub(FREE_BYTES);
        if grown <= held.bytes() || *is_reading_request && held.resize_unreserved(grown) {
            available
        } else {
            SHORT_READ_BYTES
        }
    }

    /// Counts bytes that were read. On an error the connection has to be closed.
    pub(crate) fn count_read(&self, bytes: usize) -> Result<(), ShareFull> {
        let state = &mut *self.0.lock();
        if state.is_reading_request {
            return Ok(());
        }
        state.head += bytes;
        let grown = state.head.saturating_sub(FREE_BYTES);
        let fits = grown <= state.held.bytes() || state.held.resize(grown);
        fits.then_some(()).ok_or(ShareFull)
    }

    /// Records a request without a body whose response was ready once its head was read.
    pub fn head_answered(&self) {
        self.0.lock().head = 0;
    }

    /// Begins a request after its head was read.
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
    /// Marks the request as the last one: the connection reads only the unread body from now on.
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

    fn connection(share: &Share) -> Arc<ReadAhead> {
        Arc::new(ReadAhead::new(share))
    }

    /// Reads bytes of a head as the socket does.
    fn read_head(ahead: &ReadAhead, mut bytes: usize) -> Result<(), ShareFull> {
        while bytes > 0 {
            let read = ahead.read_max(LONG).min(bytes);
            ahead.count_read(read)?;
            bytes -= read;
        }
        Ok(())
    }

    #[test]
    fn long_heads_share_a_limit_and_short_ones_are_not_counted() {
        let share = Share::up_to(2 * LONG);
        let long = [(); 2].map(|()| connection(&share));
        for ahead in &long {
            read_head(ahead, LONG).unwrap();
        }
        assert_eq!(share.bytes(), 2 * (LONG - FREE_BYTES));
        let third = connection(&share);
        assert!(read_head(&third, LONG).is_err());
        drop(third);
        let short = connection(&share);
        read_head(&short, FREE_BYTES).unwrap();
        assert_eq!(share.bytes(), 2 * (LONG - FREE_BYTES));
        drop(long);
        assert_eq!(share.bytes(), 0);
    }

    #[test]
    fn a_long_head_counts_until_its_connection_ends() {
        let share = Share::up_to(LONG);
        let ahead = connection(&share);
        read_head(&ahead, LONG - 1).unwrap();
        for _ in 0..100 {
            drop(ahead.begin());
            assert_eq!(share.bytes(), LONG - 1 - FREE_BYTES);
            // The buffer has already grown to this length.
            read_head(&ahead, LONG - 1).unwrap();
        }
        drop(ahead);
        assert_eq!(share.bytes(), 0);
        // Consecutive short heads do not add up.
        let ahead = connection(&share);
        for _ in 0..100 {
            read_head(&ahead, 200).unwrap();
            drop(ahead.begin());
        }
        assert_eq!(share.bytes(), 0);
    }

    #[test]
    fn bodies_are_read_in_long_pieces_while_they_fit_into_the_share() {
        let share = Share::up_to(LONG);
        let connections = [(); 2].map(|()| connection(&share));
        let reading_request = connections.each_ref().map(|ahead| {
            read_head(ahead, 100).unwrap();
            ahead.begin()
        });
        let [first, second] = &connections;
        for _ in 0..3 {
            assert_eq!(first.read_max(LONG / 2), LONG / 2);
            first.count_read(LONG / 2).unwrap();
            assert_eq!(share.bytes(), LONG / 2 - FREE_BYTES);
        }
        assert_eq!(second.read_max(LONG), SHORT_READ_BYTES);
        second.count_read(SHORT_READ_BYTES).unwrap();
        drop(reading_request);
        assert_eq!(share.bytes(), LONG / 2 - FREE_BYTES);
        drop(connections);
        assert_eq!(share.bytes(), 0);
    }

    #[test]
    fn an_unread_body_after_the_last_response_is_not_a_head() {
        let share = Share::up_to(0);
        let ahead = connection(&share);
        read_head(&ahead, 100).unwrap();
        let mut reading_request = ahead.begin();
        reading_request.is_last();
        drop(reading_request);
        read_head(&ahead, 10 * LONG).unwrap();
    }
}
