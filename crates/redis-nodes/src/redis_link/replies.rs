//! Replies of a connection, one after the other: [`Replies`] finds the end of each, within the limits of
//! [`reply_limits`](crate::redis_link::reply_limits), and decodes nothing.
//!
//! A reply that arrives in parts is looked through once. Types that Redis never sends to us (attributes, streamed
//! strings and arrays) are errors. So are lengths of -1 but for strings and arrays of RESP2, where they are null: fred's
//! decoder of RESP3 takes them for the beginning of a stream.

use std::io;

use bytes::BytesMut;
use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::redis_link::reply_limits::{
    ELEMENT_BYTES, OWN_BYTES, REPLY_BYTES_MAX, REPLY_DEPTH_MAX, REPLY_ELEMENTS_MAX,
    REPLY_LINE_BYTES_MAX, ReplyBudget, ReplyError, ReplyMemory,
};

/// The least bytes of an element, as of `_`.
const ELEMENT_TEXT_MIN: usize = 3;

/// What is read at once, at least.
const READ_BYTES: usize = 8 << 10;

/// What has arrived, and how far the first reply in it is known.
#[derive(Debug)]
pub(crate) struct Replies {
    bytes: BytesMut,
    /// The most that `bytes` has had room for since it was new.
    allocated: usize,
    is_resp2: bool,
    scan: Scan,
    memory: ReplyMemory,
}

/// How far a reply is known.
#[derive(Debug, Default)]
struct Scan {
    /// Where its next header begins, or where it ends if it is complete.
    position: usize,
    /// Where the end of that header is searched.
    searched: usize,
    /// How many elements each open array still has, outermost first.
    open: Vec<usize>,
    elements: usize,
    /// Whether there is no further header.
    is_over: bool,
}

impl Replies {
    pub(crate) fn new(budget: &'static ReplyBudget, is_resp2: bool) -> Self {
        Self {
            bytes: BytesMut::with_capacity(READ_BYTES),
            allocated: READ_BYTES,
            is_resp2,
            scan: Scan::default(),
            memory: ReplyMemory::of(budget),
        }
    }

    /// Reads what has arrived. Returns whether there was anything before the end.
    pub(crate) async fn read(&mut self, source: &mut (impl AsyncRead + Unpin)) -> io::Result<bool> {
        if self.bytes.capacity() == self.bytes.len() {
            let more = self.bytes.len().max(READ_BYTES);
            self.allocated = self.allocated.max(self.bytes.len() + more);
            self.hold()?;
            self.bytes.reserve(more);
        }
        Ok(source.read_buf(&mut self.bytes).await? > 0)
    }

    /// Returns the bytes of the next reply, if all of it has arrived. Its memory is held until the next call.
    pub(crate) fn next(&mut self) -> Result<Option<BytesMut>, ReplyError> {
        if self.allocated > OWN_BYTES && self.bytes.len() <= READ_BYTES {
            // The memory of a long reply is not kept for short ones.
            let mut bytes = BytesMut::with_capacity(READ_BYTES);
            bytes.extend_from_slice(&self.bytes);
            (self.bytes, self.allocated) = (bytes, READ_BYTES);
        }
        let is_complete = self.scan.advance(&self.bytes, self.is_resp2)?;
        self.hold()?;
        if !is_complete {
            return Ok(None);
        }
        let reply = self.bytes.split_to(self.scan.position);
        self.scan = Scan::default();
        Ok(Some(reply))
    }

    fn hold(&mut self) -> Result<(), ReplyError> {
        // What a peer announces takes nothing before it arrives.
        let elements = self.scan.elements.min(self.bytes.len() / ELEMENT_TEXT_MIN);
        self.memory.hold(self.allocated + elements * ELEMENT_BYTES)
    }
}

impl Scan {
    /// Looks through what has arrived. Returns whether that is the whole reply.
    fn advance(&mut self, bytes: &[u8], is_resp2: bool) -> Result<bool, ReplyError> {
        while !self.is_over {
            let Some(line) = self.line(bytes)? else {
                return Ok(false);
            };
            self.header(line, is_resp2)?;
        }
        Ok(self.position <= bytes.len())
    }

    /// Returns the next header without its end, if all of it has arrived.
    fn line<'a>(&mut self, bytes: &'a [u8]) -> Result<Option<&'a [u8]>, ReplyError> {
        let Some(arrived) = bytes.get(self.position..) else {
            return Ok(None);
        };
        let from = self.searched.max(self.position);
        let end = memchr(b'\n', &bytes[from..]).map(|end| from + end);
        let length = end.map_or(arrived.len(), |end| end - self.position);
        if length > REPLY_LINE_BYTES_MAX {
            return Err(ReplyError::LineTooLong);
        }
        let Some(end) = end else {
            self.searched = bytes.len();
            return Ok(None);
        };
        self.position = end + 1;
        let line = arrived[..length].strip_suffix(b"\r");
        line.ok_or(ReplyError::Malformed).map(Some)
    }

    fn header(&mut self, line: &[u8], is_resp2: bool) -> Result<(), ReplyError> {
        let (kind, rest) = line.split_first().ok_or(ReplyError::Malformed)?;
        let elements = match kind {
            b'+' | b'-' | b':' | b'_' | b'#' | b',' | b'(' => 0,
            b'$' | b'*' if is_resp2 && rest == b"-1" => 0,
            b'$' | b'=' | b'!' => {
                let end = self.position.saturating_add(length(rest)?);
                self.position = end.saturating_add(2);
                0
            }
            b'*' | b'~' | b'>' => length(rest)?,
            b'%' => length(rest)?.saturating_mul(2),
            _ => return Err(ReplyError::Malformed),
        };
        if self.position > REPLY_BYTES_MAX {
            return Err(ReplyError::TooLong);
        }
        self.elements = self.elements.saturating_add(elements);
        if self.elements > REPLY_ELEMENTS_MAX {
            return Err(ReplyError::TooManyElements);
        }
        if elements > 0 {
            self.open.push(elements);
            if self.open.len() > REPLY_DEPTH_MAX {
                return Err(ReplyError::TooDeep);
            }
            return Ok(());
        }
        while let Some(left) = self.open.last_mut() {
            *left -= 1;
            if *left > 0 {
                return Ok(());
            }
            self.open.pop();
        }
        self.is_over = true;
        Ok(())
    }
}

fn length(text: &[u8]) -> Result<usize, ReplyError> {
    let text = std::str::from_utf8(text).map_err(|_| ReplyError::Malformed)?;
    // More digits than a number has are a length that is too great.
    if !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit()) {
        return Ok(text.parse().unwrap_or(usize::MAX));
    }
    Err(ReplyError::Malformed)
}

#[cfg(test)]
mod tests;
