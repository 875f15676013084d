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
    NoAuditLog,
    MethodNotAllowed,
    UnknownHost,
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
    pub const ALL: [Self; 31] = [
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
        Self::NoAuditLog,
        Self::MethodNotAllowed,
        Self::UnknownHost,
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
            | Self::NoProfile
            | Self::NoAuditLog => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::UnknownHost => StatusCode::MISDIRECTED_REQUEST,
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
            Self::Malformed => ("malformed", "Malformed JSON"),
            Self::Invalid => ("invalid", "Invalid request"),
            Self::Unauthorized => ("unauthorized", "No valid key"),
            Self::Forbidden => ("forbidden", "Not permitted"),
            Self::UnknownKind => ("unknown-kind", "Unknown kind"),
            Self::UnknownBoard => ("unknown-board", "Unknown board"),
            Self::UnknownWindow => ("unknown-window", "Unknown window"),
            Self::UnknownPath => ("unknown-path", "Unknown path"),
            Self::NotRanked => ("not-ranked", "Member not ranked"),
            Self::NotListed => ("not-listed", "Member not on the list"),
            Self::NoProfile => ("no-profile", "No profile"),
            Self::NoAuditLog => ("no-audit-log", "No audit log"),
            Self::MethodNotAllowed => ("method-not-allowed", "Method not allowed"),
            Self::UnknownHost => ("unknown-host", "Unknown host"),
            Self::TooSlow => ("too-slow", "Body too slow"),
            Self::Conflict => ("conflict", "Conflict"),
            Self::BoardExists => ("board-exists", "Board already exists"),
            Self::KindHasBoards => ("kind-has-boards", "Kind has boards"),
            Self::WindowGone => ("window-gone", "Window no longer kept"),
            Self::PreconditionFailed => ("precondition-failed", "Precondition failed"),
            Self::TooLarge => ("too-large", "Too large"),
            Self::UnsupportedMediaType => ("unsupported-media-type", "Unsupported media type"),
            Self::OutOfRange => ("out-of-range", "Value out of range"),
            Self::WindowClosed => ("window-closed", "Windows closed"),
            Self::NotOpen => ("not-open", "Board not open"),
            Self::FromTheFuture => ("from-the-future", "Time in the future"),
            Self::NothingApplied => ("nothing-applied", "Nothing applied"),
            Self::TooManyRequests => ("too-many-requests", "Too many requests"),
            Self::Overloaded => ("overloaded", "Overloaded"),
            Self::Unavailable => ("unavailable", "Store unavailable"),
            Self::Unknown => ("unknown", "Outcome unknown"),
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
