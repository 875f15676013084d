//! How many files and connections the process may have open.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the limit to what the system allows: the usual one of 1,024 is for programs that wait with
/// `select`, and every connection counts.
pub(crate) fn raise_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
}
