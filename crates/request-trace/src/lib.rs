//! What identifies a request in logs and traces: its id, and the trace that it belongs to.
//!
//! Every request has an id, its caller's or a new one ([`request_id`]); it is in the response. The thread knows it
//! while it works on the response ([`Answering`]): whatever is logged meanwhile finds it in [`current_request`]. That
//! costs a request a header and no span. Spans are made only of requests that a [`Tracer`] takes, which the server
//! decides by their head, and, under the target `shard_router::TRACE_TARGET`, within such a span: others pay for no
//! span.

mod current;
mod id;
mod parent;
mod tracer;

pub use current::{Answering, CurrentRequest, current_request};
pub use id::{REQUEST_ID, new_id, request_id};
pub use parent::{TraceParent, trace_parent};
pub use tracer::{TraceId, Tracer};
