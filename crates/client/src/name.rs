//! Names in paths: [`BoardName`], and texts as they stand in a path or a query.
//!
//! What names may be is the server's to say. Here they are only kept from being another path.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::error::Error;

/// All but the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The name of a board: a kind and a subject, written `gifts/room-8842`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BoardName {
    kind: String,
    subject: String,
}

impl BoardName {
    /// The board of this kind about this subject.
    pub fn new(kind: impl Into<String>, subject: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            subject: subject.into(),
        }
    }

    /// What rules it has.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// What it is about.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The path of the board.
    pub(crate) fn path(&self) -> Result<String, Error> {
        let kind = segment("kind", &self.kind)?;
        let subject = segment("subject", &self.subject)?;
        Ok(format!("/v1/boards/{kind}/{subject}"))
    }
}

impl Display for BoardName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.subject)
    }
}

impl From<BoardName> for String {
    fn from(name: BoardName) -> Self {
        name.to_string()
    }
}

impl From<&BoardName> for String {
    fn from(name: &BoardName) -> Self {
        name.to_string()
    }
}

/// The kind ends at the first `/`.
impl FromStr for BoardName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (kind, subject) = text.split_once('/').ok_or_else(|| {
            Error::Unusable(format!("board: {text:?} is not written kind/subject"))
        })?;
        Ok(Self::new(kind, subject))
    }
}

/// A name as one segment of a path. URLs know `.` and `..` as other paths even where they are
/// percent-encoded, and an empty segment is none.
pub(crate) fn segment(what: &str, name: &str) -> Result<String, Error> {
    if matches!(name, "" | "." | "..") {
        return Err(Error::Unusable(format!(
            "{what}: {name:?} is no name of Megaboard"
        )));
    }
    Ok(encoded(name))
}

/// A text as it stands in a path or a query.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_one_segment_each() {
        let path = |kind, subject| BoardName::new(kind, subject).path();
        assert_eq!(
            path("gifts", "room 8842/ü?#%").unwrap(),
            "/v1/boards/gifts/room%208842%2F%C3%BC%3F%23%25"
        );
        assert_eq!(path("a", "...").unwrap(), "/v1/boards/a/...");
        for wrong in ["", ".", ".."] {
            assert!(
                path("gifts", wrong).is_err() && path(wrong, "a").is_err(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_board_is_read_as_it_is_written() {
        let name: BoardName = "gifts/room/1".parse().unwrap();
        assert_eq!((name.kind(), name.subject()), ("gifts", "room/1"));
        assert_eq!(name.to_string(), "gifts/room/1");
        assert!("gifts".parse::<BoardName>().is_err());
    }
}
