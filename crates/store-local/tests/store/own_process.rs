//! Tests that measure memory, each in a process of its own: other tests run in this one.

use std::process::Command;
use std::{env, fs};

/// Set in the process that measures.
const MEASURES: &str = "MEGABOARD_TEST_MEASURES_MEMORY";

/// Runs `measure` in a process of its own. `test` is the full name of the calling test.
pub(crate) fn in_own_process(test: &str, measure: impl FnOnce()) {
    if env::var_os(MEASURES).is_some() {
        return measure();
    }
    let name = test.split_once("::").unwrap().1;
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(MEASURES, "1")
        .status();
    assert!(status.unwrap().success(), "see its output above");
}

/// Returns the memory that the system reports for this process.
pub(crate) fn resident_bytes() -> usize {
    status_bytes("VmRSS:")
}

/// Returns the largest memory that this process had so far.
pub(crate) fn peak_resident_bytes() -> usize {
    status_bytes("VmHWM:")
}

fn status_bytes(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.unwrap().trim().strip_suffix(" kB").unwrap();
    kib.parse::<usize>().unwrap() << 10
}
