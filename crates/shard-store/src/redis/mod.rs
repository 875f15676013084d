//! The store on Redis or Valkey.

mod apply;
mod keys;
mod library;
mod lives;
mod registry;
mod rules;
mod servers;
mod session;
mod settings;
mod tags;
mod wire;
