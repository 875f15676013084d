//! The HTTP face of the service.
//!
//! `router` is the one table of routes, with a handler a file in `routes`. Wire shapes live in
//! `wire`, request parameters in `params`; `problem` is where errors become statuses; `openapi` makes the contract's document. [`serve`]
//! accepts connections until it is told to stop; `answers` bounds what waits to be sent on them. `access` says who is let in, `audit` writes down what they did, `trace` which request it is.

mod access;
mod answers;
mod app;
mod audit;
mod body;
mod crowd;
mod if_match;
mod if_none_match;
mod metrics;
mod openapi;
mod params;
mod per_address;
mod problem;
mod refused_head;
mod rest;
mod router;
mod routes;
mod server;
mod socket;
mod stream;
mod target;
mod trace;
mod wire;

pub use access::{
    Access, AccessError, AccessSettings, KeyError, KeySettings, NewKey, RateSettings, Scope,
    TokenSecret,
};
pub use app::App;
pub use audit::{AuditLimits, AuditLog};
pub use routes::{WRITES_BYTES_MAX, top_json};
pub use server::{ServerLimits, serve};
pub use trace::{CurrentRequest, TraceId, TraceParent, Tracer, current_request};
pub use wire::{EntryRead, KindShape, RENDERER_MARK, ShapeError, read_entries, render};
