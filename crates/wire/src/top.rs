//! Tops: the rendered entries of a snapshot, with the other members of a response.

use std::io::Write as _;

use board::{Activity, BoardName, Timestamp};
use merger::{Snapshot, TopForm};

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
        let names = self.window.len() + 2 * self.board.subject().as_str().len();
        let mut body = Vec::with_capacity(FRAME_BYTES + names + entries.len());
        // Writing into a vector cannot fail.
        let _ = write!(
            body,
            "{{\"board\":{},\"window\":\"{}\",\"version\":\"{}\",\"members\":{}",
            quoted(self.board),
            self.window,
            self.version,
            self.members
        );
        if let Some(listed) = self.form.listed {
            let _ = write!(body, ",\"listed\":{listed}");
        }
        for (name, at) in [
            ("starts_at", self.activity.starts_at()),
            ("ends_at", self.activity.ends_at()),
        ] {
            if let Some(at) = at {
                let _ = write!(body, ",\"{name}\":\"{at}\"");
            }
        }
        if self.form.is_final {
            body.extend_from_slice(b",\"final\":true");
        }
        if self.form.stale {
            body.extend_from_slice(b",\"stale\":true");
        }
        body.extend_from_slice(b",\"entries\":[");
        let begin = body.len();
        body.extend_from_slice(entries);
        let _ = write!(body, "],\"as_of\":\"{}\"}}", self.as_of);
        (body, begin)
    }
}

fn quoted(board: &BoardName) -> String {
    serde_json::Value::String(board.to_string()).to_string()
}
