//! A task that ends with who started it.

use tokio::task::{AbortHandle, JoinHandle};

/// Ends its task when it is dropped.
#[derive(Debug)]
pub(super) struct Task(AbortHandle);

impl Task {
    pub(super) fn of<T>(task: &JoinHandle<T>) -> Self {
        Self(task.abort_handle())
    }

    pub(super) fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Self {
        Self::of(&tokio::spawn(work))
    }

    pub(super) fn end(&self) {
        self.0.abort();
    }

    pub(super) fn is_finished(&self) -> bool {
        self.0.is_finished()
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.end();
    }
}
