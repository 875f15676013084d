//! The store on Redis or Valkey.

mod apply;
#[cfg(test)]
mod given;
mod address;
mod keys;
mod library;
mod lives;
mod read;
mod registry;
mod rules;
mod servers;
mod session;
mod settings;
mod standing;
mod shared;
mod tags;
mod verify;
mod url;
mod wire;

pub use servers::OpenError as RedisOpenError;
pub use settings::RedisSettings;
pub use url::{RedisUrl, RedisUrlError};
