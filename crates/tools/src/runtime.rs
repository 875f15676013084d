//! Where a command's requests run: [`Runtime`].

use std::io;
use std::pin::{Pin, pin};

use futures::future::BoxFuture;
use tokio::runtime::Builder;
use tokio::task::JoinHandle;

/// A runtime on threads other than the caller's: a connection that the server closes while a command reads a file or
/// waits for input is noticed when it happens, not by the next request.
#[derive(Debug)]
pub(crate) struct Runtime(tokio::runtime::Runtime);

impl Runtime {
    /// With one thread of its own.
    pub(crate) fn start() -> io::Result<Self> {
        Self::with_threads(1)
    }

    /// With so many threads of its own.
    pub(crate) fn with_threads(threads: usize) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads)
            .enable_all()
            .build()?;
        Ok(Self(runtime))
    }

    /// Runs a future on a thread of the runtime.
    pub(crate) fn spawn<T: Send + 'static>(&self, future: BoxFuture<'static, T>) -> JoinHandle<T> {
        self.0.spawn(future)
    }

    /// Waits for a future on the calling thread.
    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let mut output = None;
        {
            let polled = pin!(async { output = Some(future.await) });
            // As `dyn`, so that the scheduler is compiled once, not for every future.
            let polled: Pin<&mut dyn Future<Output = ()>> = polled;
            self.0.block_on(polled);
        }
        output.expect("a future that ended has an output")
    }
}
