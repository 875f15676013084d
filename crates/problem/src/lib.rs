//! Errors on the wire: RFC 9457 problem details. The one place where an error becomes a status.
//!
//! `type` is a stable word, a relative reference as the RFC allows; `docs/http.md` lists them. Items of a batch carry
//! the same words. `causes` turns the errors of the crates below into problems. A response leaves its [`ProblemType`] in
//! its extensions, for the metrics.

mod causes;
mod problem;
mod problem_type;
mod shortened;

pub use problem::{Problem, ProblemShape};
pub use problem_type::ProblemType;
pub use shortened::shortened;
