//! What a connection holds of the server, under limits: its permit, its socket, heads, bodies, answers.
//!
//! ```text
//! permits       how many connections there are; request_permits: how many requests are under way
//! socket        writes that a client does not take end after a timeout; Flow: whether it takes them
//! read_ahead    bytes that connections have read; refused_head: problems for heads that hyper refuses
//! body          bodies, whole or as a stream of lines
//! answers       bytes of responses that clients have not taken
//! pool          bytes under one limit for each purpose; per_address: amounts of each address
//! metrics       what is counted of connections
//! ```
//!
//! Nothing here knows a route, a key or a board. `api` accepts connections and puts these parts together.

mod body;
mod metrics;
mod per_address;
mod permits;
mod pool;
mod read_ahead;
mod refused_head;
mod request_permits;
mod responses;
mod socket;

pub use body::{
    ARRAY_ITEMS_MAX, BODY_BYTES_MAX, BodyMemory, LINE_BYTES_MAX, LINES, Line, Lines, Whole,
    from_json, items_from_json, media_type, whole_up_to,
};
pub use metrics::{Connections, EarlyEnds, Open};
pub use per_address::{OfAddress, PerAddress};
pub use permits::{ConnectionPermit, ConnectionPermits};
pub use pool::{
    BODIES_BYTES_MAX, HeldBytes, Pool, Pools, READ_AHEAD_BYTES_MAX, RECEIPT_BYTES_MAX,
    RESPONSE_BYTES_MAX, STREAM_BYTES_MAX,
};
pub use read_ahead::{ReadAhead, ReadingRequest};
pub use refused_head::HEAD_BYTES_MAX;
pub use request_permits::{RequestPermit, RequestPermits};
pub use responses::{
    ADDRESS_PART, AddressResponses, HasResponses, ResponseReservation, Responses, SMALL_BYTES_MAX,
    bytes_of,
};
pub use socket::{Flow, Socket, WriteTimeouts};
