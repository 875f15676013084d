//! One event: [`Contribution`].

use std::fmt::Write as _;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

/// One event: a member, what changes, and an id under which it counts once.
///
/// The id is drawn when the contribution is made, and stays with it: however often it is sent, it
/// counts once on each of its boards, within the `dedupe` span of the kind. A clone is the same
/// event; [`anew`](Self::anew) makes another one like it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "it does nothing before it is contributed"]
pub struct Contribution {
    pub(super) boards: Vec<String>,
    pub(super) member: String,
    points: Option<i64>,
    values: Vec<(String, i64)>,
    pub(super) id: Option<String>,
    at: Option<Timestamp>,
    set: bool,
    window: Option<String>,
}

impl Contribution {
    /// An event of this member on this board, `gifts/room-8842`.
    pub fn new(board: impl Into<String>, member: impl Into<String>) -> Self {
        Self {
            boards: vec![board.into()],
            member: member.into(),
            points: None,
            values: Vec::new(),
            id: drawn_id(),
            at: None,
            set: false,
            window: None,
        }
    }

    /// Counts on this board, too: whole on each, under the one id. Up to 16 boards.
    pub fn also_on(mut self, board: impl Into<String>) -> Self {
        self.boards.push(board.into());
        self
    }

    /// For kinds whose only field is `points`.
    pub fn points(mut self, points: i64) -> Self {
        self.points = Some(points);
        self
    }

    /// For all other kinds: one of the fields. Sum fields that are not named change by nothing.
    pub fn value(mut self, field: impl Into<String>, value: i64) -> Self {
        self.values.push((field.into(), value));
        self
    }

    /// When it happened, to the millisecond; when the server takes it by default.
    pub fn at(mut self, at: Timestamp) -> Self {
        self.at = Some(at);
        self
    }

    /// An id of your own, 1 to 128 bytes, in place of the one that was drawn.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// No id: the server remembers nothing. It is then sent again only where it surely was not
    /// applied, and an outcome that is unknown stays so.
    pub fn without_id(mut self) -> Self {
        self.id = None;
        self
    }

    /// The values are the standing itself, not deltas.
    pub fn set(mut self) -> Self {
        self.set = true;
        self
    }

    /// The values are the standing itself in this one window (any selector), which has to contain
    /// the time of the event. Sets of several windows are several contributions.
    pub fn set_in(mut self, window: impl Into<String>) -> Self {
        self.window = Some(window.into());
        self.set()
    }

    /// Another event like this, with an id of its own.
    pub fn anew(&self) -> Self {
        Self {
            id: drawn_id(),
            ..self.clone()
        }
    }

    /// The id under which it counts once, where it has one.
    #[must_use]
    pub fn known_as(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// As it stands on the wire, for these of its boards.
    pub(super) fn write(&self, boards: &[String], into: &mut Vec<u8>) {
        let (board, boards) = match boards {
            [board] => (Some(board.as_str()), None),
            several => (None, Some(several)),
        };
        let line = Line {
            board,
            boards,
            member: &self.member,
            points: self.points,
            values: &self.values,
            id: self.id.as_deref(),
            at: self.at.map(Timestamp::as_millisecond),
            set: self.set,
            window: self.window.as_deref(),
        };
        serde_json::to_writer(into, &line).expect("texts and integers are JSON");
    }
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    boards: Option<&'a [String]>,
    member: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<i64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "fields")]
    values: &'a [(String, i64)],
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<i64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    set: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<&'a str>,
}

/// In the order in which they were named.
pub(crate) fn fields<S: Serializer>(
    values: &[(String, i64)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(name, value)| (name, value)))
}

/// 128 random bits in hexadecimal. Without a source of randomness there is none: the contribution is
/// then as one [without an id](Contribution::without_id), which counts nothing twice either.
pub(crate) fn drawn_id() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    let mut id = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(id, "{byte:02x}").ok()?;
    }
    Some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(contribution: &Contribution) -> String {
        let mut line = Vec::new();
        contribution.write(&contribution.boards, &mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn only_what_was_said_is_written() {
        let plain = Contribution::new("gifts/a", "u1").points(3).without_id();
        assert_eq!(
            written(&plain),
            r#"{"board":"gifts/a","member":"u1","points":3}"#
        );
        let at = "2026-11-20T14:52:22.123999Z".parse().unwrap();
        let all = Contribution::new("hot/a", "ü\"")
            .also_on("hot/b")
            .value("z", 1)
            .value("a", -2)
            .id("evt-1")
            .at(at)
            .set_in("day");
        assert_eq!(
            written(&all),
            r#"{"boards":["hot/a","hot/b"],"member":"ü\"","values":{"z":1,"a":-2},"id":"evt-1","at":1795186342123,"set":true,"window":"day"}"#
        );
    }

    #[test]
    fn an_id_is_drawn_once_and_stays() {
        let event = Contribution::new("gifts/a", "u1").points(3);
        let id = event.known_as().unwrap();
        assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_eq!(event.clone(), event);
        let other = event.anew();
        assert_ne!(other.known_as(), event.known_as());
        assert_eq!(other.id(id), event);
    }
}
