//! Tops: the rendered entries of a snapshot, with the other members of a response.

use board::{Activity, BoardName, Timestamp};
use merger::{Snapshot, TopForm};

use crate::ESCAPED_BYTES_MAX;
use crate::envelope::{put_board, put_limits, put_window};
use crate::json::JsonText;

/// Returns the JSON of the top of a snapshot, as `GET .../top` returns it for this window.
#[must_use]
pub fn top_json(board: &BoardName, window: &str, snapshot: &Snapshot, form: TopForm) -> Vec<u8> {
    let head = TopHead {
        board,
        window,
        version: &snapshot.version,
        members: snapshot.members,
        activity: &snapshot.activity,
        as_of: snapshot.as_of,
        form,
    };
    head.json(&snapshot.rendered.first(form.n)).0
}

/// The members of a top besides the entries.
#[derive(Debug)]
pub struct TopHead<'a> {
    /// The board.
    pub board: &'a BoardName,
    /// The full name of the window.
    pub window: &'a str,
    /// The version of the board.
    pub version: &'a str,
    /// The number of ranked members.
    pub members: u64,
    /// The time in which the board accepts contributions.
    pub activity: &'a Activity,
    /// When the merge began.
    pub as_of: Timestamp,
    /// What distinguishes this top from others of the same snapshot.
    pub form: TopForm,
}

impl TopHead<'_> {
    /// Returns the top with these entries, and the offset at which they begin.
    #[must_use]
    pub fn json(&self, entries: &[u8]) -> (Vec<u8>, usize) {
        /// The approximate length without names and entries.
        const FRAME_BYTES: usize = 256;
        let names = self.window.len() + ESCAPED_BYTES_MAX * self.board.subject().as_str().len();
        let mut json = JsonText::with_capacity(FRAME_BYTES + names + entries.len());
        json.put("{");
        put_board(&mut json, self.board);
        put_window(&mut json, self.window, self.version);
        json.put(",\"members\":");
        json.integer(self.members);
        put_limits(
            &mut json,
            self.form.listed,
            self.activity,
            self.form.is_final,
        );
        if self.form.stale {
            json.put(",\"stale\":true");
        }
        json.put(",\"entries\":[");
        let begin = json.len();
        json.put_bytes(entries);
        json.put("],\"as_of\":");
        json.time(self.as_of);
        json.put("}");
        (json.into_bytes(), begin)
    }
}
