//! What a server says went wrong: [`Problem`], and the stable word for it, [`ProblemType`].

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use serde::Deserialize;

use crate::words::words;

/// How much of a response that is no problem document is shown.
const SHOWN_CHARS_MAX: usize = 200;

/// An answer that is no success (RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The HTTP status. Of an item that the store could not take: 503.
    pub status: u16,
    /// What went wrong, as a stable word. Empty of an answer that is no problem document, such as
    /// a gateway's.
    pub kind: ProblemType,
    /// The same for people.
    pub title: String,
    /// What of the request it is about: the field and its value.
    pub detail: String,
    /// How long the server asks to be left alone.
    pub retry_after: Option<Duration>,
}

words! {
    /// What went wrong, as a stable word.
    ProblemType {
        /// The body is no JSON.
        Malformed = "malformed",
        /// A parameter or field has a value it cannot have, is missing or is not known.
        Invalid = "invalid",
        /// There is no valid key.
        Unauthorized = "unauthorized",
        /// The key's scope or kinds do not go so far.
        Forbidden = "forbidden",
        /// There is no such kind.
        UnknownKind = "unknown-kind",
        /// To be deleted, and not there.
        UnknownBoard = "unknown-board",
        /// The kind has no such window.
        UnknownWindow = "unknown-window",
        /// Nothing is served there.
        UnknownPath = "unknown-path",
        /// The member is not ranked in the window.
        NotRanked = "not-ranked",
        /// The member is not among those that its kind ranks, and has no neighbours.
        NotListed = "not-listed",
        /// The path has no such method.
        MethodNotAllowed = "method-not-allowed",
        /// The server does not go by the name that it was asked under.
        UnknownHost = "unknown-host",
        /// The target of the request is too long.
        TargetTooLong = "target-too-long",
        /// The head of the request is too large.
        HeadTooLarge = "head-too-large",
        /// The body took too long.
        TooSlow = "too-slow",
        /// Somebody else is changing the same.
        Conflict = "conflict",
        /// The board has contributions: its settings are fixed.
        BoardExists = "board-exists",
        /// The change would give the kind's boards another meaning.
        KindHasBoards = "kind-has-boards",
        /// The window is past its retention.
        WindowGone = "window-gone",
        /// It is no longer what the client saw.
        PreconditionFailed = "precondition-failed",
        /// The body is over its limit.
        TooLarge = "too-large",
        /// The body is not what the route takes.
        UnsupportedMediaType = "unsupported-media-type",
        /// A value, a sum or a time would leave its range.
        OutOfRange = "out-of-range",
        /// No window takes the contribution any more.
        WindowClosed = "window-closed",
        /// It falls outside of the board's own time.
        NotOpen = "not-open",
        /// `at` is more than 5 minutes ahead.
        FromTheFuture = "from-the-future",
        /// The key or the address asks too often.
        TooManyRequests = "too-many-requests",
        /// Too much is under way: surely not applied.
        Overloaded = "overloaded",
        /// The store could not take it: surely not applied.
        Unavailable = "unavailable",
        /// The store's answer did not arrive: perhaps applied.
        Unknown = "unknown",
    }
}

/// The members of the document that are read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Document {
    status: u16,
    r#type: String,
    title: String,
    detail: String,
}

impl Problem {
    /// Reads the body of an answer, whatever it is.
    pub(crate) fn read(status: u16, body: &[u8], retry_after: Option<Duration>) -> Self {
        let document: Document = serde_json::from_slice(body).unwrap_or_else(|_| {
            let text = String::from_utf8_lossy(body);
            let detail = text.trim().chars().take(SHOWN_CHARS_MAX).collect();
            Document {
                detail,
                ..Document::default()
            }
        });
        Self {
            status,
            kind: ProblemType::from(&*document.r#type),
            title: document.title,
            detail: document.detail,
            retry_after,
        }
    }

    /// Reads a problem that tells its status itself, as streams do.
    pub(crate) fn told(text: &[u8]) -> Self {
        let document: Document = serde_json::from_slice(text).unwrap_or_default();
        Self::read(document.status, text, None)
    }

    /// Whether what was asked may have been done all the same.
    pub(crate) fn is_undecided(&self) -> bool {
        match self.status {
            // Told before anything is done, but for the one word that says so.
            503 => self.kind == ProblemType::Unknown,
            // A body that took too long, a gateway that lost the server, a server that broke.
            408 | 500.. => true,
            _ => false,
        }
    }

    /// Whether it may be otherwise before long, though nobody does anything about it.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self.status, 408 | 429 | 502 | 503 | 504)
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (&*self.title, &*self.detail) {
            ("", "") => write!(f, "the server answered with status {}", self.status),
            ("", detail) => write!(
                f,
                "the server answered with status {}: {detail}",
                self.status
            ),
            (title, "") => f.write_str(title),
            (title, detail) => write!(f, "{title}: {detail}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_all_sorts_are_told() {
        let read = |status, body: &str| Problem::read(status, body.as_bytes(), None);
        let body =
            r#"{"type":"unknown-kind","title":"Unknown kind","detail":"kind: gfits","later":1}"#;
        let problem = read(404, body);
        assert_eq!(problem.kind, ProblemType::UnknownKind);
        assert_eq!(problem.to_string(), "Unknown kind: kind: gfits");
        let problem = read(409, r#"{"type":"not-yet-thought-of","title":"New"}"#);
        assert_eq!(problem.kind.as_str(), "not-yet-thought-of");
        assert_eq!(problem.to_string(), "New");
        let problem = read(502, "<h1>Bad gateway</h1>\n");
        assert_eq!(
            problem.to_string(),
            "the server answered with status 502: <h1>Bad gateway</h1>"
        );
        assert!(problem.is_undecided() && problem.is_passing());
        assert_eq!(
            read(500, "").to_string(),
            "the server answered with status 500"
        );
    }

    #[test]
    fn of_503_only_unknown_is_undecided() {
        let read = |body: &str| Problem::read(503, body.as_bytes(), None);
        assert!(read(r#"{"type":"unknown"}"#).is_undecided());
        for body in [r#"{"type":"unavailable"}"#, r#"{"type":"overloaded"}"#, ""] {
            assert!(!read(body).is_undecided(), "{body}");
        }
    }
}
