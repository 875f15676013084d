//! What an HTTP server needs below its routes: the resources of a connection, each with a limit (its permit, socket,
//! heads, bodies and responses); [`validators`], [`query_params`] and [`request_trace`].
//!
//! ```text
//! permits                    limits the connections
//! socket, backpressure       a socket with a timeout for writes; whether its client reads
//! read_ahead                 limits the bytes that connections have read
//! open_connections           the connections that a stop asks to finish
//! handshakes                 closing a listener without losing connections
//! head_timer                 the timer for heads that do not arrive
//! body                       bodies, whole or as a stream of lines
//! lent_body                  what becomes of bodies that handlers do not read
//! responses                  limits the bytes of responses that clients have not read
//! budget                     divides the memory limit into shares; share: counts what is held of one
//! per_address                counts an amount for each address
//! server_limits              the other limits of a server, as its configuration has them
//! metrics                    the metrics of connections
//! ```
//!
//! This crate does not know routes, keys or boards. `api` accepts connections and connects these parts.

mod backpressure;
mod body;
mod budget;
mod handshakes;
mod head_timer;
mod lent_body;
mod metrics;
mod open_connections;
mod per_address;
mod permits;
pub mod query_params;
mod read_ahead;
pub mod request_trace;
mod responses;
mod server_limits;
mod share;
mod socket;
pub mod validators;

pub use backpressure::{Asked, Backpressure};
pub use body::{
    ARRAY_ITEMS_MAX, BodyLine, LINE_BYTES_MAX, LINES, Lines, Whole, from_json, items_from_json,
    media_type, whole_up_to,
};
pub use budget::{MemoryBudget, MemorySettings, WRITE_BYTES};
pub use handshakes::refuse_handshakes;
pub use head_timer::HeadTimer;
pub use lent_body::LentBody;
pub use metrics::{Connections, Open};
pub use open_connections::{OpenConnection, OpenConnections};
pub use per_address::{OfAddress, PerAddress};
pub use permits::{ConnectionPermit, ConnectionPermits};
pub use read_ahead::{ReadAhead, ReadingRequest};
pub use responses::{
    AddressResponses, ResponseReservation, Responses, SMALL_BYTES_MAX, bytes_of, is_small,
};
pub use server_limits::ServerLimits;
pub use share::{HeldBytes, Share};
pub use socket::{Socket, WriteTimeouts};
