//! The store on Redis or Valkey.

mod keys;
mod library;
mod lives;
mod registry;
mod rules;
mod servers;
mod session;
mod settings;
mod shared;
mod tags;
mod wire;
