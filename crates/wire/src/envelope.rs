//! The part that all responses about a board have in common: [`Envelope`].

use board::{Activity, BoardName, Timestamp};

use crate::json::{JsonMembers, JsonText};

/// The part that all responses about a board have in common.
#[derive(Debug)]
pub struct Envelope<'a> {
    /// The board.
    pub board: &'a BoardName,
    /// The full name of the window.
    pub window: String,
    /// The version of the board.
    pub version: String,
    /// When the read of the store began.
    pub as_of: Timestamp,
    /// The number of ranked members.
    pub members: u64,
    /// The maximum number of ranked members, if the kind limits it.
    pub listed: Option<u64>,
    /// The time in which the board accepts contributions.
    pub activity: &'a Activity,
    /// Whether the window, or the board, has ended and no longer changes.
    pub is_final: bool,
}

impl JsonMembers for Envelope<'_> {
    fn put(&self, json: &mut JsonText) {
        json.put(",");
        put_board(json, self.board);
        put_window(json, &self.window, &self.version);
        json.put(",\"as_of\":");
        json.time(self.as_of);
        json.put(",\"members\":");
        json.integer(self.members);
        put_limits(json, self.listed, self.activity, self.is_final);
    }
}

/// Writes the member `board`, the first of all responses about a board.
pub(crate) fn put_board(json: &mut JsonText, board: &BoardName) {
    json.put("\"board\":\"");
    json.put(board.kind().as_str());
    json.put("/");
    json.escaped(board.subject().as_str());
    json.put("\"");
}

/// Adds the members `window` and `version`, texts without anything that is escaped.
pub(crate) fn put_window(json: &mut JsonText, window: &str, version: &str) {
    json.put(",\"window\":\"");
    json.put(window);
    json.put("\",\"version\":\"");
    json.put(version);
    json.put("\"");
}

/// Adds those of the members `listed`, `starts_at`, `ends_at` and `final` that the board has.
pub(crate) fn put_limits(
    json: &mut JsonText,
    listed: Option<u64>,
    activity: &Activity,
    is_final: bool,
) {
    if let Some(listed) = listed {
        json.put(",\"listed\":");
        json.integer(listed);
    }
    if let Some(starts_at) = activity.starts_at() {
        json.put(",\"starts_at\":");
        json.time(starts_at);
    }
    if let Some(ends_at) = activity.ends_at() {
        json.put(",\"ends_at\":");
        json.time(ends_at);
    }
    if is_final {
        json.put(",\"final\":true");
    }
}
