//! [`ServerLimits`]: the limits of connections, requests and streams.

use std::time::Duration;

use crate::body::BODY_BYTES_MAX;
use crate::pool::{
    BODIES_BYTES_MAX, PREPARED_BYTES_MAX, READ_AHEAD_BYTES_MAX, RECEIPT_BYTES_MAX,
    RESPONSE_BYTES_MAX, STREAM_BYTES_MAX,
};
use crate::write_permits::WRITES_BYTES_MAX;

/// The default limit of cached tops with profiles.
const PROFILED_BYTES_MAX: usize = 256 << 20;

/// The limits of connections, requests and streams.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    /// Open connections; further ones wait for a permit.
    pub connections_max: usize,
    /// Open connections of one address that is not a trusted proxy.
    pub connections_per_address_max: usize,
    /// Open event streams of one address.
    pub streams_per_address_max: usize,
    /// How long there may be no free permit before waiting connections are accepted for probes alone, or closed.
    pub connection_wait: Duration,
    /// Concurrent requests; further ones are refused.
    pub requests_max: usize,
    /// Bytes of a JSON body.
    pub body_bytes_max: usize,
    /// Bytes of all bodies together: JSON, what is parsed of it, and incomplete lines.
    pub bodies_bytes_max: usize,
    /// Bytes of all long heads, and of what connections have read ahead of their requests.
    pub read_ahead_bytes_max: usize,
    /// Bytes of the details of all contributions that receipts list as not applied.
    pub receipt_bytes_max: usize,
    /// Bytes of the events of all streams.
    pub stream_bytes_max: usize,
    /// Memory of all contributions that are being written.
    pub writes_bytes_max: usize,
    /// Bytes of responses that are prepared for repeated reads.
    pub prepared_bytes_max: usize,
    /// Bytes of cached tops with profiles.
    pub profiled_bytes_max: usize,
    /// Bytes of all large responses that clients have not read yet. A quarter is reserved for writes.
    pub response_bytes_max: usize,
    /// Bytes of those to one address; defaults to a quarter.
    pub response_bytes_per_address_max: Option<usize>,
    /// Maximum time for the head of a request; also the idle timeout.
    pub header_timeout: Duration,
    /// How long a write waits for a client that does not read.
    pub write_timeout: Duration,
    /// How long the server has its clients leave before it stops.
    pub drain: Duration,
    /// How long streams of lines may go on while the server stops.
    pub stream_timeout: Duration,
    /// How long requests in progress may take while the server stops.
    pub stop_timeout: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections_max: 16_384,
            connections_per_address_max: 4_096,
            streams_per_address_max: 4_096,
            connection_wait: Duration::from_secs(1),
            requests_max: 8_192,
            body_bytes_max: BODY_BYTES_MAX,
            bodies_bytes_max: BODIES_BYTES_MAX,
            read_ahead_bytes_max: READ_AHEAD_BYTES_MAX,
            receipt_bytes_max: RECEIPT_BYTES_MAX,
            stream_bytes_max: STREAM_BYTES_MAX,
            writes_bytes_max: WRITES_BYTES_MAX,
            prepared_bytes_max: PREPARED_BYTES_MAX,
            profiled_bytes_max: PROFILED_BYTES_MAX,
            response_bytes_max: RESPONSE_BYTES_MAX,
            response_bytes_per_address_max: None,
            header_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            drain: Duration::from_secs(5),
            stream_timeout: Duration::from_secs(10),
            stop_timeout: Duration::from_secs(30),
        }
    }
}
