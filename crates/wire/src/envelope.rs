//! The part that all responses about a board have in common: [`Envelope`].

use std::borrow::Cow;

use board::{Activity, BoardName, Timestamp};
use merger::{Snapshot, TopForm};

use crate::json::JsonText;

/// The usual bytes of an envelope, and of a member with its neighbours.
const USUAL_BYTES: usize = 1 << 10;

/// The part that all responses about a board have in common. `EnvelopeWritten` has its schema.
#[derive(Debug)]
pub struct Envelope<'a> {
    /// The board.
    pub board: &'a BoardName,
    /// The full name of the window.
    pub window: Cow<'a, str>,
    /// The version of the board.
    pub version: Cow<'a, str>,
    /// When the read of the store began.
    pub as_of: Timestamp,
    /// The number of ranked members.
    pub members: u64,
    /// For kinds that rank only their best members: the maximum number of them.
    pub listed: Option<u64>,
    /// The time in which the board accepts contributions.
    pub activity: &'a Activity,
    /// Whether the window, or the board, has ended and no longer changes.
    pub is_final: bool,
    /// Whether the store is unavailable, and this is the last board that was read.
    pub stale: bool,
}

impl Envelope<'_> {
    /// Returns the response with the members of another object, which has some.
    #[must_use]
    pub fn with(&self, object: &[u8]) -> Vec<u8> {
        let mut json = self.opened(object.len()).into_bytes();
        let begin = json.len();
        json.extend_from_slice(object);
        json[begin] = b',';
        json
    }

    /// Returns the response with rendered entries, and the offset at which they begin. `next`: the cursor of the last
    /// one, if there may be more.
    #[must_use]
    pub fn with_entries(&self, entries: &[u8], next: Option<&str>) -> (Vec<u8>, usize) {
        let mut json = self.opened(entries.len());
        json.put(",\"entries\":[");
        let begin = json.len();
        json.put_bytes(entries);
        json.put("]");
        if let Some(next) = next {
            json.put(",\"next\":");
            json.string(next);
        }
        json.put("}");
        (json.into_bytes(), begin)
    }

    /// Returns the envelope without its last brace, with space for so many bytes more.
    fn opened(&self, bytes: usize) -> JsonText {
        let mut json = JsonText::with_capacity(USUAL_BYTES + bytes);
        json.put("{\"board\":\"");
        json.put(self.board.kind().as_str());
        json.put("/");
        json.escaped(self.board.subject().as_str());
        json.put("\",\"window\":");
        json.string(&self.window);
        json.put(",\"version\":");
        json.string(&self.version);
        json.put(",\"as_of\":");
        json.time(self.as_of);
        json.put(",\"members\":");
        json.integer(self.members);
        if let Some(listed) = self.listed {
            json.put(",\"listed\":");
            json.integer(listed);
        }
        if let Some(starts_at) = self.activity.starts_at() {
            json.put(",\"starts_at\":");
            json.time(starts_at);
        }
        if let Some(ends_at) = self.activity.ends_at() {
            json.put(",\"ends_at\":");
            json.time(ends_at);
        }
        if self.is_final {
            json.put(",\"final\":true");
        }
        if self.stale {
            json.put(",\"stale\":true");
        }
        json
    }
}

/// Returns the JSON of the top of a snapshot, as `GET .../top` returns it for this window.
#[must_use]
pub fn top_json(board: &BoardName, window: &str, snapshot: &Snapshot, form: TopForm) -> Vec<u8> {
    let envelope = Envelope {
        board,
        window: window.into(),
        version: snapshot.version.as_str().into(),
        as_of: snapshot.as_of,
        members: snapshot.members,
        listed: form.listed,
        activity: &snapshot.activity,
        is_final: form.is_final,
        stale: form.stale,
    };
    let entries = snapshot.rendered.first(form.n);
    envelope.with_entries(&entries, None).0
}
