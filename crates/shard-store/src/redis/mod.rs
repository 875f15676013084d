//! The store on Redis or Valkey.

mod apply;
#[cfg(test)]
mod given;
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
mod wire;
