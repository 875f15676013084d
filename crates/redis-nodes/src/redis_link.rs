//! One connection to a Redis or Valkey: the only crate that uses the Redis client fred.
//!
//! A [`Connection`] never reconnects and never sends anything twice: its owner opens another one
//! when it has ended. A [`RedisUrl`] names the nodes, [`ConnectOptions`] are the settings of a
//! connection, a [`CommandError`] is why a command has no reply; [`reply`] reads replies, and [`Backoff`]
//! spaces attempts. Which nodes exist, and which of them has a key, is not known here.

mod address;
mod backoff;
mod command_error;
mod connect_options;
mod connection;
mod end;
mod guard;
mod replies;
pub mod reply;
mod reply_limits;
mod stream;
mod task;
mod tls;
mod url;

pub use address::Address;
pub use backoff::Backoff;
pub use command_error::CommandError;
pub use connect_options::{CONNECT_TIMEOUT, ConnectOptions, SILENCE};
pub use connection::{Command, Connection};
pub use fred::types::Value;
pub use reply::Reply;
pub use reply_limits::{
    REPLIES_BYTES_MAX, REPLY_BYTES_MAX, REPLY_DEPTH_MAX, REPLY_ELEMENTS_MAX, REPLY_LINE_BYTES_MAX,
    ReplyError, limit_replies,
};
pub use task::Task;
pub use tls::Tls;
pub use url::{Login, PORT, RedisUrl, RedisUrlError, ServerUrl, UrlKind, decoded};
