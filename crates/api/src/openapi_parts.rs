//! Parameters and problems that many routes of the OpenAPI document have. Only tests of `api` make the document, so no
//! release has this crate.

pub mod params;
pub mod problems;
