//! The settings of all measurements: [`Settings`].

use std::path::PathBuf;

use crate::board::Case;

/// The settings of all measurements.
pub(crate) struct Settings {
    /// The path of the server.
    pub(crate) megaboard: PathBuf,
    pub(crate) members: u64,
    pub(crate) rounds: usize,
    /// The boards for writes.
    pub(crate) cases: Vec<Case>,
}
