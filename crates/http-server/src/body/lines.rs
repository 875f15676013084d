//! Reads bodies as streams of lines: [`Lines`].

use axum::body::Body;
use bytes::{Buf, Bytes, BytesMut};
use memchr::memchr;
use wire::problem::Problem;

use super::frames::next_bytes;
use super::memory::{count, grown};
use crate::share::{HeldBytes, Share};

/// The limit of one NDJSON line.
pub const LINE_BYTES_MAX: usize = 64 << 10;

/// Bytes of a stream of lines that are not counted: a stream of short lines continues even if no memory is left.
const LINES_FREE_BYTES: usize = 16 << 10;

/// The media type of a stream of lines.
pub const LINES: &str = "application/x-ndjson";

/// Reads a body line by line. It keeps one line in memory, with the bytes that arrived with it, and counts that memory.
#[derive(Debug)]
pub struct Lines {
    body: Body,
    buffer: BytesMut,
    counted: HeldBytes,
    /// Lines were split off the buffer, whose memory still contains them.
    has_split: bool,
    /// The length at the beginning of the buffer that has no newline.
    searched: usize,
    /// A line that is too long is being skipped.
    skipping: bool,
    ended: bool,
    /// A line that was put back, to be returned again.
    put_back: Option<BodyLine>,
}

/// One line of a body.
#[derive(Debug, PartialEq, Eq)]
pub enum BodyLine {
    /// The bytes without the newline.
    Text(Bytes),
    /// The line is longer than [`LINE_BYTES_MAX`].
    TooLong,
}

impl Lines {
    /// Creates a reader of a body, which counts in this share.
    #[must_use]
    pub fn new(share: &Share, body: Body) -> Self {
        Self {
            body,
            buffer: BytesMut::new(),
            counted: share.hold(),
            has_split: false,
            searched: 0,
            skipping: false,
            ended: false,
            put_back: None,
        }
    }

    /// Puts a line back: it is returned again by the next call of [`next`](Self::next).
    pub fn put_back(&mut self, line: BodyLine) {
        self.put_back = Some(line);
    }

    /// Returns the next line if all of it has arrived.
    pub fn arrived(&mut self) -> Option<BodyLine> {
        if let Some(line) = self.put_back.take() {
            return Some(line);
        }
        let newline = memchr(b'\n', &self.buffer[self.searched..]);
        let Some(offset) = newline else {
            self.searched = self.buffer.len();
            return None;
        };
        let mut line = self.buffer.split_to(self.searched + offset + 1);
        line.truncate(line.len() - 1);
        self.searched = 0;
        self.has_split = true;
        if std::mem::take(&mut self.skipping) || line.len() > LINE_BYTES_MAX {
            return Some(BodyLine::TooLong);
        }
        Some(BodyLine::Text(line.freeze()))
    }

    /// Returns the next line; `None` at the end of the body.
    pub async fn next(&mut self) -> Result<Option<BodyLine>, Problem> {
        loop {
            if let Some(line) = self.arrived() {
                return Ok(Some(line));
            }
            if self.searched > LINE_BYTES_MAX {
                self.buffer.advance(self.searched);
                self.searched = 0;
                self.skipping = true;
                self.has_split = true;
            }
            if self.ended {
                return Ok(self.last_line());
            }
            self.shrink()?;
            match next_bytes(&mut self.body).await? {
                Some(bytes) => self.add(&bytes)?,
                None => self.ended = true,
            }
        }
    }

    /// Frees the memory of lines that were split off, before the next bytes are awaited.
    fn shrink(&mut self) -> Result<(), Problem> {
        if !std::mem::take(&mut self.has_split) {
            return Ok(());
        }
        self.reallocate(self.buffer.len())
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let capacity = self.buffer.capacity();
        let needed = self.buffer.len() + bytes.len();
        if needed > capacity {
            // The buffer never has to grow beyond the longest line, since longer ones are skipped.
            self.reallocate(grown(capacity, needed, LINE_BYTES_MAX))?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Moves the buffer to memory of this capacity, and counts it.
    fn reallocate(&mut self, capacity: usize) -> Result<(), Problem> {
        let bytes = capacity.saturating_sub(LINES_FREE_BYTES);
        count(&mut self.counted, bytes)?;
        let mut buffer = BytesMut::with_capacity(capacity);
        buffer.extend_from_slice(&self.buffer);
        self.buffer = buffer;
        Ok(())
    }

    /// Returns the last line, if it has no newline.
    fn last_line(&mut self) -> Option<BodyLine> {
        self.searched = 0;
        let line = self.buffer.split().freeze();
        if std::mem::take(&mut self.skipping) {
            return Some(BodyLine::TooLong);
        }
        (!line.is_empty()).then_some(BodyLine::Text(line))
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt as _, StreamExt as _};
    use wire::problem::ProblemType;

    use super::*;

    async fn lines(chunks: Vec<Vec<u8>>) -> Vec<BodyLine> {
        let chunks = chunks.into_iter().map(Ok::<_, std::io::Error>);
        let body = Body::from_stream(futures::stream::iter(chunks));
        let mut lines = Lines::new(&Share::up_to(1 << 20), body);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    fn text(text: &str) -> BodyLine {
        BodyLine::Text(Bytes::copy_from_slice(text.as_bytes()))
    }

    #[tokio::test]
    async fn lines_do_not_depend_on_the_chunks_of_the_body() {
        let body = b"{\"a\":1}\n\nb\r\nlast".to_vec();
        let whole = vec![text("{\"a\":1}"), text(""), text("b\r"), text("last")];
        for size in 1..body.len() {
            let chunks = body.chunks(size).map(<[u8]>::to_vec).collect();
            assert_eq!(lines(chunks).await, whole, "chunks of {size}");
        }
        assert_eq!(lines(vec![b"x\n".to_vec()]).await, vec![text("x")]);
        assert_eq!(lines(vec![]).await, vec![]);
    }

    /// Returns a stream of lines that has sent these parts, and sends nothing more.
    fn begun(share: &Share, parts: &[&[u8]]) -> Lines {
        let parts: Vec<_> = parts.iter().map(|part| Ok(part.to_vec())).collect();
        let silence = futures::stream::pending::<Result<Vec<u8>, std::io::Error>>();
        Lines::new(
            share,
            Body::from_stream(futures::stream::iter(parts).chain(silence)),
        )
    }

    #[tokio::test]
    async fn incomplete_lines_count_as_memory_of_bodies() {
        const HALF: usize = LINE_BYTES_MAX / 2;
        // The buffer of each stream has doubled once.
        let of_one = LINE_BYTES_MAX - LINES_FREE_BYTES;
        let share = Share::up_to(2 * of_one);
        let long = vec![b'x'; HALF + LINES_FREE_BYTES];
        let mut streams = [(); 2].map(|()| begun(&share, &[&long[..HALF], &long[HALF..]]));
        for lines in &mut streams {
            assert!(lines.next().now_or_never().is_none());
            assert_eq!(lines.buffer.capacity(), LINE_BYTES_MAX);
        }
        assert_eq!(share.bytes(), 2 * of_one);
        let rejected = begun(&share, &[&long]).next().await.unwrap_err();
        assert_eq!(rejected.kind, ProblemType::Overloaded);
        // Short lines are not counted.
        let short = vec![b'x'; LINES_FREE_BYTES - 2];
        let mut lines = begun(&share, &[b"a\n", &short]);
        assert_eq!(lines.next().await.unwrap(), Some(text("a")));
        assert!(lines.next().now_or_never().is_none());
        drop(streams);
        assert_eq!(share.bytes(), 0);
    }

    #[tokio::test]
    async fn lines_that_were_read_are_not_counted() {
        let share = Share::up_to(LINE_BYTES_MAX);
        let mut body = vec![b'x'; LINE_BYTES_MAX];
        body.extend_from_slice(b"\nb");
        let mut lines = begun(&share, &[&body]);
        assert!(matches!(lines.next().await, Ok(Some(BodyLine::Text(_)))));
        assert!(share.bytes() > 0);
        assert!(lines.next().now_or_never().is_none());
        assert_eq!(share.bytes(), 0);
        assert!(
            lines.buffer.capacity() < 1000,
            "{}",
            lines.buffer.capacity()
        );
    }

    #[tokio::test]
    async fn only_the_line_that_is_too_long_is_skipped() {
        let long = vec![b'x'; LINE_BYTES_MAX + 1];
        for size in [1000, LINE_BYTES_MAX, 1 << 20] {
            let mut body = b"a\n".to_vec();
            body.extend_from_slice(&long);
            body.extend_from_slice(b"\nb\n");
            body.extend_from_slice(&long);
            body.extend_from_slice(b"and a little more than is skipped at once");
            let chunks = body.chunks(size).map(<[u8]>::to_vec).collect();
            let all = lines(chunks).await;
            assert_eq!(
                all,
                vec![text("a"), BodyLine::TooLong, text("b"), BodyLine::TooLong],
                "{size}"
            );
        }
    }
}
