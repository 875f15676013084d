//! One state of a watched top, as the bytes that every reader is sent.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use board::{Activity, BoardName, Timestamp, Window};
use bytes::Bytes;
use merger::{Rendered, TopForm, TopView};

use super::moves;
use crate::routes::top_json;
use crate::target::ReadWindow;

/// What a top shows, `as_of` aside: where this is the same, nothing has changed.
#[derive(Debug, Clone, PartialEq)]
struct Shown {
    version: String,
    form: TopForm,
    members: u64,
    activity: Activity,
}

/// One state of a top. Made once, and shared by all who are sent it.
#[derive(Debug)]
pub(super) struct Frame {
    /// Counted from 1, without a gap.
    pub(super) number: u64,
    /// The event that shows all of it.
    pub(super) board: Bytes,
    shown: Shown,
    board_name: BoardName,
    window_name: String,
    as_of: Timestamp,
    entries: Rendered,
    /// The entries of the frame before, where that was of the same window.
    before: Option<Rendered>,
    /// The event that shows what has moved since then, once somebody wants it.
    changes: OnceLock<Option<Bytes>>,
}

impl Frame {
    /// What a view shows; none where the frame before it shows just that.
    pub(super) fn of(
        board: &BoardName,
        window: &ReadWindow,
        view: &TopView,
        form: TopForm,
        before: Option<&Self>,
    ) -> Option<Arc<Self>> {
        let snapshot = &view.snapshot;
        let shown = Shown {
            version: snapshot.version.clone(),
            form,
            members: snapshot.members,
            activity: snapshot.activity,
        };
        if before.is_some_and(|before| before.shown == shown) {
            return None;
        }
        let window_name = window.name();
        let json = top_json(board, &window_name, snapshot, form);
        Some(Arc::new(Self {
            number: before.map_or(1, |before| before.number + 1),
            board: event("board", &shown.version, &json),
            shown,
            board_name: board.clone(),
            window_name,
            as_of: snapshot.as_of,
            entries: first(&snapshot.rendered, form.n),
            before: before.and_then(|before| before.entries_of(form.window)),
            changes: OnceLock::new(),
        }))
    }

    /// The window that is shown.
    pub(super) const fn window(&self) -> Window {
        self.shown.form.window
    }

    /// Its entries, where they are of this window: from one window to another nobody moves.
    fn entries_of(&self, window: Window) -> Option<Rendered> {
        (self.window() == window).then(|| self.entries.clone())
    }

    /// The event that shows what has moved since the frame before; none where all is to be shown.
    pub(super) fn changes(&self) -> Option<Bytes> {
        let make = || {
            let before = self.before.as_ref()?;
            let moves = moves::between(before, &self.entries)?;
            let json = self.changes_json(&moves);
            Some(event("changes", &self.shown.version, json.as_bytes()))
        };
        self.changes.get_or_init(make).clone()
    }

    fn changes_json(&self, moves: &str) -> String {
        let Shown {
            version,
            form,
            members,
            activity,
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

/// The first `n` entries: slices, but for where they end.
fn first(rendered: &Rendered, n: usize) -> Rendered {
    let ends = rendered.ends.iter().take(n).copied();
    Rendered {
        bytes: rendered.first(n),
        ends: ends.collect(),
    }
}

/// An event as server-sent events have it. JSON has no line breaks of its own.
pub(super) fn event(name: &str, id: &str, json: &[u8]) -> Bytes {
    let mut text = Vec::with_capacity(json.len() + id.len() + 32);
    for part in [
        b"id: ",
        id.as_bytes(),
        b"\nevent: ",
        name.as_bytes(),
        b"\ndata: ",
        json,
        b"\n\n",
    ] {
        text.extend_from_slice(part);
    }
    text.into()
}

/// An event that does not move the stream on: it has no id.
pub(super) fn event_aside(name: &str, json: &[u8]) -> Bytes {
    let mut text = Vec::with_capacity(json.len() + 32);
    for part in [b"event: ", name.as_bytes(), b"\ndata: ", json, b"\n\n"] {
        text.extend_from_slice(part);
    }
    text.into()
}

#[cfg(test)]
impl Frame {
    /// A frame of this number without entries, whose events are these texts.
    pub(super) fn bare(number: u64, board: &'static str, changes: Option<&'static str>) -> Self {
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
            },
            board_name: "gifts/a".parse().expect("a board's name"),
            window_name: "all".to_owned(),
            as_of: Timestamp::from_millis(0),
            entries: Rendered::default(),
            before: None,
            changes: OnceLock::from(changes.map(|text| Bytes::from_static(text.as_bytes()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use board::Period;

    use super::*;

    #[test]
    fn what_moved_is_told_within_a_window_alone() {
        let frame = Frame::bare(1, "board", None);
        assert!(frame.entries_of(Window::ALL_TIME).is_some());
        let next = Window::starting_at(Period::Day, Timestamp::from_millis(0));
        assert!(frame.entries_of(next).is_none());
        let unmade = Frame {
            changes: OnceLock::new(),
            ..frame
        };
        assert_eq!(unmade.changes(), None, "of another window before it");
    }
}
