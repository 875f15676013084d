//! Where a command's requests run: [`start`].

use std::io;

use tokio::runtime::{Builder, Runtime};

/// Starts a runtime with one thread. It is not the caller's own: a connection that the server closes while a command
/// reads a file or waits for a person is noticed when it happens, not by the next request.
pub(crate) fn start() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
}
