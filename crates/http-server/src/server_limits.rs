//! [`ServerLimits`]: the limits of connections, requests and streams.

use std::time::Duration;

/// The limits of connections, requests and streams.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    /// Open connections; further ones wait for a permit.
    pub connections_max: usize,
    /// Open connections of one address that is not a trusted proxy.
    pub connections_per_address_max: usize,
    /// Open event streams of one address.
    pub streams_per_address_max: usize,
    /// Concurrent requests; further ones are refused.
    pub requests_max: usize,
    /// Maximum time for the head of a request; also the idle timeout.
    pub header_timeout: Duration,
    /// How long the server has its clients leave before it stops.
    pub drain: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections_max: 16_384,
            connections_per_address_max: 4_096,
            streams_per_address_max: 4_096,
            requests_max: 8_192,
            header_timeout: Duration::from_secs(30),
            drain: Duration::from_secs(5),
        }
    }
}
