//! Errors on the wire: RFC 9457 problem details. Only this crate converts an error into a status.
//!
//! `type` is a stable word, which is a relative reference as the RFC allows; `docs/http.md` lists them. Items of a
//! batch have the same words. `causes` converts the errors of the crates below. A response has its [`ProblemType`] as
//! an extension, for the metrics.

mod causes;
mod details;
mod problem_type;
mod secrets;
mod shown;

pub use details::{Problem, ProblemShape, without_cause};
pub use problem_type::ProblemType;
pub use secrets::{is_key_char, without_keys};
pub use shown::shown;
