//! Problems as responses of the document. Their statuses and words come from [`ProblemType`].

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

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
            .iter()
            .copied()
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
fn detail_of(problem: ProblemType) -> String {
    static DETAILS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
        serde_json::from_str(include_str!("details.json")).expect("details by the words of types")
    });
    DETAILS[problem.word()].clone()
}
