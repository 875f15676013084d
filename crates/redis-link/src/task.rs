//! A task that ends with who started it.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::task::{AbortHandle, JoinHandle};

/// Ends its task when it is dropped.
#[derive(Debug)]
pub struct Task(AbortHandle);

impl Task {
    /// Of a task that was started.
    #[must_use]
    pub fn of<T>(task: &JoinHandle<T>) -> Self {
        Self(task.abort_handle())
    }

    /// Starts one.
    pub fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Self {
        Self::start(work.boxed())
    }

    // One kind of task for all work: a task of its own for each is much to compile.
    fn start(work: BoxFuture<'static, ()>) -> Self {
        Self::of(&tokio::spawn(work))
    }

    /// Ends it.
    pub fn end(&self) {
        self.0.abort();
    }

    /// Whether it has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.0.is_finished()
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.end();
    }
}
