//! What identifies a request in logs and traces: its id, and the trace that it belongs to.
//!
//! Every request has an id, its caller's or a new one ([`request_id`]), which is also in the response. It is
//! thread-local while the thread works on the request ([`RequestScope`]): log lines get it from [`current_request`].
//! This costs a request a header and no span. Spans exist only for requests that a [`Tracer`] samples by their head,
//! and, with the target `shard_router::TRACE_TARGET`, within such a span. Other requests do not pay for spans.

mod current;
mod id;
mod parent;
mod trace_id;
mod tracer;

pub use current::{CurrentRequest, RequestScope, current_request};
pub use id::{REQUEST_ID, request_id};
pub use parent::{TraceParent, trace_parent};
pub use trace_id::TraceId;
pub use tracer::Tracer;
