//! What takes requests as spans: the trait, so that the server does not know where they go.

use std::fmt;

use tracing::Span;

use crate::parent::TraceParent;

/// A trace, as W3C's Trace Context names it; shown in hex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceId(pub [u8; 16]);

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// Takes requests as spans, of target `shard_router::TRACE_TARGET`.
pub trait Tracer: Send + Sync {
    /// Whether this request is taken, by what its caller says or by chance. Asked for every request.
    fn takes(&self, parent: Option<&TraceParent>) -> bool;

    /// Puts the span of a request into its caller's trace, or into a new one, and says which.
    fn join(&self, span: &Span, parent: Option<&TraceParent>) -> TraceId;
}
