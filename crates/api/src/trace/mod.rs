//! What tells one request from others in logs and traces: its id, and the trace that it belongs to.
//!
//! Every request has an id, its caller's or a new one; it stands in the answer, and whatever is logged
//! while the request is answered finds it in [`current_request`]. That costs a request a header and no
//! span. Spans there are only of requests that a [`Tracer`] takes: for others they are not made.

mod current;
mod heard;
mod id;
mod parent;
mod tracer;

pub use current::{CurrentRequest, current_request};
pub use parent::TraceParent;
pub use tracer::{TraceId, Tracer};

pub(crate) use heard::Heard;
pub(crate) use id::{REQUEST_ID, new_id};
