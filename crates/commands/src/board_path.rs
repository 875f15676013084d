//! Boards named on the command line, and their URL paths: [`BoardPath`].
//!
//! Only the server knows whether a board exists.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All but the unreserved characters of RFC 3986: a subject may contain slashes, a window a `+`.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Percent-encodes a text for a path or a query.
pub(crate) fn encoded(text: &str) -> impl fmt::Display {
    utf8_percent_encode(text, ENCODED)
}

/// Kind and subject of a board. Displayed as the path `/v1/boards/KIND/SUBJECT`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BoardPath {
    kind: String,
    /// The text after the first slash; it may contain further ones.
    subject: String,
}

impl BoardPath {
    /// Parses `KIND/SUBJECT`.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.split_once('/') {
            Some((kind, subject)) if !kind.is_empty() && !subject.is_empty() => Ok(Self {
                kind: kind.to_owned(),
                subject: subject.to_owned(),
            }),
            _ => Err("a board has the form KIND/SUBJECT, such as gifts/room-8842".to_owned()),
        }
    }

    /// Returns the name of the board, `KIND/SUBJECT`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.kind, self.subject)
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the subject.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }
}

impl fmt::Display for BoardPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, subject } = self;
        write!(f, "/v1/boards/{}/{}", encoded(kind), encoded(subject))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_is_all_after_the_first_slash() {
        let board = BoardPath::parse("gifts/a/b é?").unwrap();
        assert_eq!(board.to_string(), "/v1/boards/gifts/a%2Fb%20%C3%A9%3F");
        for wrong in ["gifts", "/a", "gifts/", ""] {
            assert!(BoardPath::parse(wrong).is_err(), "{wrong}");
        }
    }
}
