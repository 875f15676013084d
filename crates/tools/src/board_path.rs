//! A board as a command line names it, and where it is served: [`BoardPath`].
//!
//! Whether there is such a board is the server's to say.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All but the unreserved characters of RFC 3986: a subject may hold slashes, a window a `+`.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A text as it stands in a path or a query.
pub(crate) fn encoded(text: &str) -> impl fmt::Display {
    utf8_percent_encode(text, ENCODED)
}

/// Kind and subject; shown as the path `/v1/boards/KIND/SUBJECT`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct BoardPath {
    kind: String,
    /// All after the first slash, later slashes included.
    subject: String,
}

impl BoardPath {
    /// Reads `KIND/SUBJECT`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text.split_once('/') {
            Some((kind, subject)) if !kind.is_empty() && !subject.is_empty() => Ok(Self {
                kind: kind.to_owned(),
                subject: subject.to_owned(),
            }),
            _ => Err("a board is written KIND/SUBJECT, such as gifts/room-8842".to_owned()),
        }
    }

    /// Its kind.
    pub(crate) fn kind(&self) -> &str {
        &self.kind
    }

    /// What it is about.
    pub(crate) fn subject(&self) -> &str {
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
    fn a_board_is_a_kind_and_all_the_rest() {
        let board = BoardPath::parse("gifts/a/b é?").unwrap();
        assert_eq!(board.to_string(), "/v1/boards/gifts/a%2Fb%20%C3%A9%3F");
        for wrong in ["gifts", "/a", "gifts/", ""] {
            assert!(BoardPath::parse(wrong).is_err(), "{wrong}");
        }
    }
}
