//! Fuzz targets: bytes that come from a disk or from a client, read by what reads them in the service.
//!
//! A target panics if what it promises does not hold. `fuzz/corpus` has bytes of each to begin with; `tests/corpus.rs`
//! reads them and changes of them in each run of the tests, and `fuzz/run` looks for others with libFuzzer.

mod folder;
mod requests;

/// A function that gets any bytes, and the name of its folder in `corpus`.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// Runs it once.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: [Target; 4] = [
    target("journal", folder::journal),
    target("snapshot", folder::snapshot),
    target("contributions", requests::contributions),
    target("parameters", requests::parameters),
];

const fn target(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, run }
}
