//! The target of trace spans.

/// The target of spans that are exported as traces, by which a subscriber distinguishes them from
/// logs. They are created only inside of another, so that a request that is not traced costs
/// nothing.
pub const TRACE_TARGET: &str = "spans";
