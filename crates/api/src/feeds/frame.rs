//! [`Frame`]: one state of a top, as the events that every reader is sent.
//!
//! Its events count in the pool of streams until the last reader has dropped them. The entries are a slice of the first
//! event: a frame does not keep a snapshot alive.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use board::{Activity, BoardName, Timestamp, Window};
use bytes::Bytes;
use connection::{HeldBytes, Pool};
use merger::{Rendered, TopForm, TopView};
use problem::{Problem, ProblemType};
use wire::TopHead;

use super::moves;
use crate::read_window::ReadWindow;

/// The end of an event, after its data.
const EVENT_END: &[u8] = b"\n\n";

/// The contents of a frame except `as_of`. Equal contents need no new frame.
#[derive(Debug, Clone, PartialEq)]
struct Shown {
    version: String,
    form: TopForm,
    members: u64,
    activity: Activity,
    /// A digest of the profiles in the entries, if they have any.
    profiles: Option<u64>,
}

/// One state of a top, shared by all readers.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Counted from 1, without gaps.
    pub(crate) number: u64,
    /// The event with the whole top.
    pub(crate) board: Bytes,
    shown: Shown,
    board_name: BoardName,
    window_name: String,
    as_of: Timestamp,
    /// Slices of `board`.
    entries: Rendered,
    /// The entries of the frame before, if it was of the same window.
    before: Option<Rendered>,
    /// The event with what has moved since then; made when a reader needs it.
    changes: OnceLock<Option<Bytes>>,
    pool: Pool,
}

impl Frame {
    /// Creates the frame of a view; `None` if the frame before shows the same. Returns an error if the pool has no
    /// space for it. A first frame leaves the reserve to later frames of others.
    pub(crate) fn of(
        board: &BoardName,
        window: &ReadWindow,
        view: &TopView,
        form: TopForm,
        before: Option<&Self>,
        pool: &Pool,
    ) -> Result<Option<Arc<Self>>, Problem> {
        let snapshot = &view.snapshot;
        let shown = Shown {
            version: snapshot.version.clone(),
            form,
            members: snapshot.members,
            activity: snapshot.activity,
            profiles: snapshot.profiles,
        };
        if before.is_some_and(|before| before.shown == shown) {
            return Ok(None);
        }
        let entries = first(&snapshot.rendered, form.n);
        let (window, as_of) = (window.name(), snapshot.as_of);
        let frame = Self::made(shown, board, window, as_of, entries, before, pool);
        frame.map(Some)
    }

    /// Creates the frame of the same top, read at `as_of`, as stale; `None` if this frame shows the same.
    pub(crate) fn stale(
        &self,
        window: &ReadWindow,
        as_of: Timestamp,
    ) -> Result<Option<Arc<Self>>, Problem> {
        let shown = Shown {
            form: window.form_at(as_of, &self.shown.activity, true, self.shown.form.n),
            ..self.shown.clone()
        };
        if shown == self.shown {
            return Ok(None);
        }
        let (board, window, entries) = (&self.board_name, window.name(), self.entries.clone());
        let frame = Self::made(shown, board, window, as_of, entries, Some(self), &self.pool);
        frame.map(Some)
    }

    fn made(
        shown: Shown,
        board_name: &BoardName,
        window_name: String,
        as_of: Timestamp,
        entries: Rendered,
        before: Option<&Self>,
        pool: &Pool,
    ) -> Result<Arc<Self>, Problem> {
        let answer = TopHead {
            board: board_name,
            window: &window_name,
            version: &shown.version,
            members: shown.members,
            activity: &shown.activity,
            as_of,
            form: shown.form,
        };
        let (json, begin) = answer.json(&entries.bytes);
        let text = event("board", &shown.version, &json);
        let mut held = pool.hold();
        let bytes = text.capacity() + entries.ends.len() * size_of::<u32>();
        let fits = if before.is_some() {
            held.resize(bytes)
        } else {
            held.resize_unreserved(bytes)
        };
        if !fits {
            if before.is_none() {
                pool.refuse();
            }
            return Err(no_room(pool));
        }
        let begin = text.len() - EVENT_END.len() - json.len() + begin;
        let end = begin + entries.bytes.len();
        let board = counted(text, held);
        Ok(Arc::new(Self {
            number: before.map_or(1, |before| before.number + 1),
            entries: Rendered {
                bytes: board.slice(begin..end),
                ends: entries.ends,
            },
            before: before.and_then(|before| before.entries_of(shown.form.window)),
            board,
            shown,
            board_name: board_name.clone(),
            window_name,
            as_of,
            changes: OnceLock::new(),
            pool: pool.clone(),
        }))
    }

    /// Returns the window of the top.
    pub(crate) const fn window(&self) -> Window {
        self.shown.form.window
    }

    /// Returns its entries, if they are of this window: there are no moves between windows.
    fn entries_of(&self, window: Window) -> Option<Rendered> {
        (self.window() == window).then(|| self.entries.clone())
    }

    /// Returns the event with what has moved since the frame before. `None` if the whole top is to be sent: there is no
    /// such frame, or the pool has no space for the event.
    pub(crate) fn changes(&self) -> Option<Bytes> {
        let make = || {
            let before = self.before.as_ref()?;
            let moves = moves::between(before, &self.entries)?;
            let json = self.changes_json(&moves);
            let text = event("changes", &self.shown.version, json.as_bytes());
            let mut held = self.pool.hold();
            held.resize_unreserved(text.capacity())
                .then(|| counted(text, held))
        };
        self.changes.get_or_init(make).clone()
    }

    fn changes_json(&self, moves: &str) -> String {
        let Shown {
            version,
            form,
            members,
            activity,
            ..
        } = &self.shown;
        let board = serde_json::Value::String(self.board_name.to_string());
        let mut json = format!(
            "{{\"board\":{board},\"window\":\"{}\",\"version\":\"{version}\",\"members\":{members}",
            self.window_name
        );
        // Writing into a string cannot fail.
        for (name, at) in [
            ("starts_at", activity.starts_at()),
            ("ends_at", activity.ends_at()),
        ] {
            let _ = at.map_or(Ok(()), |at| write!(json, ",\"{name}\":\"{at}\""));
        }
        let _ = form
            .listed
            .map_or(Ok(()), |listed| write!(json, ",\"listed\":{listed}"));
        for (name, holds) in [("final", form.is_final), ("stale", form.stale)] {
            if holds {
                let _ = write!(json, ",\"{name}\":true");
            }
        }
        let _ = write!(json, ",{moves},\"as_of\":\"{}\"}}", self.as_of);
        json
    }
}

/// Returns the first `n` entries. The bytes are not copied.
fn first(rendered: &Rendered, n: usize) -> Rendered {
    let ends = rendered.ends.iter().take(n).copied();
    Rendered {
        bytes: rendered.first(n),
        ends: ends.collect(),
    }
}

fn no_room(pool: &Pool) -> Problem {
    let detail = format!(
        "the events of all streams have {} bytes, and {} are the limit",
        pool.bytes(),
        pool.bytes_max()
    );
    Problem::new(ProblemType::Overloaded, detail)
}

/// An event, and its bytes in the pool.
struct Counted {
    text: Vec<u8>,
    _held: HeldBytes,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}

fn counted(text: Vec<u8>, held: HeldBytes) -> Bytes {
    Bytes::from_owner(Counted { text, _held: held })
}

/// Formats a server-sent event. The JSON has no line breaks.
fn event(name: &str, id: &str, json: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(json.len() + id.len() + 32);
    for part in [
        b"id: ",
        id.as_bytes(),
        b"\nevent: ",
        name.as_bytes(),
        b"\ndata: ",
        json,
        EVENT_END,
    ] {
        text.extend_from_slice(part);
    }
    text
}

/// Formats an event without an id, after which a client resumes from the event before.
pub(crate) fn event_aside(name: &str, json: &[u8]) -> Bytes {
    let mut text = Vec::with_capacity(json.len() + 32);
    for part in [b"event: ", name.as_bytes(), b"\ndata: ", json, b"\n\n"] {
        text.extend_from_slice(part);
    }
    text.into()
}

#[cfg(test)]
impl Frame {
    /// Creates a frame with this number, without entries, whose events are these texts.
    pub(crate) fn bare(number: u64, board: &'static str, changes: Option<&'static str>) -> Self {
        let form = TopForm {
            window: Window::ALL_TIME,
            n: 10,
            is_final: false,
            stale: false,
            listed: None,
        };
        Self {
            number,
            board: Bytes::from_static(board.as_bytes()),
            shown: Shown {
                version: number.to_string(),
                form,
                members: 0,
                activity: Activity::default(),
                profiles: None,
            },
            board_name: "gifts/a".parse().expect("a board's name"),
            window_name: "all".to_owned(),
            as_of: Timestamp::from_millis(0),
            entries: Rendered::default(),
            before: None,
            changes: OnceLock::from(changes.map(|text| Bytes::from_static(text.as_bytes()))),
            pool: Pool::up_to(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use board::Period;

    use super::*;

    /// Creates the frame of a top of one member with these points.
    fn frame(points: u32, before: Option<&Frame>, pool: &Pool) -> Result<Arc<Frame>, Problem> {
        let Frame {
            shown, board_name, ..
        } = Frame::bare(1, "", None);
        let entry = format!("{{\"member\":\"u\",\"points\":{points}}}");
        let entries = Rendered {
            ends: vec![u32::try_from(entry.len()).unwrap()],
            bytes: entry.into(),
        };
        let as_of = Timestamp::from_millis(0);
        let window = "all".to_owned();
        Frame::made(shown, &board_name, window, as_of, entries, before, pool)
    }

    #[test]
    fn events_count_until_they_are_dropped() {
        let pool = Pool::up_to(1 << 20);
        let first = frame(1, None, &pool).unwrap();
        let alone = pool.bytes();
        assert!(alone >= first.board.len() + 4, "{alone}");
        assert_eq!(&first.entries.bytes[..], b"{\"member\":\"u\",\"points\":1}");
        let second = frame(2, Some(&first), &pool).unwrap();
        let unread = (first.board.clone(), second.changes().unwrap());
        assert!(unread.1.starts_with(b"id: "));
        assert!(pool.bytes() >= 2 * alone + unread.1.len());
        drop((first, second));
        assert!(pool.bytes() >= unread.0.len() + unread.1.len());
        drop(unread);
        assert_eq!(pool.bytes(), 0);
    }

    #[test]
    fn only_later_frames_use_the_reserve() {
        let pool = Pool::up_to(usize::MAX);
        let first = frame(1, None, &pool).unwrap();
        let bytes = pool.bytes();
        pool.limit_to(2 * bytes);
        let refused = frame(1, None, &pool).unwrap_err();
        assert_eq!(refused.kind, ProblemType::Overloaded);
        let second = frame(2, Some(&first), &pool).unwrap();
        // The whole top is sent instead of what has moved.
        assert_eq!(second.changes(), None);
        let refused = frame(3, Some(&second), &pool).unwrap_err();
        assert_eq!(refused.kind, ProblemType::Overloaded);
        assert!(refused.detail.contains("streams"), "{refused:?}");
    }

    #[test]
    fn moves_are_reported_only_within_a_window() {
        let frame = Frame::bare(1, "board", None);
        assert!(frame.entries_of(Window::ALL_TIME).is_some());
        let next = Window::starting_at(Period::Day, Timestamp::from_millis(0));
        assert!(frame.entries_of(next).is_none());
        let unmade = Frame {
            changes: OnceLock::new(),
            ..frame
        };
        assert_eq!(
            unmade.changes(),
            None,
            "the frame before is of another window"
        );
    }
}
