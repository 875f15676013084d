//! What goes out as traces.

/// The target of spans that go out as traces, by which a subscriber tells them from what is logged. They
/// are made only within one that was made, so that a request which is not traced pays for none.
pub const SPANS: &str = "spans";
