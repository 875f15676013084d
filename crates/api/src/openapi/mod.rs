//! The contract as a file: `/openapi.json`, made from the handlers and their types.
//!
//! Each handler says what it takes and answers (`#[utoipa::path]`); `document` puts that together. What is
//! the same for many stands here: `params` what they take, `problems` what may go wrong, `gate` what stands
//! before all of them. `docs/openapi.json` is what comes of it, and what is served: a test holds the one
//! against the other, so that no release has to carry what makes it.

#[cfg(test)]
mod document;
#[cfg(test)]
mod gate;
pub(crate) mod params;
#[cfg_attr(not(test), allow(dead_code, reason = "of the document alone"))]
pub(crate) mod problems;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use document::documented;

/// The document.
pub(crate) const TEXT: &str = include_str!("../../../../docs/openapi.json");
