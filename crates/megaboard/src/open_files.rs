//! The limit of open files, including connections.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the limit to the hard limit. The usual soft limit of 1,024 exists for programs that use `select`; here every
/// connection counts.
pub(crate) fn raise_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the limit of open files could not be raised");
    }
}
