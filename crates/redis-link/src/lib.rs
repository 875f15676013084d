//! One connection to a Redis or Valkey: the only place that knows the Redis client, fred.
//!
//! A [`Connection`] never reconnects and never sends anything twice: its owner opens another one when it has ended.
//! [`RedisUrl`] says where Redis is, [`ConnectOptions`] how a connection is made, a [`Fault`] why a command has no
//! answer; [`reply`] looks into answers, and [`Backoff`] spaces attempts. Which nodes there are, and which of them has
//! a key, is for others to know.

mod address;
mod backoff;
mod connect_options;
mod connection;
mod fault;
pub mod reply;
mod task;
mod tls;
mod url;

pub use address::Address;
pub use backoff::Backoff;
pub use connect_options::{CONNECT_TIMEOUT, ConnectOptions, SILENCE};
pub use connection::{Command, Connection, Ended};
pub use fault::Fault;
pub use fred::types::Value;
pub use reply::Reply;
pub use task::Task;
pub use tls::{Tls, TlsError};
pub use url::{Login, PORT, RedisUrl, RedisUrlError, ServerUrl, UrlKind, decoded};
