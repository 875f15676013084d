//! The part that all responses about a board have in common: [`Envelope`]. Tops and pages, whose entries are rendered
//! before: [`TopHead`], [`page_json`].

use std::fmt::Display;

use board::{Activity, BoardName, Timestamp};
use merger::{Snapshot, TopForm};
use serde::{Serialize, Serializer};

use crate::board::SpanShape;

/// The usual bytes of an envelope, and of a member with its neighbours.
const USUAL_BYTES: usize = 1 << 10;

/// The part that all responses about a board have in common.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Envelope<'a> {
    /// The board, kind and subject.
    #[serde(serialize_with = "text")]
    #[cfg_attr(feature = "schema", schema(value_type = String, example = "gifts/room-8842"))]
    pub board: &'a BoardName,
    /// The full name of the window.
    #[cfg_attr(feature = "schema", schema(example = "day:2026-11-20"))]
    pub window: String,
    /// Equal versions mean equal boards, on every server.
    pub version: String,
    /// When the read of the store began.
    #[serde(serialize_with = "text")]
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub as_of: Timestamp,
    /// The number of ranked members.
    pub members: u64,
    /// For kinds that rank only their best members: the maximum number of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub listed: Option<u64>,
    /// The time in which the board accepts contributions.
    #[serde(flatten)]
    pub span: SpanShape,
    /// True once the window, or the board, has ended and no longer changes.
    #[serde(rename = "final", skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub is_final: bool,
}

fn text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Returns an object without its last brace, with space for so many bytes more.
fn opened(shape: &impl Serialize, bytes: usize) -> Vec<u8> {
    let mut json = Vec::with_capacity(USUAL_BYTES + bytes);
    serde_json::to_writer(&mut json, shape).expect("a shape is JSON, and memory is no file");
    json.pop();
    json
}

/// Returns the JSON of a page of rendered entries. `next`: the cursor of the last one, if there may be more.
#[must_use]
pub fn page_json(envelope: &Envelope<'_>, entries: &[u8], next: Option<&str>) -> Vec<u8> {
    let mut json = opened(envelope, entries.len());
    for part in [b",\"entries\":[", entries, b"]"] {
        json.extend_from_slice(part);
    }
    if let Some(next) = next {
        // A cursor has nothing that is escaped.
        json.extend_from_slice(format!(",\"next\":\"{next}\"").as_bytes());
    }
    json.push(b'}');
    json
}

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

/// The members before the entries.
#[derive(Serialize)]
struct TopHeadShape<'a> {
    #[serde(serialize_with = "text")]
    board: &'a BoardName,
    window: &'a str,
    version: &'a str,
    members: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    listed: Option<u64>,
    #[serde(flatten)]
    span: SpanShape,
    #[serde(rename = "final", skip_serializing_if = "std::ops::Not::not")]
    is_final: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

impl TopHead<'_> {
    /// Returns the top with these entries, and the offset at which they begin.
    #[must_use]
    pub fn json(&self, entries: &[u8]) -> (Vec<u8>, usize) {
        let mut json = self.opened(entries.len());
        json.extend_from_slice(b",\"entries\":[");
        let begin = json.len();
        json.extend_from_slice(entries);
        json.push(b']');
        self.close(&mut json);
        (json, begin)
    }

    /// Returns what has moved in the top, given as the members of an object.
    #[must_use]
    pub fn changes_json(&self, moves: &str) -> Vec<u8> {
        let mut json = self.opened(moves.len());
        json.push(b',');
        json.extend_from_slice(moves.as_bytes());
        self.close(&mut json);
        json
    }

    fn opened(&self, bytes: usize) -> Vec<u8> {
        let shape = TopHeadShape {
            board: self.board,
            window: self.window,
            version: self.version,
            members: self.members,
            listed: self.form.listed,
            span: SpanShape::from(self.activity),
            is_final: self.form.is_final,
            stale: self.form.stale,
        };
        opened(&shape, bytes)
    }

    fn close(&self, json: &mut Vec<u8>) {
        json.extend_from_slice(format!(",\"as_of\":\"{}\"}}", self.as_of).as_bytes());
    }
}
