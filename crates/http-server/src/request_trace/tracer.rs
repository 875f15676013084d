//! The interface to the exporter of spans: [`Tracer`]. The server does not know where spans are sent.

use tracing::Span;

use crate::request_trace::parent::TraceParent;
use crate::request_trace::trace_id::TraceId;

/// Exports requests as spans with the target `shard_router::TRACE_TARGET`.
pub trait Tracer: Send + Sync {
    /// Returns whether a request is sampled, by its caller's decision or at random. Called for every request.
    fn samples(&self, parent: Option<&TraceParent>) -> bool;

    /// Adds the span of a request to its caller's trace, or to a new one, and returns that trace.
    fn join(&self, span: &Span, parent: Option<&TraceParent>) -> TraceId;
}
