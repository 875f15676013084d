//! The HTTP interface of the service.
//!
//! ```text
//! server      accepts connections (connection_permits: how many), until it is asked to stop
//! socket      ends connections that take nothing; refused_head: problems for heads that hyper refuses
//! pool        bytes that clients make the server hold; read_ahead: those that connections have read;
//!             answers: those of responses that clients have not taken
//! trace       gives each request its id, and a span if it is traced
//! rest        hands the request to the gate; reads the unread part of its body, or ends the connection
//! access      the gate: metrics, CORS, host, limits, keys; audit: what was changed or deleted, and by whom
//! router      the one table of routes; a handler a file in routes/
//! params, problem          query parameters, errors and their statuses (shapes of requests and responses: crate wire)
//! stream      server-sent events
//! openapi     the contract as a document
//! ```
//!
//! [`serve`] is the whole.

mod access;
mod answers;
mod app;
mod audit;
mod board_response;
mod body;
mod connection_permits;
mod if_match;
mod if_none_match;
mod metrics;
mod openapi;
mod params;
mod per_address;
mod percent;
mod pool;
mod problem;
mod read_ahead;
mod refused_head;
mod rest;
mod route;
mod router;
mod routes;
mod server;
mod socket;
mod stream;
mod target;
mod trace;

pub use access::{
    Access, AccessError, AccessSettings, KEY_PREFIX, KeyError, KeySettings, NewKey, RateSettings,
    Scope, TOKEN_PREFIX, TokenSecret, check_key_name, without_keys,
};
pub use app::App;
pub use audit::{AuditLimits, AuditLog};
pub use problem::shortened;
pub use routes::WRITES_BYTES_MAX;
pub use server::{ServerLimits, serve};
pub use trace::{CurrentRequest, TraceId, TraceParent, Tracer, current_request};
