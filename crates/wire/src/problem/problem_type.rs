//! The types of problems, each with a stable word, a title and a status: [`ProblemType`].

use axum::http::StatusCode;

/// Declares the types, in the order of the metrics: a name, its status, its word and its title.
macro_rules! problem_types {
    ($($name:ident $status:ident $word:literal $title:literal;)*) => {
        /// The type of an error, which determines its status and title.
        // The OpenAPI document derives the words from the names of the variants. A test checks that they are these.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "their words and titles say it")]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[cfg_attr(
            feature = "schema",
            schema(rename_all = "kebab-case", description = "What went wrong, as a stable word.")
        )]
        pub enum ProblemType {
            $($name,)*
        }

        impl ProblemType {
            /// Every type, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the status of the response.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self {
                    $(Self::$name => StatusCode::$status,)*
                }
            }

            /// Returns the word in `type`, and the title.
            #[must_use]
            pub const fn word_and_title(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$name => ($word, $title),)*
                }
            }
        }
    };
}

problem_types! {
    Malformed BAD_REQUEST "malformed" "Malformed JSON";
    Invalid BAD_REQUEST "invalid" "Invalid request";
    Unauthorized UNAUTHORIZED "unauthorized" "No valid key";
    Forbidden FORBIDDEN "forbidden" "Not permitted";
    UnknownKind NOT_FOUND "unknown-kind" "Unknown kind";
    UnknownBoard NOT_FOUND "unknown-board" "Unknown board";
    UnknownWindow NOT_FOUND "unknown-window" "Unknown window";
    UnknownPath NOT_FOUND "unknown-path" "Unknown path";
    NotRanked NOT_FOUND "not-ranked" "Member not ranked";
    NotListed NOT_FOUND "not-listed" "Member not on the list";
    NoProfile NOT_FOUND "no-profile" "No profile";
    NoAuditLog NOT_FOUND "no-audit-log" "No audit log";
    MethodNotAllowed METHOD_NOT_ALLOWED "method-not-allowed" "Method not allowed";
    UnknownHost MISDIRECTED_REQUEST "unknown-host" "Unknown host";
    TooSlow REQUEST_TIMEOUT "too-slow" "Body too slow";
    Conflict CONFLICT "conflict" "Conflict";
    BoardExists CONFLICT "board-exists" "Board already exists";
    KindHasBoards CONFLICT "kind-has-boards" "Kind has boards";
    WindowGone GONE "window-gone" "Window no longer kept";
    PreconditionFailed PRECONDITION_FAILED "precondition-failed" "Precondition failed";
    TooLarge PAYLOAD_TOO_LARGE "too-large" "Too large";
    UnsupportedMediaType UNSUPPORTED_MEDIA_TYPE "unsupported-media-type" "Unsupported media type";
    OutOfRange UNPROCESSABLE_ENTITY "out-of-range" "Value out of range";
    WindowClosed UNPROCESSABLE_ENTITY "window-closed" "Windows closed";
    NotOpen UNPROCESSABLE_ENTITY "not-open" "Board not open";
    FromTheFuture UNPROCESSABLE_ENTITY "from-the-future" "Time in the future";
    NothingApplied UNPROCESSABLE_ENTITY "nothing-applied" "Nothing applied";
    TooManyRequests TOO_MANY_REQUESTS "too-many-requests" "Too many requests";
    Overloaded SERVICE_UNAVAILABLE "overloaded" "Overloaded";
    Unavailable SERVICE_UNAVAILABLE "unavailable" "Store unavailable";
    Unknown SERVICE_UNAVAILABLE "unknown" "Outcome unknown";
}

impl ProblemType {
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
