//! The audit log, a record of who changed boards, kinds and members: [`AuditLog`].
//!
//! It records the changes that only an admin may make, and every `DELETE`. An entry is two lines of JSON in an
//! append-only file: `begun`, which is durable before the change begins, and `ended`, with the outcome, which is
//! durable before the response is sent. A change with `begun` and without `ended` may have been applied: the server was
//! killed, or the client disconnected.
//!
//! **Invariant:** a change that cannot be recorded is not made.
//!
//! ```text
//! {"at":"2026-11-20T14:02:22.123456Z","operation":"5f0c21aa03be7719","event":"begun","key":"ops",
//!  "address":"10.0.0.7","method":"DELETE","path":"/v1/members/u1","request_id":"7a01-2f"}
//! {"at":"2026-11-20T14:02:22.310456Z","operation":"5f0c21aa03be7719","event":"ended","status":200,
//!  "details":{"boards":1200,"erased":3}}
//! ```
//!
//! A handler begins its [`AuditEntry`] after all checks that can be made before the change. A request that was rejected
//! by a check is one line, `refused`. A few of these are written per minute; the next one counts the others
//! (`unlisted`).
//!
//! Admins and other callers have separate files, each with its own limit of `refused` lines. A key for writing can
//! remove members any number of times, and this never displaces a line about an admin.
//!
//! The file is opened for each line, so it may be moved away at any time, and the next line creates it again. A line is
//! written whole or not at all; a line torn by a crash remains as a line of its own. Lines and files have limits
//! ([`AuditLimits`]).

mod entry;
mod file;
mod log;
mod page;
mod request;
mod trail;

pub use entry::{AuditDetails, AuditEntry};
pub use file::AuditLimits;
pub use log::AuditLog;
pub use page::{AuditLine, AuditPage};
pub use request::AuditedRequest;
