//! The HTTP interface of the service.
//!
//! ```text
//! server       accepts connections and serves them (crate connection: what they hold), until it is asked to stop
//! observed     gives each request its id, and a span if it is traced (crate request-trace)
//! unread_body  hands the request to the gate; reads the unread part of its body, or ends the connection
//! gate         refuses requests: metrics, CORS, host, limits, keys (crate access), audit entries (crate audit)
//! route        the one table of routes, by which a path is matched once
//! dispatch     has the handler of the route answer; routes/: a handler a file
//! params, target, body, if_match, if_none_match    what handlers read of a request
//! stream       server-sent events
//! metrics      what the HTTP interface counts
//! openapi      the contract as a document
//! ```
//!
//! The JSON of requests and responses is in crate `wire`, errors and their statuses in crate `problem`. [`serve`] is
//! the whole.

mod app;
mod board_response;
mod body;
mod dispatch;
mod gate;
mod if_match;
mod if_none_match;
mod metrics;
mod observed;
mod openapi;
mod params;
mod percent;
mod route;
mod routes;
mod server;
mod stream;
mod target;
mod unread_body;

pub use app::App;
pub use routes::WRITES_BYTES_MAX;
pub use server::{ServerLimits, serve};
