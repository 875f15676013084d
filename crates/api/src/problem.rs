//! Errors on the wire: RFC 9457 problem details. The one place where an error becomes a status.
//!
//! `type` is a stable word, a relative reference as the RFC allows; `docs/http.md` lists them.
//! Items of a batch carry the same words.

mod causes;

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use board::{BoardName, Member};
use serde::Serialize;
use serde_json::{Map, Value as Json};
use shard_store::Overload;

use crate::target::ReadWindow;

/// After how long a client may try a store again that was away.
const RETRY_AFTER_MIN: Duration = Duration::from_secs(1);

/// After how long it may try one that has more to do: much can change by then.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(30);

/// Characters of a detail, and of any other text of a caller that an answer repeats.
const SHOWN_CHARS_MAX: usize = 200;

/// Of them those of the end of a longer text, where a detail says what is accepted.
const SHOWN_END_CHARS: usize = 60;

/// Returns a text, with its middle left out where it has more characters than a detail may have.
#[must_use]
pub fn shortened(text: impl Into<String>) -> String {
    let text = text.into();
    // No text has more characters than bytes.
    if text.len() <= SHOWN_CHARS_MAX || text.chars().nth(SHOWN_CHARS_MAX).is_none() {
        return text;
    }
    let start = text.chars().take(SHOWN_CHARS_MAX - SHOWN_END_CHARS - 1);
    let mut shown: String = start.chain(['…']).collect();
    let end = text.char_indices().rev().nth(SHOWN_END_CHARS - 1);
    shown.push_str(end.map_or("", |(begin, _)| &text[begin..]));
    shown
}

/// What kind of error it is: status, type and title belong together.
// The document has the variants' names for words, which a test holds to be those below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(
    test,
    schema(
        rename_all = "kebab-case",
        description = "What went wrong, as a stable word."
    )
)]
pub(crate) enum ProblemType {
    Malformed,
    Invalid,
    Unauthorized,
    Forbidden,
    UnknownKind,
    UnknownBoard,
    UnknownWindow,
    UnknownPath,
    NotRanked,
    NotListed,
    MethodNotAllowed,
    UnknownHost,
    TargetTooLong,
    HeadTooLarge,
    TooSlow,
    Conflict,
    BoardExists,
    KindHasBoards,
    WindowGone,
    PreconditionFailed,
    TooLarge,
    UnsupportedMediaType,
    OutOfRange,
    WindowClosed,
    NotOpen,
    FromTheFuture,
    TooManyRequests,
    Overloaded,
    Unavailable,
    Unknown,
}

impl ProblemType {
    /// Every type, in the order of their declaration.
    pub(crate) const ALL: [Self; 30] = [
        Self::Malformed,
        Self::Invalid,
        Self::Unauthorized,
        Self::Forbidden,
        Self::UnknownKind,
        Self::UnknownBoard,
        Self::UnknownWindow,
        Self::UnknownPath,
        Self::NotRanked,
        Self::NotListed,
        Self::MethodNotAllowed,
        Self::UnknownHost,
        Self::TargetTooLong,
        Self::HeadTooLarge,
        Self::TooSlow,
        Self::Conflict,
        Self::BoardExists,
        Self::KindHasBoards,
        Self::WindowGone,
        Self::PreconditionFailed,
        Self::TooLarge,
        Self::UnsupportedMediaType,
        Self::OutOfRange,
        Self::WindowClosed,
        Self::NotOpen,
        Self::FromTheFuture,
        Self::TooManyRequests,
        Self::Overloaded,
        Self::Unavailable,
        Self::Unknown,
    ];

    pub(crate) const fn status(self) -> StatusCode {
        match self {
            Self::Malformed | Self::Invalid => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::UnknownKind
            | Self::UnknownBoard
            | Self::UnknownWindow
            | Self::UnknownPath
            | Self::NotRanked
            | Self::NotListed => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::UnknownHost => StatusCode::MISDIRECTED_REQUEST,
            Self::TargetTooLong => StatusCode::URI_TOO_LONG,
            Self::HeadTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Conflict | Self::BoardExists | Self::KindHasBoards => StatusCode::CONFLICT,
            Self::WindowGone => StatusCode::GONE,
            Self::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::OutOfRange | Self::WindowClosed | Self::NotOpen | Self::FromTheFuture => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
            Self::Overloaded | Self::Unavailable | Self::Unknown => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    pub(crate) const fn word_and_title(self) -> (&'static str, &'static str) {
        match self {
            Self::Malformed => ("malformed", "The body is no JSON"),
            Self::Invalid => ("invalid", "The request is not valid"),
            Self::Unauthorized => ("unauthorized", "The request has no valid key"),
            Self::Forbidden => ("forbidden", "The key is not for this"),
            Self::UnknownKind => ("unknown-kind", "There is no such kind"),
            Self::UnknownBoard => ("unknown-board", "There is no such board"),
            Self::UnknownWindow => ("unknown-window", "The kind has no such window"),
            Self::UnknownPath => ("unknown-path", "There is nothing here"),
            Self::NotRanked => ("not-ranked", "The member is not ranked"),
            Self::NotListed => ("not-listed", "The member is not on the list"),
            Self::MethodNotAllowed => ("method-not-allowed", "The path has no such method"),
            Self::UnknownHost => ("unknown-host", "The server does not go by this name"),
            Self::TargetTooLong => ("target-too-long", "The target of the request is too long"),
            Self::HeadTooLarge => ("head-too-large", "The head of the request is too large"),
            Self::TooSlow => ("too-slow", "The body did not arrive in time"),
            Self::Conflict => ("conflict", "Something else is in the way"),
            Self::BoardExists => ("board-exists", "The board has contributions"),
            Self::KindHasBoards => ("kind-has-boards", "The kind has boards"),
            Self::WindowGone => ("window-gone", "The window is no longer kept"),
            Self::PreconditionFailed => ("precondition-failed", "It has changed meanwhile"),
            Self::TooLarge => ("too-large", "The body is too large"),
            Self::UnsupportedMediaType => (
                "unsupported-media-type",
                "The body is of another media type",
            ),
            Self::OutOfRange => ("out-of-range", "A value would leave the exact range"),
            Self::WindowClosed => ("window-closed", "No window takes it any more"),
            Self::NotOpen => ("not-open", "The board does not take it at this time"),
            Self::FromTheFuture => ("from-the-future", "Its time has not come"),
            Self::TooManyRequests => ("too-many-requests", "Too many requests"),
            Self::Overloaded => ("overloaded", "The server has more to do than it takes"),
            Self::Unavailable => ("unavailable", "The store could not take it"),
            Self::Unknown => ("unknown", "The store's answer did not arrive"),
        }
    }

    /// Whether the store or its load is to blame, and not the request: what failed so may be sent again.
    pub(crate) const fn is_of_store(self) -> bool {
        matches!(self, Self::Overloaded | Self::Unavailable | Self::Unknown)
    }

    pub(crate) const fn word(self) -> &'static str {
        self.word_and_title().0
    }
}

/// An error as clients see it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemType,
    pub(crate) detail: String,
    /// Of a 503: about how long until it is worth another try.
    pub(crate) wait: Duration,
    /// Further members of the body.
    more: Map<String, Json>,
}

impl Problem {
    pub(crate) fn new(kind: ProblemType, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: shortened(detail),
            wait: Duration::ZERO,
            more: Map::new(),
        }
    }

    /// Asks to wait for so long.
    pub(crate) const fn after(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ProblemType::Invalid, detail)
    }

    pub(crate) fn unknown_kind(name: &str) -> Self {
        Self::new(
            ProblemType::UnknownKind,
            format!("kind {name:?} is not known"),
        )
    }

    pub(crate) fn not_ranked(member: &Member, window: &str) -> Self {
        let member = member.as_str();
        Self::new(
            ProblemType::NotRanked,
            format!("member {member:?} is not ranked in {window}"),
        )
    }

    pub(crate) fn not_listed(member: &Member, window: &ReadWindow) -> Self {
        let (member, name) = (member.as_str(), window.name());
        let best = window
            .listed
            .map_or_else(String::new, |listed| format!(" {listed}"));
        Self::new(
            ProblemType::NotListed,
            format!(
                "member {member:?} is not among the best{best} of {name}: it has no neighbours"
            ),
        )
    }

    /// A board that was to be deleted is not there.
    pub(crate) fn unknown_board(name: &BoardName) -> Self {
        Self::new(
            ProblemType::UnknownBoard,
            format!("there is no board \"{name}\""),
        )
    }

    pub(crate) fn window_gone(window: &str) -> Self {
        Self::new(
            ProblemType::WindowGone,
            format!("window: {window} is past its retention"),
        )
    }

    /// Asks to come back when what waits now is done.
    fn overloaded(detail: &impl ToString, overload: &Overload) -> Self {
        Self::new(ProblemType::Overloaded, detail.to_string()).after(overload.wait)
    }

    /// Says which element of the request it is about.
    pub(crate) fn at(mut self, place: &str) -> Self {
        self.detail = shortened(format!("{place}: {}", self.detail));
        self
    }

    /// As it is told of one item of a batch: a line that is no JSON is an item that is not valid.
    pub(crate) fn of_item(mut self) -> Self {
        if self.kind == ProblemType::Malformed {
            self.kind = ProblemType::Invalid;
        }
        self
    }

    /// Adds the members of an object to the body.
    pub(crate) fn with(mut self, more: impl Serialize) -> Self {
        if let Ok(Json::Object(more)) = serde_json::to_value(more) {
            self.more.extend(more);
        }
        self
    }
}

/// What went wrong (RFC 9457). A few problems have further members, such as the receipt so far.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Problem))]
pub(crate) struct ProblemShape<'a> {
    #[cfg_attr(test, schema(value_type = ProblemType))]
    r#type: &'static str,
    /// The same for all of a type.
    title: &'static str,
    /// The status of the answer.
    status: u16,
    /// What is wrong here: names the field and its value, in at most 200 characters.
    #[cfg_attr(test, schema(max_length = 200))]
    detail: &'a str,
    #[serde(flatten)]
    #[cfg_attr(test, schema(ignore))]
    more: &'a Map<String, Json>,
}

impl Problem {
    /// The body.
    pub(crate) fn json(&self) -> Vec<u8> {
        let status = self.kind.status();
        let (word, title) = self.kind.word_and_title();
        let shape = ProblemShape {
            r#type: word,
            title,
            status: status.as_u16(),
            detail: &self.detail,
            more: &self.more,
        };
        serde_json::to_vec(&shape).expect("a problem is JSON, and memory is no file")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.kind.status();
        let mut response = (status, self.json()).into_response();
        // For who counts.
        response.extensions_mut().insert(self.kind);
        let headers = response.headers_mut();
        let media_type = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, media_type);
        // A cache may keep a 404 or 410 by itself; what is refused now may be answered in a moment.
        let no_store = HeaderValue::from_static("no-store");
        headers.insert(header::CACHE_CONTROL, no_store);
        if status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, retry_after_s(self.wait).into());
        }
        response
    }
}

/// Whole seconds.
fn retry_after_s(wait: Duration) -> u64 {
    let wait = wait.clamp(RETRY_AFTER_MIN, RETRY_AFTER_MAX);
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_stands_at_its_place() {
        for (place, kind) in ProblemType::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place, "{}", kind.word());
        }
        assert_eq!(ProblemType::ALL.last(), Some(&ProblemType::Unknown));
    }

    #[test]
    fn a_detail_has_at_most_200_characters_however_long_the_value() {
        for count in [0, 1, 199, 200] {
            let whole = "é".repeat(count);
            assert_eq!(Problem::invalid(whole.clone()).detail, whole);
        }
        for count in [201, 1_000, 1 << 20] {
            for value in ["x", "é", "👍"] {
                let text = format!("member: {:?} is not it", value.repeat(count));
                let problem = Problem::invalid(text).at("boards[1]");
                let shown = &problem.detail;
                assert_eq!(shown.chars().count(), SHOWN_CHARS_MAX, "{shown}");
                assert!(shown.starts_with("boards[1]: member: \""), "{shown}");
                assert!(shown.ends_with(" is not it"), "{shown}");
                assert!(shown.capacity() <= 4 * 4 * SHOWN_CHARS_MAX);
            }
        }
    }
}
