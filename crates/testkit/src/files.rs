//! The limit of open files of this process.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the soft limit to at least `wanted`; panics if the hard limit is lower.
#[track_caller]
pub fn allow_files(wanted: usize) {
    let wanted = wanted as u64;
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return;
    }
    let allowed = limit.maximum.unwrap_or(u64::MAX);
    assert!(
        allowed >= wanted,
        "{wanted} open files are needed and {allowed} are allowed: raise `ulimit -Hn`"
    );
    limit.current = Some(wanted);
    setrlimit(Resource::Nofile, limit).unwrap();
}
