//! The Tokio runtime of a command: [`Runtime`].

use std::io;
use std::pin::{Pin, pin};

use futures::future::BoxFuture;
use tokio::runtime::Builder;
use tokio::task::JoinHandle;

/// A runtime on threads other than the caller's. So a closed connection is noticed while the command reads a file or
/// waits for input, not by the next request.
#[derive(Debug)]
pub struct Runtime(tokio::runtime::Runtime);

impl Runtime {
    /// Starts a runtime with one thread.
    pub fn start() -> io::Result<Self> {
        Self::with_threads(1)
    }

    /// Starts a runtime with this number of threads.
    pub fn with_threads(threads: usize) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads)
            .enable_all()
            .build()?;
        Ok(Self(runtime))
    }

    /// Runs a future on a thread of the runtime.
    pub fn spawn<T: Send + 'static>(&self, future: BoxFuture<'static, T>) -> JoinHandle<T> {
        self.0.spawn(future)
    }

    /// Waits for a future on the calling thread.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let mut output = None;
        {
            let polled = pin!(async { output = Some(future.await) });
            // As `dyn`, so that the scheduler is compiled once, not for every future.
            let polled: Pin<&mut dyn Future<Output = ()>> = polled;
            self.0.block_on(polled);
        }
        output.expect("the future has completed")
    }
}
