//! What was changed of boards, kinds and members, and by whom: [`AuditLog`].
//!
//! Audited are what only an admin may change, and every `DELETE`. Two lines of JSON an entry, in a file that is only ever
//! added to: `begun`, which is durable before the change begins, and `ended`, with its outcome, before the response is sent.
//! A `begun` without its `ended` may have been done: the server was killed, or the client left.
//!
//! **Invariant:** what cannot be written down is not done.
//!
//! ```text
//! {"at":"2026-11-20T14:02:22.123Z","act":"5f0c21aa03be7719","event":"begun","key":"ops",
//!  "address":"10.0.0.7","method":"DELETE","path":"/v1/members/u1","request_id":"7a01-2f"}
//! {"at":"2026-11-20T14:02:22.310Z","act":"5f0c21aa03be7719","event":"ended","status":200,
//!  "told":{"boards":1200,"erased":3}}
//! ```
//!
//! A handler begins its [`AuditEntry`] once nothing of the request is left to refuse that can be seen beforehand. A
//! request that was refused before is one line, `refused`, of which there are a few a minute: the next one
//! counts those that have none (`unlisted`).
//!
//! What admins do and what others do has a file each, and each file a limit of its own refusals: with a
//! key for writing, members can be removed as often as somebody likes, and no line about an admin is lost by that.
//!
//! The file is opened for each line: it may be moved away at any time, and another one begins. A line stands
//! there whole or not at all; what is left of one that a crash tore stays as a line of its own. Lines and files
//! have limits ([`AuditLimits`]).

mod file;
mod log;

pub use file::AuditLimits;
pub use log::{AuditDetails, AuditEntry, AuditLog, AuditedRequest, HasAuditLog};
