//! The store on Redis or Valkey.
//!
//! [`RedisStore`] is the whole; `store` draws what it is made of. Below it `servers` brings calls to an
//! answer, `library` holds the Lua that stands beside its callers. Keys are told in `docs/redis.md`.

mod address;
mod apply;
#[cfg(test)]
mod given;
mod keys;
mod library;
mod lists;
mod lives;
#[cfg(test)]
mod opened;
mod packed;
mod read;
mod registry;
mod retention;
mod rules;
mod servers;
mod session;
mod settings;
mod shared;
mod spread;
mod standing;
mod store;
mod sweep;
mod tags;
mod url;
mod verify;
mod wire;

pub use servers::OpenError as RedisOpenError;
pub use settings::{RedisSettings, RedisWrites};
pub use store::RedisStore;
pub use url::{RedisUrl, RedisUrlError};
