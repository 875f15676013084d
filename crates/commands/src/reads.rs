//! Reads that a signal interrupts: [`Reads`].

use std::pin::pin;
use std::time::Duration;

use megaboard_client::{Client, Error};
use tokio::time::timeout;

use crate::delivery::{Halt, Stop};
use crate::runtime::Runtime;

/// After how long without a response the user gets a message.
const SAID_AFTER: Duration = Duration::from_secs(2);

/// Reads from one server, with the retries of its client.
#[derive(Clone, Copy)]
pub(crate) struct Reads<'a> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) client: &'a Client,
    pub(crate) stop: &'a Stop,
    /// Receives messages for the user, one line each.
    pub(crate) say: &'a (dyn Fn(String) + Sync),
}

impl Reads<'_> {
    /// Waits for the response to a request, or for a signal.
    pub(crate) fn wait<T>(
        &self,
        request: impl IntoFuture<Output = Result<T, Error>>,
    ) -> Result<Result<T, Error>, Halt> {
        let response = async {
            let mut response = pin!(request.into_future());
            if let Ok(response) = timeout(SAID_AFTER, response.as_mut()).await {
                return response;
            }
            (self.say)("the server has not responded; trying again".to_owned());
            response.await
        };
        self.until_stopped(response)
    }

    /// Waits for a future, or for a signal.
    pub(crate) fn until_stopped<T>(&self, future: impl Future<Output = T>) -> Result<T, Halt> {
        self.runtime.block_on(self.stop.unless_requested(future))
    }
}
