//! A task that is ended when its handle is dropped: [`Task`].

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::task::{AbortHandle, JoinHandle};

/// The handle of a task, which ends the task when it is dropped.
#[derive(Debug)]
pub struct Task(AbortHandle);

impl Task {
    /// Returns the handle of a task that was started.
    #[must_use]
    pub fn of<T>(task: &JoinHandle<T>) -> Self {
        Self(task.abort_handle())
    }

    /// Starts a task.
    pub fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Self {
        Self::start(work.boxed())
    }

    // One type of task for all work, since each type would be compiled separately.
    fn start(work: BoxFuture<'static, ()>) -> Self {
        Self::of(&tokio::spawn(work))
    }

    /// Ends the task.
    pub fn end(&self) {
        self.0.abort();
    }

    /// Returns whether the task has ended.
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
