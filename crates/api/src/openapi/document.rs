//! The document, made from the handlers and their types.

use std::collections::BTreeMap;

use axum::http::Method;
use serde_json::Value;
use utoipa::OpenApi as _;
use utoipa::openapi::schema::{Ref, Schema};
use utoipa::openapi::{Components, OpenApi, RefOr, Response};
use wire::problem::{ProblemShape, ProblemType};
use wire::{OwnPositionWritten, ProfileLineShape, TopWritten};

use super::board_response::BoardResponse;
use super::gate::operations;
use super::{described, gate};
use crate::feeds::written::ChangesWritten;
use crate::openapi::problems::problems_of;
use crate::route::Documented;
use crate::stream::NoPositionShape;

/// Event `member` of a stream.
type OwnPositionResponse = BoardResponse<OwnPositionWritten>;

/// The same for a member that is not ranked.
type NoPositionResponse = BoardResponse<NoPositionShape<'static>>;

/// What the routes have in common.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Megaboard",
        description = "Leaderboards that are exact at any size: contributions in, ranks out.\n\n\
            A **kind** is a set of rules, a **board** is a kind and a subject, a **member** is ranked on it, \
            in each **window** of time. Errors are RFC 9457 problems with a stable `type`. Unknown parameters \
            and fields are errors. Times are RFC 3339 in UTC, with microseconds.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "Contributions", description = "Writing."),
        (name = "Reading", description = "Exact standings, ranks and counts of a board."),
        (name = "Streams", description = "Boards as they change, as server-sent events."),
        (name = "Boards", description = "Boards, and their settings before the first contribution."),
        (name = "Members", description = "Members on all boards: hide, show, erase."),
        (name = "Profiles", description = "Names, avatars and data of members, for all boards of a kind."),
        (name = "Kinds", description = "The rules of boards."),
        (name = "Service", description = "The server."),
    ),
    // Schemas that are no body by themselves: events of streams, problems, lines.
    components(schemas(
        ProblemShape<'static>,
        ProfileLineShape,
        TopWritten,
        ChangesWritten,
        OwnPositionResponse,
        NoPositionResponse,
    )),
)]
struct Contract;

/// Returns the whole document.
pub(super) fn document() -> OpenApi {
    let mut document = Contract::openapi().merge_from(Documented::openapi());
    document.info.contact = None;
    described::add_to(&mut document);
    gate::add_to(&mut document);
    name_problems(&mut document);
    leave_out_absent_defaults(&mut document);
    document
}

/// Leaves out defaults that are null: these settings are absent by default, and must not be null.
fn leave_out_absent_defaults(document: &mut OpenApi) {
    let components = document.components.iter_mut();
    let schemas = components.flat_map(|components| components.schemas.values_mut());
    for schema in schemas {
        let RefOr::T(Schema::Object(object)) = schema else {
            continue;
        };
        for property in object.properties.values_mut() {
            if let RefOr::T(Schema::Object(property)) = property
                && property.default == Some(Value::Null)
            {
                property.default = None;
            }
        }
    }
}

/// Returns the paths and methods of the document.
pub(super) fn documented() -> Vec<(String, Vec<Method>)> {
    let methods = |(path, mut item): (String, _)| {
        let methods = operations(&mut item).map(|(method, _)| method);
        (path, methods.collect())
    };
    document().paths.paths.into_iter().map(methods).collect()
}

/// Names the responses that have only problems, since many operations have the same ones.
fn name_problems(document: &mut OpenApi) {
    let mut named = BTreeMap::new();
    for item in document.paths.paths.values_mut() {
        for (_, operation) in operations(item) {
            for response in operation.responses.responses.values_mut() {
                let RefOr::T(described) = response else {
                    continue;
                };
                let Some(words) = words_of(described) else {
                    continue;
                };
                let reference = Ref::from_response_name(&words);
                let described = std::mem::replace(response, RefOr::Ref(reference));
                named.insert(words, described);
            }
        }
    }
    let components = document.components.get_or_insert_with(Components::new);
    components.responses.extend(named);
}

/// Returns the name of a response: the words of its problems. `None` if it has others.
fn words_of(response: &Response) -> Option<String> {
    let words = problems_of(response)?.into_iter().map(ProblemType::word);
    Some(words.collect::<Vec<_>>().join("."))
}
