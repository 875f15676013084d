//! The store on Redis or Valkey.

mod address;
mod apply;
mod keys;
mod library;
mod lives;
mod registry;
mod rules;
mod servers;
mod session;
mod settings;
mod spread;
mod sweep;
mod tags;
mod url;
mod wire;

pub use servers::OpenError as RedisOpenError;
pub use settings::RedisSettings;
pub use url::{RedisUrl, RedisUrlError};
