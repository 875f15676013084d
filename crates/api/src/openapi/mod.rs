//! The contract as a file: `docs/openapi.json`, which `/openapi.json` serves and `/docs` shows.
//!
//! Each handler says in `#[utoipa::path]` where it is served, what it takes and what it returns; `document` puts that
//! together, in tests alone: what makes the document is much code, and a server has no need of it. Schemas are
//! derived from the wire types. What is written by hand for speed (entries, tops, moves) has a twin in
//! `wire/written.rs` or `stream/written.rs`, and `tests/written.rs` reads the one into the other. What is the same for
//! many is here: `params`, `problems` (their statuses and words come from `problem.rs`), and `gate` (keys, and what is
//! before all routes, from the gate's table).
//!
//! **Invariant:** the document says all that is returned. Schemathesis checks every response against it
//! (`tests/e2e/contract`). Tests compare the file, the table of the router and the document: no route is without a
//! description.
//!
//! **Invariant:** a change of the contract is a change of `docs/openapi.json`. A test compares the file with what the
//! handlers say; `MEGABOARD_UPDATE=1 cargo test -p api --lib openapi` writes it anew. The types in
//! `docs/typescript/megaboard.d.ts` are made from it: `npm run types --prefix tests/page`.

#[cfg(test)]
mod document;
#[cfg(test)]
mod gate;
#[cfg(test)]
pub(crate) mod params;
#[cfg(test)]
pub(crate) mod problems;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use document::documented;

/// The document.
pub(crate) const TEXT: &str = include_str!("../../../../docs/openapi.json");
