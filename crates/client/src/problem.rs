//! Errors returned by the server: [`Problem`], and its stable type, [`ProblemType`].

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use serde::Deserialize;

/// How much is shown of an error response that is not a problem document.
const SHOWN_CHARS_MAX: usize = 200;

/// An error returned by the server (RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The HTTP status; 503 for an item that the store could not apply.
    pub status: u16,
    /// The stable type. Empty if the response is not a problem document, for example that of a gateway.
    pub kind: ProblemType,
    /// A short description of the type.
    pub title: String,
    /// Details of this occurrence: the field and its value.
    pub detail: String,
    /// The value of `Retry-After`.
    pub retry_after: Option<Duration>,
}

/// Declares an enum of strings, with a variant `Other` for values of later servers.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)*
            /// A value that this version of the client does not know.
            Other(String),
        }

        impl $name {
            /// Returns the value as it is in JSON.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)*
                    Self::Other(word) => word,
                }
            }
        }

        impl From<String> for $name {
            fn from(word: String) -> Self {
                match &*word {
                    $($word => Self::$variant,)*
                    _ => Self::Other(word),
                }
            }
        }
    };
}

words! {
    /// The stable type of a [`Problem`].
    #[derive(Deserialize)]
    #[serde(from = "String")]
    ProblemType {
        /// The body is not JSON.
        Malformed = "malformed",
        /// A parameter or field is invalid, missing or unknown.
        Invalid = "invalid",
        /// There is no valid key.
        Unauthorized = "unauthorized",
        /// The key's scope or kinds do not permit the request.
        Forbidden = "forbidden",
        /// The kind does not exist.
        UnknownKind = "unknown-kind",
        /// The board to be deleted does not exist.
        UnknownBoard = "unknown-board",
        /// The kind has no such window.
        UnknownWindow = "unknown-window",
        /// The path does not exist.
        UnknownPath = "unknown-path",
        /// The member is not ranked in the window.
        NotRanked = "not-ranked",
        /// The member is not among the best that its kind ranks, so it has no neighbours.
        NotListed = "not-listed",
        /// The member has no profile.
        NoProfile = "no-profile",
        /// The server writes no audit log.
        NoAuditLog = "no-audit-log",
        /// The path does not support the method.
        MethodNotAllowed = "method-not-allowed",
        /// The server does not accept this `Host`.
        UnknownHost = "unknown-host",
        /// The body took too long.
        TooSlow = "too-slow",
        /// Another request is changing the same object.
        Conflict = "conflict",
        /// The board has contributions, or has ended: it cannot get these settings.
        BoardExists = "board-exists",
        /// The kind has boards, and the change would alter their meaning.
        KindHasBoards = "kind-has-boards",
        /// The window is past its retention.
        WindowGone = "window-gone",
        /// The entity tag does not match: the object has changed.
        PreconditionFailed = "precondition-failed",
        /// The body, or the response, exceeds its limit.
        TooLarge = "too-large",
        /// The route does not support the body's media type.
        UnsupportedMediaType = "unsupported-media-type",
        /// A value, a sum or a time would leave its range.
        OutOfRange = "out-of-range",
        /// All windows of the contribution's time are closed.
        WindowClosed = "window-closed",
        /// The time is outside of the board's own time span.
        NotOpen = "not-open",
        /// `at` is more than 5 minutes ahead.
        FromTheFuture = "from-the-future",
        /// Every contribution of the request was rejected.
        NothingApplied = "nothing-applied",
        /// The key or the address exceeds its rate limit.
        TooManyRequests = "too-many-requests",
        /// The server is overloaded; definitely not applied.
        Overloaded = "overloaded",
        /// The store could not apply it; definitely not applied.
        Unavailable = "unavailable",
        /// The response of the store did not arrive; possibly applied.
        Unknown = "unknown",
    }
}

impl Display for ProblemType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The members of a problem document that this crate reads.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Document {
    status: u16,
    r#type: String,
    title: String,
    detail: String,
}

impl Problem {
    /// Parses the body of an error response, which need not be a problem document.
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
            kind: document.r#type.into(),
            title: document.title,
            detail: document.detail,
            retry_after,
        }
    }

    /// Parses the problem of a stream event, which contains its own status.
    pub(crate) fn from_event(text: &[u8]) -> Self {
        let document: Document = serde_json::from_slice(text).unwrap_or_default();
        Self::read(document.status, text, None)
    }

    /// Returns whether the request may have been applied despite the error.
    pub(crate) fn is_undecided(&self) -> bool {
        match self.status {
            // A 503 of any other type is returned before anything is applied.
            503 => self.kind == ProblemType::Unknown,
            // The body took too long, a gateway lost the server, or the server failed.
            408 | 500.. => true,
            _ => false,
        }
    }

    /// Returns whether the same request may succeed later.
    pub(crate) fn is_temporary(&self) -> bool {
        matches!(self.status, 408 | 429 | 502 | 503 | 504)
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (&*self.title, &*self.detail) {
            ("", "") => write!(f, "the server returned status {}", self.status),
            ("", detail) => write!(f, "the server returned status {}: {detail}", self.status),
            (title, "") => f.write_str(title),
            (title, detail) => write!(f, "{title}: {detail}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problem_documents_and_other_bodies_are_shown() {
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
            "the server returned status 502: <h1>Bad gateway</h1>"
        );
        assert!(problem.is_undecided() && problem.is_temporary());
        assert_eq!(read(500, "").to_string(), "the server returned status 500");
    }

    #[test]
    fn a_503_is_undecided_only_with_type_unknown() {
        let read = |body: &str| Problem::read(503, body.as_bytes(), None);
        assert!(read(r#"{"type":"unknown"}"#).is_undecided());
        for body in [r#"{"type":"unavailable"}"#, r#"{"type":"overloaded"}"#, ""] {
            assert!(!read(body).is_undecided(), "{body}");
        }
    }
}
