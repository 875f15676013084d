//! The HTTP interface of the service.
//!
//! ```text
//! server       accepts connections and serves them (crate http-server: what they hold), drains, and stops
//! gate         all that happens to a request before and after its handler: metrics, CORS, limits, keys, audit entries
//! observed     gives each request its id, and a span if it is traced (http-server)
//! route        the one table of routes, by which a request is matched once
//! routes       the handlers, one endpoint or resource in each file
//! call         what handlers get of a request: its caller, path, parameters and body; BoardRead: a read of a board
//! query        declares the parameters of a query; target: windows; progress: responses about a part of a long operation
//! stream       server-sent events
//! app          the state that all handlers share: feeds, metrics, and the crates below
//! ```
//!
//! Each takes only from those below it. `openapi`, in tests alone, makes the document of the contract from the routes.
//!
//! The JSON of requests and responses, and errors with their statuses, are in crate `wire`; entity tags and conditions
//! in crate `http-server`. `receipts` counts what became of contributions, `profile_join` adds profiles to what was
//! read, `pages` has the files of the pages. [`serve`] is the whole.

mod app;
mod board_response;
mod call;
mod feeds;
mod gate;
mod metrics;
mod observed;
#[cfg(test)]
mod openapi;
mod pages;
mod profile_join;
mod profiles;
mod progress;
mod query;
mod read_window;
mod receipts;
mod route;
mod routes;
mod server;
mod stream;
mod target;

pub use app::App;
pub use http_server::{MemoryBudget, MemorySettings, ServerLimits};
pub use server::{QUEUED_MAX, Stopping, serve};
