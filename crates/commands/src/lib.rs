//! The commands that transfer contributions and standings, one module each: `megaboard import`, `export`, `ingest` and
//! `adopt`; and the probes `alive` and `ready`. They use a server over HTTP only, as do [`board_commands`] and the
//! crate `load`.
//!
//! All of them use `megaboard-client`, and share: [`server`] (options for the server's URL and the key),
//! [`result_args`] (the format of results), [`secrets`] (errors that do not repeat secrets), [`terminal`] (messages and
//! tables), [`integer`] (numbers as people write them), [`runtime`]; those here also `delivery` (sending lines,
//! signals) and `reads` (reads that a signal interrupts).

pub mod adopt;
pub mod board_commands;
mod delivery;
pub mod export;
pub mod gifts;
pub mod import;
pub mod ingest;
pub mod integer;
pub mod probes;
mod reads;
pub mod result_args;
pub mod runtime;
#[cfg(test)]
mod scripted;
pub mod secrets;
pub mod server;
pub mod terminal;

use std::process::ExitCode;

pub use delivery::{Halt, INTERRUPTED, Stop};

/// Returns the exit status of a command that has completed, with everything as it should be or not.
#[must_use]
pub fn status(is_clean: bool) -> ExitCode {
    if is_clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
