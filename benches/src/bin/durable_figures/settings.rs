//! The settings of all measurements: [`Settings`].

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;

/// The settings of all measurements.
pub(crate) struct Settings {
    /// The path of the server.
    pub(crate) megaboard: PathBuf,
    /// The folder for the data of all servers.
    pub(crate) folder: PathBuf,
    pub(crate) store: Store,
    pub(crate) members: u64,
    /// The duration of each load of single contributions.
    pub(crate) duration: Duration,
}

/// The store of the server.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Store {
    Embedded,
    Memory,
}
