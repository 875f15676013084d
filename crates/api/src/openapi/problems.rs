//! Problems as responses of the document. Their statuses and words come from [`ProblemType`].

use std::collections::BTreeMap;

use serde_json::json;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::schema::{AllOfBuilder, ObjectBuilder, Ref, SchemaType, Type};
use utoipa::openapi::{ContentBuilder, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema as _};
use wire::problem::{ProblemShape, ProblemType};

/// The media type of problems.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

type Responses = BTreeMap<String, RefOr<Response>>;

/// Returns the responses for these problems, by status.
#[must_use]
pub(crate) fn responses_for(problems: &[ProblemType]) -> Responses {
    let mut by_status: BTreeMap<u16, Vec<ProblemType>> = BTreeMap::new();
    for problem in problems {
        let status = problem.status().as_u16();
        by_status.entry(status).or_default().push(*problem);
    }
    let response = |(status, problems): (u16, Vec<_>)| {
        let response = response(status, &problems);
        (status.to_string(), response.into())
    };
    by_status.into_iter().map(response).collect()
}

/// Returns the problems that a response describes; `None` if it describes something else.
#[must_use]
pub(crate) fn problems_of(response: &Response) -> Option<Vec<ProblemType>> {
    if !response.content.contains_key(MEDIA_TYPE) {
        return None;
    }
    let words = response.description.split("\n\n");
    let words = words.filter_map(|line| line.strip_prefix('`')?.split('`').next());
    let problem = |word| {
        ProblemType::ALL
            .into_iter()
            .find(|problem| problem.word() == word)
    };
    Some(words.filter_map(problem).collect())
}

fn response(status: u16, problems: &[ProblemType]) -> Response {
    let meanings = problems.iter().map(|problem| {
        let (word, title) = problem.word_and_title();
        format!("`{word}`: {title}.")
    });
    let words = problems.iter().map(|problem| problem.word());
    let only = ObjectBuilder::new()
        .schema_type(SchemaType::new(Type::Object))
        .property(
            "type",
            ObjectBuilder::new()
                .schema_type(Type::String)
                .enum_values(Some(words)),
        );
    let schema = AllOfBuilder::new()
        .item(Ref::from_schema_name(ProblemShape::name()))
        .item(only);
    let (word, title) = problems[0].word_and_title();
    let example = json!({
        "type": word, "title": title, "status": status, "detail": detail_of(problems[0]),
    });
    let content = ContentBuilder::new()
        .schema(Some(schema))
        .example(Some(example));
    let response = ResponseBuilder::new()
        .description(meanings.collect::<Vec<_>>().join("\n\n"))
        .content(MEDIA_TYPE, content.build());
    let (name, what) = match status {
        401 => ("www-authenticate", "`Bearer`."),
        429 | 503 => ("retry-after", "The seconds after which to retry."),
        _ => return response.build(),
    };
    let text = ObjectBuilder::new().schema_type(Type::String);
    let header = HeaderBuilder::new()
        .schema(Some(text))
        .description(Some(what))
        .build();
    response.header(name, header).build()
}

/// Groups of problems that several routes have.
macro_rules! groups {
    ($($(#[$doc:meta])* $name:ident: $($problem:ident)*;)*) => {
        $($(#[$doc])*
        pub(crate) struct $name;

        impl IntoResponses for $name {
            fn responses() -> Responses {
                responses_for(&[$(ProblemType::$problem),*])
            }
        })*
    };
}

groups! {
    /// Of the store alone.
    OfStore: Unavailable Unknown;
    /// Of what names a kind.
    OfKind: UnknownKind;
    /// Of a member's profile that is read.
    OfProfile: UnknownKind NoProfile;
    /// Of the audit log.
    OfAudit: NoAuditLog;
    /// Of a kind that is put.
    OfKindPut: Conflict KindHasBoards PreconditionFailed;
    /// Of a kind that is deleted.
    OfKindDelete: UnknownKind Conflict KindHasBoards PreconditionFailed;
    /// Of a read of one window.
    OfWindow: UnknownKind UnknownWindow WindowGone;
    /// Of a read of one window that brings values.
    OfScore: UnknownKind UnknownWindow WindowGone OutOfRange;
    /// Of a read of a member's place.
    OfMember: UnknownKind UnknownWindow NotRanked WindowGone;
    /// Of a read of a member's neighbours.
    OfNeighbours: UnknownKind UnknownWindow NotRanked NotListed WindowGone;
    /// Of a board's settings.
    OfSettings: UnknownKind Conflict BoardExists;
    /// Of a member that is hidden.
    OfHiding: UnknownKind Conflict;
    /// Of a board that is deleted.
    OfBoardDelete: UnknownKind UnknownBoard;
    /// Of a standing set outright.
    OfWrite: UnknownKind UnknownWindow WindowGone OutOfRange WindowClosed NotOpen FromTheFuture;
    /// Of a batch of contributions.
    OfBatch: UnknownKind UnknownWindow WindowGone OutOfRange WindowClosed NotOpen FromTheFuture NothingApplied;
    /// Of a member that is removed.
    OfRemoval: UnknownKind UnknownWindow WindowGone NotOpen;
}

/// Returns an example of what the server sends as the detail of a problem of this type.
const fn detail_of(problem: ProblemType) -> &'static str {
    use ProblemType as P;
    match problem {
        P::Malformed => "EOF while parsing an object at line 1 column 12",
        P::Invalid => "n: \"0\" is not a whole number from 1 to 1000",
        P::Unauthorized => "authorization: the key is unknown",
        P::Forbidden => "key \"stream-ingest\" has scope write; this request requires admin",
        P::UnknownKind => {
            "kind \"gift\" is not known: GET /v1/kinds lists the kinds, PUT /v1/kinds/{kind} creates one"
        }
        P::UnknownBoard => {
            "there is no board \"gifts/room-8842\": its first contribution creates it"
        }
        P::UnknownWindow => "window: kind races has no day windows, only week, all",
        P::UnknownPath => "path \"/v2\" is not known",
        P::NotRanked => "member \"u1\" is not ranked in day:2026-11-20",
        P::NotListed => {
            "member \"u1\" is not among the best 1000 of day:2026-11-20: it has no neighbours"
        }
        P::NoAuditLog => "this server writes no audit log: start it with --audit-log FILE",
        P::NoProfile => "member \"u1\" has no profile in kind gifts",
        P::MethodNotAllowed => "GET is not supported on path \"/v1/top\"",
        P::UnknownHost => {
            "host: \"boards.example\" is not a name of this server: add it to server.hosts, or create keys"
        }
        P::TooSlow => "the body sent nothing for 30 s",
        P::Conflict => "kind gifts is being changed by another request: retry",
        P::BoardExists => {
            "the board has contributions already: its settings can be set again after it has been deleted"
        }
        P::KindHasBoards => {
            "fields: cannot change while the kind has boards: standings are folded and ordered by the fields"
        }
        P::WindowGone => "window: day:2026-01-01 is past its retention",
        P::PreconditionFailed => "if-match: it is \"3f9a0c1d22b4e7a1\" now",
        P::TooLarge => "the body is larger than 16777216 bytes",
        P::UnsupportedMediaType => "content-type: \"text/plain\" is not application/json",
        P::OutOfRange => "points: 9007199254740992 is outside ±9007199254740991",
        P::WindowClosed => {
            "at: every window of the kind that 2026-11-20T14:52:22.123456Z falls into is closed"
        }
        P::NotOpen => {
            "at: 2026-11-20T14:52:22.123456Z is outside of the board's activity, from \
             2026-11-20T20:00:00.000000Z until 2026-11-20T20:15:00.000000Z"
        }
        P::FromTheFuture => {
            "at: 2026-11-20T15:52:22.123456Z is more than 5 minutes ahead of the server's clock, \
             2026-11-20T14:52:22.123456Z"
        }
        P::NothingApplied => {
            "nothing was applied; 3 rejected: points: 9007199254740992 is outside ±9007199254740991"
        }
        P::TooManyRequests => "key \"stream-ingest\" sends too many requests; retry after 1 s",
        P::Overloaded => "8192 requests are under way already",
        P::Unavailable => "10.0.0.2:6379: Connection refused",
        P::Unknown => "10.0.0.1:6379: no answer in time",
    }
}
