//! Request bodies, under limits: whole, or as a stream of lines in constant memory.

mod items;
mod memory;

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::{Buf, Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Body as _;
use tokio::time::timeout;
use wire::Object;

pub use self::items::items_from_json;
pub use self::memory::{ARRAY_ITEMS_MAX, BodyMemory, Whole};
use self::memory::{BodyBytes, grown};
use problem::{Problem, ProblemType};

/// Bytes of a JSON body, where nothing else is said.
pub const BODY_BYTES_MAX: usize = 16 << 20;

/// A body of so many bytes is parsed as it is.
const UNCHECKED_BYTES_MAX: usize = 64 << 10;

/// The longest string of a larger body, as it is written: a name of 128 bytes, every byte escaped, has less than 1,000.
const STRING_BYTES_MAX: usize = 4 << 10;

/// Bytes of one NDJSON line.
pub const LINE_BYTES_MAX: usize = 64 << 10;

/// Bytes of lines that take no room: a stream whose lines are short goes on where there is none.
const LINES_FREE_BYTES: usize = 16 << 10;

/// How long a whole body may take. A client that sends a byte now and then holds a request permit for no longer.
const WHOLE_WAIT_MAX: Duration = Duration::from_mins(2);

/// How long a body may send nothing.
const SILENCE_MAX: Duration = Duration::from_secs(30);

/// The media type of a stream of lines.
pub const LINES: &str = "application/x-ndjson";

/// Returns the media type of a body, without parameters, in lower case.
#[must_use]
pub fn media_type(headers: &HeaderMap) -> String {
    let value = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    value
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// The next bytes of a body; `None` at its end.
async fn next_bytes(body: &mut Body) -> Result<Option<Bytes>, Problem> {
    loop {
        let frame = timeout(SILENCE_MAX, body.frame()).await.map_err(|_| {
            let detail = format!("the body sent nothing for {} s", SILENCE_MAX.as_secs());
            Problem::new(ProblemType::TooSlow, detail)
        })?;
        match frame {
            None => return Ok(None),
            Some(Err(error)) => {
                let detail = format!("the body broke off: {error}");
                return Err(Problem::new(ProblemType::Malformed, detail));
            }
            Some(Ok(frame)) => {
                if let Ok(bytes) = frame.into_data() {
                    return Ok(Some(bytes));
                }
            }
        }
    }
}

/// Reads a whole body of at most so many bytes, within a limit of time.
pub async fn whole_up_to(
    room: &BodyMemory,
    body: Body,
    bytes_max: usize,
) -> Result<Whole, Problem> {
    let whole = timeout(WHOLE_WAIT_MAX, read_whole(room, body, bytes_max)).await;
    whole.unwrap_or_else(|_| {
        let detail = format!("the body took more than {} s", WHOLE_WAIT_MAX.as_secs());
        Err(Problem::new(ProblemType::TooSlow, detail))
    })
}

async fn read_whole(room: &BodyMemory, mut body: Body, bytes_max: usize) -> Result<Whole, Problem> {
    let too_large = || {
        let detail = format!("the body is larger than {bytes_max} bytes");
        Problem::new(ProblemType::TooLarge, detail)
    };
    // By its `Content-Length`. What is never polled is never asked for: its client receives no 100.
    let hint = body.size_hint();
    if hint.lower() > bytes_max as u64 {
        return Err(too_large());
    }
    let length = hint.exact().and_then(|length| usize::try_from(length).ok());
    let mut whole = room.body(length.unwrap_or(bytes_max));
    while let Some(bytes) = next_bytes(&mut body).await? {
        if whole.len() + bytes.len() > bytes_max {
            return Err(too_large());
        }
        whole.add(&bytes)?;
    }
    Ok(whole)
}

/// Reads a shape, which is an object, and names the field that does not fit.
pub fn from_json<'de, T: serde::Deserialize<'de>>(text: &'de [u8]) -> Result<T, Problem> {
    read::<Object<T>>(text).map(|object| object.0)
}

fn read<'de, T: serde::Deserialize<'de>>(text: &'de [u8]) -> Result<T, Problem> {
    check_strings(text)?;
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let kind = match error.inner().classify() {
            serde_json::error::Category::Data => ProblemType::Invalid,
            _ => ProblemType::Malformed,
        };
        let problem = Problem::new(kind, error.inner().to_string());
        if path == "." || kind == ProblemType::Malformed {
            problem
        } else {
            problem.at(&path)
        }
    })?;
    deserializer
        .end()
        .map_err(|error| Problem::new(ProblemType::Malformed, error.to_string()))?;
    Ok(value)
}

/// Rejects a string that is longer than any that means something: an error about it would repeat it, escaped, more
/// than once. What has no room for a long one is not looked through.
fn check_strings(text: &[u8]) -> Result<(), Problem> {
    if text.len() <= UNCHECKED_BYTES_MAX {
        return Ok(());
    }
    match strings(text).max() {
        Some(bytes) if bytes > STRING_BYTES_MAX => Err(Problem::invalid(format!(
            "a string of {bytes} bytes: no string has more than {STRING_BYTES_MAX}"
        ))),
        _ => Ok(()),
    }
}

/// How long each string is, as it is written. One without an end is none: that is malformed.
fn strings(text: &[u8]) -> impl Iterator<Item = usize> {
    let mut left = text;
    std::iter::from_fn(move || {
        let open = left.iter().position(|byte| *byte == b'"')? + 1;
        left = &left[open..];
        let mut bytes = 0;
        loop {
            let step = left[bytes..]
                .iter()
                .position(|byte| matches!(byte, b'"' | b'\\'))?;
            bytes += step;
            if left[bytes] == b'"' {
                break;
            }
            // What is escaped ends nothing.
            bytes += 2;
            if bytes > left.len() {
                return None;
            }
        }
        left = &left[bytes + 1..];
        Some(bytes)
    })
}

/// A body line by line, with no more of it in memory than a line and what arrived with it. Takes room for that.
#[derive(Debug)]
pub struct Lines {
    body: Body,
    held: BytesMut,
    taken: BodyBytes,
    /// Lines were taken out of `held`, whose memory still has them.
    has_given: bool,
    /// How much of `held` is known to have no newline.
    searched: usize,
    /// A line that is too long is skipped to its end.
    skipping: bool,
    ended: bool,
    /// A line that was read before its time.
    put_back: Option<Line>,
}

/// One line of a body.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// Its bytes, without the newline.
    Text(Bytes),
    /// Longer than [`LINE_BYTES_MAX`].
    TooLong,
}

impl Lines {
    /// The lines of a body, of which nothing has been read.
    #[must_use]
    pub fn new(room: &BodyMemory, body: Body) -> Self {
        Self {
            body,
            held: BytesMut::new(),
            taken: room.taken(),
            has_given: false,
            searched: 0,
            skipping: false,
            ended: false,
            put_back: None,
        }
    }

    /// The line is the next again.
    pub fn put_back(&mut self, line: Line) {
        self.put_back = Some(line);
    }

    /// The next line, `None` at the end of the body.
    pub async fn next(&mut self) -> Result<Option<Line>, Problem> {
        if let Some(line) = self.put_back.take() {
            return Ok(Some(line));
        }
        loop {
            let newline = self.held[self.searched..]
                .iter()
                .position(|byte| *byte == b'\n');
            if let Some(offset) = newline {
                let mut line = self.held.split_to(self.searched + offset + 1);
                line.truncate(line.len() - 1);
                self.searched = 0;
                self.has_given = true;
                if std::mem::take(&mut self.skipping) || line.len() > LINE_BYTES_MAX {
                    return Ok(Some(Line::TooLong));
                }
                return Ok(Some(Line::Text(line.freeze())));
            }
            self.searched = self.held.len();
            if self.searched > LINE_BYTES_MAX {
                self.held.advance(self.searched);
                self.searched = 0;
                self.skipping = true;
                self.has_given = true;
            }
            if self.ended {
                return Ok(self.last_line());
            }
            self.give_back()?;
            match next_bytes(&mut self.body).await? {
                Some(bytes) => self.add(&bytes)?,
                None => self.ended = true,
            }
        }
    }

    /// Gives back the memory of lines that were taken out, before more is waited for.
    fn give_back(&mut self) -> Result<(), Problem> {
        if !std::mem::take(&mut self.has_given) {
            return Ok(());
        }
        self.hold(self.held.len())
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let capacity = self.held.capacity();
        let needed = self.held.len() + bytes.len();
        if needed > capacity {
            // What is longer than a line is skipped.
            self.hold(grown(capacity, needed, LINE_BYTES_MAX))?;
        }
        self.held.extend_from_slice(bytes);
        Ok(())
    }

    /// Moves what is held to memory of so many bytes, and takes room for that.
    fn hold(&mut self, capacity: usize) -> Result<(), Problem> {
        self.taken
            .resize(capacity.saturating_sub(LINES_FREE_BYTES))?;
        let mut held = BytesMut::with_capacity(capacity);
        held.extend_from_slice(&self.held);
        self.held = held;
        Ok(())
    }

    /// The last line, where it has no newline.
    fn last_line(&mut self) -> Option<Line> {
        self.searched = 0;
        let line = self.held.split().freeze();
        if std::mem::take(&mut self.skipping) {
            return Some(Line::TooLong);
        }
        (!line.is_empty()).then_some(Line::Text(line))
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt as _, StreamExt as _};

    use super::*;
    use crate::pool::{BODIES_BYTES_MAX, Pool};

    fn room() -> BodyMemory {
        BodyMemory::for_bodies_of(&Pool::up_to(0), 0, BODIES_BYTES_MAX)
    }

    async fn lines(chunks: Vec<Vec<u8>>) -> Vec<Line> {
        let chunks = chunks.into_iter().map(Ok::<_, std::io::Error>);
        let body = Body::from_stream(futures::stream::iter(chunks));
        let mut lines = Lines::new(&room(), body);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    #[test]
    fn a_string_that_is_too_long_is_named_by_its_length() {
        let long = "\u{7f}\\\"x".repeat(1 << 20);
        let bytes = long.len();
        for text in [
            format!("{{\"member\":\"{long}\"}}"),
            format!("{{\"{long}\":1}}"),
            format!("\"{long}\""),
        ] {
            let problem = from_json::<serde_json::Value>(text.as_bytes()).unwrap_err();
            let detail = format!("a string of {bytes} bytes: no string has more than 4096");
            assert_eq!(
                (problem.kind, problem.detail),
                (ProblemType::Invalid, detail)
            );
        }
        let short = format!("{{\"a\":[\"\\\\\",\"{}\"]}}", "\",\"".repeat(50_000));
        assert!(from_json::<serde_json::Value>(short.as_bytes()).is_ok());
        for cut in [&b"\"a"[..], b"\"a\\", b"\"a\\\""] {
            assert_eq!(strings(cut).count(), 0, "{cut:?}");
        }
    }

    /// A body that never ends, with a byte each time this much has passed.
    fn trickling(every: Duration) -> Body {
        Body::from_stream(futures::stream::repeat(()).then(move |()| async move {
            tokio::time::sleep(every).await;
            Ok::<_, std::io::Error>(" ")
        }))
    }

    #[tokio::test(start_paused = true)]
    async fn a_whole_body_is_not_waited_for_without_end() {
        for (every, waited, said) in [
            (SILENCE_MAX / 2, WHOLE_WAIT_MAX, "took more than 120 s"),
            (SILENCE_MAX * 2, SILENCE_MAX, "sent nothing for 30 s"),
        ] {
            let began = tokio::time::Instant::now();
            let problem = whole_up_to(&room(), trickling(every), 1000)
                .await
                .unwrap_err();
            assert_eq!(problem.kind, ProblemType::TooSlow);
            assert!(problem.detail.contains(said), "{problem:?}");
            assert_eq!(began.elapsed(), waited);
        }
        let problem = whole_up_to(&room(), trickling(Duration::from_millis(1)), 10).await;
        assert_eq!(problem.unwrap_err().kind, ProblemType::TooLarge);
    }

    fn text(text: &str) -> Line {
        Line::Text(Bytes::copy_from_slice(text.as_bytes()))
    }

    #[tokio::test]
    async fn lines_are_the_same_however_the_body_is_cut() {
        let body = b"{\"a\":1}\n\nb\r\nlast".to_vec();
        let whole = vec![text("{\"a\":1}"), text(""), text("b\r"), text("last")];
        for size in 1..body.len() {
            let chunks = body.chunks(size).map(<[u8]>::to_vec).collect();
            assert_eq!(lines(chunks).await, whole, "chunks of {size}");
        }
        assert_eq!(lines(vec![b"x\n".to_vec()]).await, vec![text("x")]);
        assert_eq!(lines(vec![]).await, vec![]);
    }

    /// A stream of lines of which this has come, and nothing more does.
    fn begun(room: &BodyMemory, parts: &[&[u8]]) -> Lines {
        let parts: Vec<_> = parts.iter().map(|part| Ok(part.to_vec())).collect();
        let silence = futures::stream::pending::<Result<Vec<u8>, std::io::Error>>();
        Lines::new(
            room,
            Body::from_stream(futures::stream::iter(parts).chain(silence)),
        )
    }

    #[tokio::test]
    async fn lines_that_do_not_end_share_room_with_bodies() {
        const HALF: usize = LINE_BYTES_MAX / 2;
        let pool = Pool::up_to(0);
        // Each has doubled its memory once.
        let of_one = LINE_BYTES_MAX - LINES_FREE_BYTES;
        let room = BodyMemory::for_bodies_of(&pool, 0, 2 * of_one);
        let long = vec![b'x'; HALF + LINES_FREE_BYTES];
        let mut streams = [(); 2].map(|()| begun(&room, &[&long[..HALF], &long[HALF..]]));
        for lines in &mut streams {
            assert!(lines.next().now_or_never().is_none());
            assert_eq!(lines.held.capacity(), LINE_BYTES_MAX);
        }
        assert_eq!(pool.bytes(), 2 * of_one);
        let refused = begun(&room, &[&long]).next().await.unwrap_err();
        assert_eq!(refused.kind, ProblemType::Overloaded);
        // Short lines need none.
        let short = vec![b'x'; LINES_FREE_BYTES - 2];
        let mut lines = begun(&room, &[b"a\n", &short]);
        assert_eq!(lines.next().await.unwrap(), Some(text("a")));
        assert!(lines.next().now_or_never().is_none());
        drop(streams);
        assert_eq!(pool.bytes(), 0);
    }

    #[tokio::test]
    async fn lines_that_were_read_take_no_room() {
        let pool = Pool::up_to(0);
        let room = BodyMemory::for_bodies_of(&pool, 0, LINE_BYTES_MAX);
        let mut body = vec![b'x'; LINE_BYTES_MAX];
        body.extend_from_slice(b"\nb");
        let mut lines = begun(&room, &[&body]);
        assert!(matches!(lines.next().await, Ok(Some(Line::Text(_)))));
        assert!(pool.bytes() > 0);
        assert!(lines.next().now_or_never().is_none());
        assert_eq!(pool.bytes(), 0);
        assert!(lines.held.capacity() < 1000, "{}", lines.held.capacity());
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_skipped_alone() {
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
                vec![text("a"), Line::TooLong, text("b"), Line::TooLong],
                "{size}"
            );
        }
    }
}
