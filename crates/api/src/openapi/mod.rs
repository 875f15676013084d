//! The contract as a file: `/openapi.json`, made from the handlers and their types.
//!
//! Each handler says what it takes and answers (`#[utoipa::path]`), and [`routes`](crate::router)
//! registers it by that alone, so that no route is served without. What is the same for many stands
//! here: `params` what they take, `problems` what may go wrong, `gate` what stands before all of them.
//! `docs/openapi.json` is what comes of it, held against it by a test.

mod gate;
pub(crate) mod params;
pub(crate) mod problems;

use std::sync::LazyLock;

use bytes::Bytes;
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;

use crate::problem::ProblemShape;
use crate::router::routes;
use crate::stream::{ChangesWritten, NoPlaceShape, OwnPlaceShape};
use crate::wire::{Answer, TopWritten};

/// Event `member` of a stream.
type OwnPlaceAnswer = Answer<OwnPlaceShape<'static>>;

/// The same of one who is not ranked.
type NoPlaceAnswer = Answer<NoPlaceShape<'static>>;

/// What holds for all routes.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Megaboard",
        description = "Leaderboards that are exact at any size: contributions in, ranks out.\n\n\
            A **kind** is a set of rules, a **board** is a kind and a subject, a **member** is ranked on it, \
            in each **window** of time. Errors are RFC 9457 problems with a stable `type`. Unknown parameters \
            and fields are errors. Times are RFC 3339 in UTC, with milliseconds.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "Contributions", description = "What changes standings."),
        (name = "Reading", description = "Standings, ranks and counts of one board, each exact."),
        (name = "Streams", description = "Boards as they move, as server-sent events."),
        (name = "Boards", description = "Boards, and their settings before the first contribution."),
        (name = "Members", description = "One member on every board: hidden, shown again, erased."),
        (name = "Kinds", description = "The rules of boards."),
        (name = "Service", description = "The server itself."),
    ),
    // What is in no response by itself: events of streams, and what all problems are.
    components(schemas(
        ProblemShape<'static>,
        TopWritten,
        ChangesWritten,
        OwnPlaceAnswer,
        NoPlaceAnswer,
    )),
)]
struct Contract;

/// The document before any route is in it.
pub(crate) fn begun() -> OpenApi {
    let mut document = Contract::openapi();
    document.info.contact = None;
    document
}

/// The whole document.
pub(crate) fn document() -> OpenApi {
    let (_, mut document) = routes().split_for_parts();
    gate::add_to(&mut document);
    problems::name(&mut document);
    document
}

/// The paths and methods of the document.
#[cfg(test)]
pub(crate) fn documented() -> Vec<(String, Vec<axum::http::Method>)> {
    let methods = |(path, mut item): (String, _)| {
        let methods = gate::operations(&mut item).map(|(method, _)| method);
        (path, methods.collect())
    };
    document().paths.paths.into_iter().map(methods).collect()
}

/// The document as it is served, made when it is first asked for.
pub(crate) static TEXT: LazyLock<Bytes> = LazyLock::new(|| {
    let text = document().to_pretty_json();
    let text = text.expect("the document is JSON, and memory is no file");
    (text + "\n").into()
});

#[cfg(test)]
mod tests;
