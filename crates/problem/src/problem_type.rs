//! The types of problems, each with a stable word, a title and a status: [`ProblemType`].

use axum::http::StatusCode;

/// The type of an error, which determines its status and title.
// The OpenAPI document derives the words from the names of the variants. A test checks that they are those below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "their words and titles say it")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "schema",
    schema(
        rename_all = "kebab-case",
        description = "What went wrong, as a stable word."
    )
)]
pub enum ProblemType {
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
    NoProfile,
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
    NothingApplied,
    TooManyRequests,
    Overloaded,
    Unavailable,
    Unknown,
}

impl ProblemType {
    /// Every type, in the order of their declaration.
    pub const ALL: [Self; 32] = [
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
        Self::NoProfile,
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
        Self::NothingApplied,
        Self::TooManyRequests,
        Self::Overloaded,
        Self::Unavailable,
        Self::Unknown,
    ];

    /// Returns the status of the response.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::Malformed | Self::Invalid => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::UnknownKind
            | Self::UnknownBoard
            | Self::UnknownWindow
            | Self::UnknownPath
            | Self::NotRanked
            | Self::NotListed
            | Self::NoProfile => StatusCode::NOT_FOUND,
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
            Self::OutOfRange
            | Self::WindowClosed
            | Self::NotOpen
            | Self::FromTheFuture
            | Self::NothingApplied => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
            Self::Overloaded | Self::Unavailable | Self::Unknown => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Returns the word in `type`, and the title.
    #[must_use]
    pub const fn word_and_title(self) -> (&'static str, &'static str) {
        match self {
            Self::Malformed => ("malformed", "The body is not valid JSON"),
            Self::Invalid => ("invalid", "The request is not valid"),
            Self::Unauthorized => ("unauthorized", "The request has no valid key"),
            Self::Forbidden => ("forbidden", "The key does not permit this request"),
            Self::UnknownKind => ("unknown-kind", "The kind does not exist"),
            Self::UnknownBoard => ("unknown-board", "The board does not exist"),
            Self::UnknownWindow => ("unknown-window", "The kind does not have this window"),
            Self::UnknownPath => ("unknown-path", "The path does not exist"),
            Self::NotRanked => ("not-ranked", "The member is not ranked"),
            Self::NotListed => ("not-listed", "The member is not on the list"),
            Self::NoProfile => ("no-profile", "The member has no profile"),
            Self::MethodNotAllowed => ("method-not-allowed", "The path has no such method"),
            Self::UnknownHost => ("unknown-host", "The host is not a name of this server"),
            Self::TargetTooLong => ("target-too-long", "The target of the request is too long"),
            Self::HeadTooLarge => ("head-too-large", "The head of the request is too large"),
            Self::TooSlow => ("too-slow", "The body did not arrive in time"),
            Self::Conflict => ("conflict", "The request conflicts with the current state"),
            Self::BoardExists => ("board-exists", "The board has contributions"),
            Self::KindHasBoards => ("kind-has-boards", "The kind has boards"),
            Self::WindowGone => ("window-gone", "The window is no longer kept"),
            Self::PreconditionFailed => {
                ("precondition-failed", "It has been changed in the meantime")
            }
            Self::TooLarge => ("too-large", "The body is too large"),
            Self::UnsupportedMediaType => (
                "unsupported-media-type",
                "The body is of another media type",
            ),
            Self::OutOfRange => (
                "out-of-range",
                "A value would be outside of the exact range",
            ),
            Self::WindowClosed => ("window-closed", "All windows of this time are closed"),
            Self::NotOpen => (
                "not-open",
                "The board does not accept contributions at this time",
            ),
            Self::FromTheFuture => ("from-the-future", "The time is too far in the future"),
            Self::NothingApplied => ("nothing-applied", "Every contribution was rejected"),
            Self::TooManyRequests => ("too-many-requests", "Too many requests"),
            Self::Overloaded => ("overloaded", "The server is overloaded"),
            Self::Unavailable => ("unavailable", "The store is unavailable"),
            Self::Unknown => (
                "unknown",
                "The store did not respond, and the outcome is unknown",
            ),
        }
    }

    /// Returns whether the store or its load caused the error, not the request. Such a request may be retried.
    #[must_use]
    pub const fn is_of_store(self) -> bool {
        matches!(self, Self::Overloaded | Self::Unavailable | Self::Unknown)
    }

    /// Returns the word in `type`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        self.word_and_title().0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_types_are_listed_in_the_order_of_their_declaration() {
        for (index, kind) in ProblemType::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, index, "{}", kind.word());
        }
        assert_eq!(ProblemType::ALL.last(), Some(&ProblemType::Unknown));
    }
}
