//! The commands that use a server over HTTP only, one module each: `megaboard import`, `export`, `ingest`, `adopt`,
//! `top`, `member`, `alive` and `ready`. `megaboard load` has a crate of its own.
//!
//! They share: [`server`] (options for the server's URL and the key), [`secrets`] (errors that do not repeat secrets),
//! [`terminal`] (messages), `delivery` (retries of writes, signals), `reads` (retries of reads). All of them use
//! `megaboard-client`.

pub mod adopt;
mod board_path;
mod delivery;
pub mod export;
pub mod gifts;
pub mod import;
pub mod ingest;
pub mod member;
pub mod probes;
mod reads;
mod runtime;
pub mod secrets;
pub mod server;
pub mod terminal;
#[cfg(test)]
mod test_server;
pub mod top;
