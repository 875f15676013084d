//! Names in paths: [`BoardName`], and the percent-encoding of paths and queries.
//!
//! The server validates names. This module only ensures that a name cannot change the path.

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
    /// Names the board of this kind and subject.
    pub fn new(kind: impl Into<String>, subject: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            subject: subject.into(),
        }
    }

    /// Returns the name of the board's kind.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the board's subject.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns the path of the board, or an error if the name cannot be part of one.
    pub fn path(&self) -> Result<String, Error> {
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
            Error::Unusable(format!(
                "board: {text:?} does not have the form kind/subject"
            ))
        })?;
        Ok(Self::new(kind, subject))
    }
}

/// Encodes a name as one segment of a path. `.` and `..` are rejected, since URLs resolve them even
/// if they are percent-encoded, and so is the empty name.
pub(crate) fn segment(what: &str, name: &str) -> Result<String, Error> {
    if matches!(name, "" | "." | "..") {
        return Err(Error::Unusable(format!(
            "{what}: {name:?} is not a valid name"
        )));
    }
    Ok(encoded(name))
}

/// Percent-encodes a text for a path or a query.
#[must_use]
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_encoded_as_one_segment() {
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
    fn board_names_round_trip_through_text() {
        let name: BoardName = "gifts/room/1".parse().unwrap();
        assert_eq!((name.kind(), name.subject()), ("gifts", "room/1"));
        assert_eq!(name.to_string(), "gifts/room/1");
        assert!("gifts".parse::<BoardName>().is_err());
    }
}
