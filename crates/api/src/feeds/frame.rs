//! [`Frame`]: one state of a top, as the events that every reader is sent.
//!
//! It is rendered once, with the most entries that any reader is sent: a top of the first `n` is made of slices of it,
//! and what has moved in them follows from what has moved in all. Its events count in the share of streams until the
//! last reader has dropped them. The entries are a slice of the event: a frame does not keep a snapshot alive.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use board::{Activity, BoardName, Timestamp, Window};
use bytes::Bytes;
use http_server::{HeldBytes, Share};
use merger::{Rendered, TopForm, TopView};
use parking_lot::Mutex;
use wire::Envelope;
use wire::problem::{Problem, ProblemType};

use super::moves::Moves;
use crate::read_window::ReadWindow;

/// The end of an event, after its data.
const EVENT_END: &[u8] = b"\n\n";

/// The form of a frame: it has as many entries as its readers are sent.
const ALL: usize = usize::MAX;

/// The contents of a frame except `as_of` and profiles. Equal contents need no new frame.
#[derive(Debug, Clone, PartialEq)]
struct Shown {
    version: String,
    form: TopForm,
    members: u64,
    activity: Activity,
    has_profiles: bool,
}

/// A top, before it is rendered as a frame.
#[derive(Debug, Clone)]
struct Top {
    shown: Shown,
    board: BoardName,
    window: String,
    as_of: Timestamp,
    entries: Rendered,
    /// The most entries that it may have.
    width: usize,
}

/// One state of a top, shared by all readers.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Counted from 1, without gaps.
    pub(crate) number: u64,
    /// Its entries are slices of `event`.
    top: Top,
    /// The event with all entries, ...
    event: Bytes,
    /// ... and where they end in it.
    entries_end: usize,
    /// The entries of the frame before, and the most that they could be, if it was of the same window.
    before: Option<(Rendered, usize)>,
    /// What has moved since then; found when a reader needs it.
    moves: OnceLock<Option<(Moves, HeldBytes)>>,
    /// The events with what has moved in the first `n` entries; made when a reader needs them.
    changes: Mutex<HashMap<usize, Option<Bytes>>>,
    share: Share,
}

impl Frame {
    /// Creates the frame of the first `width` entries of a view; `None` if the frame before shows the same. One that
    /// only has more entries than the frame before has the same number. Returns an error if the share has no space for
    /// it. Frames for new readers leave the reserve to those of others.
    pub(crate) fn of(
        board: &BoardName,
        window: &ReadWindow,
        view: &TopView,
        width: usize,
        before: Option<&Self>,
        share: &Share,
    ) -> Result<Option<Arc<Self>>, Problem> {
        let snapshot = &view.snapshot;
        let top = Top {
            shown: Shown {
                version: snapshot.version.clone(),
                form: window.form(view, ALL),
                members: snapshot.members,
                activity: snapshot.activity,
                has_profiles: snapshot.profiles.is_some(),
            },
            board: board.clone(),
            window: window.name(),
            as_of: snapshot.as_of,
            entries: first(&snapshot.rendered, width),
            width,
        };
        match before {
            Some(before) if before.top.shows(&top) => {
                let is_wider = width > before.top.width;
                is_wider.then(|| before.widened(top)).transpose()
            }
            _ => Self::after(before, top, share).map(Some),
        }
    }

    /// Creates the frame of the same top, read at `as_of`, as stale; `None` if this frame shows the same.
    pub(crate) fn stale(
        &self,
        window: &ReadWindow,
        as_of: Timestamp,
    ) -> Result<Option<Arc<Self>>, Problem> {
        let mut top = Top {
            window: window.name(),
            as_of,
            ..self.top.clone()
        };
        let Shown { form, activity, .. } = &mut top.shown;
        *form = window.form_at(as_of, activity, true, ALL);
        if top.shown == self.top.shown {
            return Ok(None);
        }
        Self::after(Some(self), top, &self.share).map(Some)
    }

    /// Creates the frame that follows this one, or the first.
    fn after(before: Option<&Self>, top: Top, share: &Share) -> Result<Arc<Self>, Problem> {
        let number = before.map_or(1, |before| before.number + 1);
        let is_for_new_reader = before.is_none_or(|before| top.width > before.top.width);
        let earlier = before.and_then(|before| before.entries_of(top.shown.form.window));
        Self::made(number, top, earlier, is_for_new_reader, share)
    }

    /// Creates this frame with more entries, for a new reader. The others are sent nothing.
    fn widened(&self, top: Top) -> Result<Arc<Self>, Problem> {
        Self::made(self.number, top, self.before.clone(), true, &self.share)
    }

    fn made(
        number: u64,
        top: Top,
        before: Option<(Rendered, usize)>,
        is_for_new_reader: bool,
        share: &Share,
    ) -> Result<Arc<Self>, Problem> {
        let (json, begin) = top.envelope().with_entries(&top.entries.bytes, None);
        let text = event("board", &top.shown.version, &json);
        let mut held = share.hold();
        let bytes = text.capacity() + top.entries.ends.len() * size_of::<u32>();
        let fits = if is_for_new_reader {
            held.resize_unreserved(bytes)
        } else {
            held.resize(bytes)
        };
        if !fits {
            if is_for_new_reader {
                share.refuse();
            }
            return Err(no_room(share));
        }
        let begin = text.len() - EVENT_END.len() - json.len() + begin;
        let entries_end = begin + top.entries.bytes.len();
        let event = counted(text, held);
        let entries = Rendered {
            bytes: event.slice(begin..entries_end),
            ends: top.entries.ends,
        };
        Ok(Arc::new(Self {
            number,
            top: Top { entries, ..top },
            event,
            entries_end,
            before,
            moves: OnceLock::new(),
            changes: Mutex::default(),
            share: share.clone(),
        }))
    }

    /// Returns the window of the top.
    pub(crate) const fn window(&self) -> Window {
        self.top.shown.form.window
    }

    /// Returns the most entries that a reader can be sent of it.
    pub(crate) const fn width(&self) -> usize {
        self.top.width
    }

    /// Returns its entries, if they are of this window: there are no moves between windows.
    fn entries_of(&self, window: Window) -> Option<(Rendered, usize)> {
        (self.window() == window).then(|| (self.top.entries.clone(), self.top.width))
    }

    /// Returns the event with the first `n` entries, in one or two parts.
    pub(crate) fn board(&self, n: usize) -> (Bytes, Option<Bytes>) {
        let Rendered { bytes, ends } = &self.top.entries;
        if n >= ends.len() {
            return (self.event.clone(), None);
        }
        let shown = n.checked_sub(1).map_or(0, |last| ends[last] as usize);
        let end = self.entries_end - bytes.len() + shown;
        let rest = self.event.slice(self.entries_end..);
        (self.event.slice(..end), Some(rest))
    }

    /// Returns the event with what has moved in the first `n` entries since the frame before. `None` if the whole top
    /// is to be sent: there is no such frame, or the share has no space for the event.
    pub(crate) fn changes(&self, n: usize) -> Option<Bytes> {
        let (before, width) = self.before.as_ref()?;
        let (moves, _) = self.moves.get_or_init(|| self.moves(before)).as_ref()?;
        if n > *width {
            return None;
        }
        // More than there are have the same moves.
        let n = n.min(before.ends.len().max(self.top.entries.ends.len()));
        let make = || {
            let moves = moves.json(&self.top.entries, n)?;
            let json = self.top.envelope().with(moves.as_bytes());
            let text = event("changes", &self.top.shown.version, &json);
            let mut held = self.share.hold();
            held.resize_unreserved(text.capacity())
                .then(|| counted(text, held))
        };
        self.changes.lock().entry(n).or_insert_with(make).clone()
    }

    fn moves(&self, before: &Rendered) -> Option<(Moves, HeldBytes)> {
        let moves = Moves::between(before, &self.top.entries)?;
        let mut held = self.share.hold();
        held.resize_unreserved(moves.bytes())
            .then_some((moves, held))
    }
}

impl Top {
    /// Returns whether readers of this top need not be sent the other one.
    fn shows(&self, other: &Self) -> bool {
        let count = self.entries.ends.len().min(other.entries.ends.len());
        let has_same_profiles = || self.entries.first(count) == other.entries.first(count);
        self.shown == other.shown && (!self.shown.has_profiles || has_same_profiles())
    }

    /// Returns the members besides the entries.
    fn envelope(&self) -> Envelope<'_> {
        let Shown {
            version,
            members,
            activity,
            form,
            ..
        } = &self.shown;
        Envelope {
            board: &self.board,
            window: self.window.as_str().into(),
            version: version.as_str().into(),
            as_of: self.as_of,
            members: *members,
            listed: form.listed,
            activity,
            is_final: form.is_final,
            stale: form.stale,
        }
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

fn no_room(share: &Share) -> Problem {
    let detail = format!(
        "the events of all streams have {} bytes, and {} are the limit",
        share.bytes(),
        share.bytes_max()
    );
    Problem::new(ProblemType::Overloaded, detail)
}

/// An event, and its bytes in the share.
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
            n: ALL,
            is_final: false,
            stale: false,
            listed: None,
        };
        let share = Share::up_to(0);
        let changes = changes.map(|text| Bytes::from_static(text.as_bytes()));
        Self {
            number,
            top: Top {
                shown: Shown {
                    version: number.to_string(),
                    form,
                    members: 0,
                    activity: Activity::default(),
                    has_profiles: false,
                },
                board: "gifts/a".parse().expect("a board's name"),
                window: "all".to_owned(),
                as_of: Timestamp::from_millis(0),
                entries: Rendered::default(),
                width: ALL,
            },
            event: Bytes::from_static(board.as_bytes()),
            entries_end: 0,
            before: changes.is_some().then(|| (Rendered::default(), ALL)),
            moves: OnceLock::from(Some((Moves::default(), share.hold()))),
            changes: Mutex::new(HashMap::from([(0, changes)])),
            share,
        }
    }
}

#[cfg(test)]
mod tests {
    use board::Period;

    use super::*;

    /// Returns a top of the members `a`, `b` and so on with these points, as wide as they are many.
    fn top(points: &[u32]) -> Top {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for (points, name) in points.iter().zip('a'..) {
            let comma = if bytes.is_empty() { "" } else { "," };
            let entry = format!("{comma}{{\"member\":\"{name}\",\"points\":{points}}}");
            bytes.extend_from_slice(entry.as_bytes());
            ends.push(u32::try_from(bytes.len()).unwrap());
        }
        let bytes = bytes.into();
        Top {
            entries: Rendered { bytes, ends },
            width: points.len(),
            ..Frame::bare(1, "", None).top
        }
    }

    fn frame(points: u32, before: Option<&Frame>, share: &Share) -> Result<Arc<Frame>, Problem> {
        Frame::after(before, top(&[points]), share)
    }

    fn text(parts: (Bytes, Option<Bytes>)) -> String {
        let (first, rest) = parts;
        let whole = [first, rest.unwrap_or_default()].concat();
        String::from_utf8(whole).unwrap()
    }

    #[test]
    fn events_count_until_they_are_dropped() {
        let share = Share::up_to(1 << 20);
        let first = frame(1, None, &share).unwrap();
        let alone = share.bytes();
        assert!(alone >= first.event.len() + 4, "{alone}");
        assert_eq!(
            &first.top.entries.bytes[..],
            b"{\"member\":\"a\",\"points\":1}"
        );
        let second = frame(2, Some(&first), &share).unwrap();
        let unread = (first.board(1).0, second.changes(1).unwrap());
        assert!(unread.1.starts_with(b"id: "));
        assert!(share.bytes() >= 2 * alone + unread.1.len());
        drop((first, second));
        assert!(share.bytes() >= unread.0.len() + unread.1.len());
        drop(unread);
        assert_eq!(share.bytes(), 0);
    }

    #[test]
    fn the_event_of_the_first_entries_is_a_part_of_that_of_all() {
        let share = Share::up_to(1 << 20);
        let points = [9, 8, 7, 6];
        let whole = Frame::after(None, top(&points), &share).unwrap();
        let bytes = share.bytes();
        for n in 1..=points.len() {
            let alone = Frame::after(None, top(&points[..n]), &share).unwrap();
            assert_eq!(text(whole.board(n)), text(alone.board(n)), "{n}");
        }
        assert_eq!(text(whole.board(5)), text(whole.board(4)));
        // Nothing was copied.
        assert_eq!(share.bytes(), bytes);
    }

    #[test]
    fn the_moves_of_many_readers_are_found_once_and_rendered_once_for_each_length() {
        let share = Share::up_to(1 << 20);
        let first = Frame::after(None, top(&[9, 8, 7]), &share).unwrap();
        let second = Frame::after(Some(&first), top(&[9, 8, 6]), &share).unwrap();
        let changes = |n| second.changes(n).unwrap();
        let (two, three) = (changes(2), changes(3));
        assert_ne!(two, three);
        let bytes = share.bytes();
        for n in [2, 3] {
            assert_eq!(changes(n).as_ptr(), [&two, &three][n - 2].as_ptr());
        }
        assert_eq!(share.bytes(), bytes);
        // The frame before had no fourth entry.
        assert_eq!(second.changes(4), None);
    }

    #[test]
    fn a_frame_with_more_entries_is_new_only_to_the_reader_who_needs_them() {
        let share = Share::up_to(1 << 20);
        let first = Frame::after(None, top(&[9]), &share).unwrap();
        let second = Frame::after(Some(&first), top(&[8]), &share).unwrap();
        let wide = second.widened(top(&[8, 7])).unwrap();
        assert_eq!((second.number, wide.number, wide.width()), (2, 2, 2));
        assert_eq!(wide.changes(1), second.changes(1));
        assert_eq!(wide.changes(2), None);
        let third = Frame::after(Some(&wide), top(&[8, 6]), &share).unwrap();
        assert_eq!(third.number, 3);
        assert!(third.changes(2).is_some());
    }

    #[test]
    fn only_later_frames_use_the_reserve() {
        let share = Share::up_to(usize::MAX);
        let _measured = frame(1, None, &share).unwrap();
        let bytes = share.bytes();
        let share = Share::up_to(2 * bytes);
        let first = frame(1, None, &share).unwrap();
        let refused = frame(1, None, &share).unwrap_err();
        assert_eq!(refused.kind, ProblemType::Overloaded);
        let second = frame(2, Some(&first), &share).unwrap();
        // The whole top is sent instead of what has moved.
        assert_eq!(second.changes(1), None);
        let refused = frame(3, Some(&second), &share).unwrap_err();
        assert_eq!(refused.kind, ProblemType::Overloaded);
        assert!(refused.detail.contains("streams"), "{refused:?}");
    }

    #[test]
    fn moves_are_reported_only_within_a_window() {
        let share = Share::up_to(1 << 20);
        let first = frame(1, None, &share).unwrap();
        let mut next = top(&[2]);
        next.shown.form.window = Window::starting_at(Period::Day, Timestamp::from_millis(0));
        let next = Frame::after(Some(&first), next, &share).unwrap();
        assert_eq!(next.changes(1), None);
        assert!(frame(2, Some(&first), &share).unwrap().changes(1).is_some());
    }
}
