//! The contract as a file: `docs/openapi.json`, which `/openapi.json` serves and `/docs` shows.
//!
//! Each handler describes in `#[utoipa::path]` where it is served, what it takes and what it returns; `document` puts
//! that together. Only tests do that: the document takes much code, which a server does not need. Schemas are derived
//! from the wire types; what is made of rendered entries has a shape in `wire/written.rs` or `feeds/written.rs`. What
//! many routes have in common is in `params` and `problems`; `described.json` has the texts and examples of responses
//! (`described` adds them); `gate` adds keys and refusals of the gate, by the table of routes.
//!
//! **Invariant:** the document has every possible response. Schemathesis checks every response against it
//! (`tests/e2e/contract`). Tests compare the file, the table of routes and the document: no route is without a
//! description.
//!
//! **Invariant:** a change of the contract is a change of `docs/openapi.json`. A test compares the file with what the
//! handlers say; `MEGABOARD_UPDATE=1 cargo test -p api --lib openapi` regenerates it. The types in
//! `docs/typescript/megaboard.d.ts` are made from it: `npm run types --prefix tests/page`; and the tables in
//! `docs/endpoints.md` and `docs/kinds.md`: `MEGABOARD_UPDATE=1 cargo test -p end-to-end docs::generated`.

mod board_response;
mod described;
mod document;
mod gate;
mod params;
pub(crate) mod problems;
mod tests;

/// What descriptions of routes are made of.
pub(crate) mod prelude {
    pub(crate) use wire::PageWritten;

    pub(crate) use super::board_response::BoardResponse;
    pub(crate) use super::params::{OfIfMatch, OfNew, OfToken, OfWait, OfWindow};
    pub(crate) use super::problems;

    /// A page of entries.
    pub(crate) type Page = BoardResponse<PageWritten>;
}
