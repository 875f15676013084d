//! The commands about boards and members, one module each: `megaboard add`, `boards`, `kinds`, `member` and `top`.
//!
//! They use a server over HTTP only, by `megaboard-client`, and send each request once: a person sees an error at once,
//! and decides. `standings` formats values and times for all of them, `screen` draws what changes in place.

pub mod add;
pub mod boards;
pub mod kinds;
pub mod member;
mod screen;
mod standings;
pub mod top;

use crate::server::ServerArgs;
use megaboard_client::{Client, Error, RetryPolicy};

/// Returns a client that sends each request once.
fn client(server: &ServerArgs) -> Result<Client, Error> {
    server.client_with(RetryPolicy::none())
}
