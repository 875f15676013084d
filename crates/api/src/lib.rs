//! The HTTP interface of the service.
//!
//! ```text
//! server       accepts connections and serves them (crate http-server: what they hold), drains, and stops
//! observed     gives each request its id, and a span if it is traced (http-server)
//! gate         refuses requests: metrics, CORS, host, limits, keys (crate access), audit entries (crate access)
//! dispatch     calls the handler of the route
//! route        the one table of routes, by which a path is matched once
//! routes       the handlers, one endpoint or resource in each file
//! stream       server-sent events
//! target, body what handlers read of a request; progress: how they answer a part of a long operation
//! app          the state that all handlers share: feeds, metrics, and the crates below
//! ```
//!
//! Each takes only from those below it. `openapi`, in tests alone, makes the document of the contract from the routes.
//!
//! The JSON of requests and responses, and errors with their statuses, are in crate `wire`; parameters of queries,
//! entity tags and conditions in crate `http-server`. [`receipts`] counts what became of contributions, [`profile_join`]
//! adds profiles to what was read, [`pages`] has the files of the pages. [`serve`] is the whole.

mod app;
mod board_response;
mod body;
mod dispatch;
mod feeds;
mod gate;
mod metrics;
mod observed;
#[cfg(test)]
mod openapi;
pub mod pages;
pub mod profile_join;
mod profiles;
mod progress;
mod read_window;
pub mod receipts;
mod route;
mod routes;
mod server;
mod stream;
mod target;

pub use app::{App, PROFILED_BYTES_MAX};
pub use http_server::{PREPARED_BYTES_MAX, ServerLimits, WRITES_BYTES_MAX};
pub use server::{QUEUED_MAX, Stopping, serve};
