//! Reads that are repeated until there is a response: [`Reads`], for commands that read long.
//!
//! Reads have no effect, so that whatever failed may be asked again. What responses mean is the commands' to say.

use megaboard_client::{Backoff, Client, Error, Response, RetryPolicy};

use crate::delivery::{Halt, Stop};
use crate::runtime::Runtime;

/// A server that is read from.
pub(crate) struct Reads<'a> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) client: &'a Client,
    pub(crate) stop: &'a Stop,
    pub(crate) retry: RetryPolicy,
    /// Takes messages for people, one line each.
    pub(crate) say: &'a (dyn Fn(String) + Sync),
}

impl Reads<'_> {
    /// Returns the response to `GET`, which may be one that no repetition changes, such as 404 or 410.
    pub(crate) fn get(&self, path: &str) -> Result<Response, Halt> {
        let mut backoff: Option<Backoff> = None;
        loop {
            if self.stop.requested() {
                return Err(Halt::Interrupted);
            }
            let (reason, retry_after) = match self.runtime.block_on(self.client.get(path)) {
                Ok(response) if matches!(response.status, 408 | 429 | 500..) => {
                    (response.problem().to_string(), response.retry_after)
                }
                Ok(response) => return Ok(response),
                Err(error @ Error::Unusable(_)) => return Err(Halt::Failed(error.to_string())),
                Err(error) => (error.to_string(), None),
            };
            if backoff.is_none() {
                (self.say)(format!("{reason}; trying again"));
            }
            let backoff = backoff.get_or_insert_with(|| Backoff::new(self.retry));
            let Some(pause) = backoff.next(retry_after) else {
                return Err(Halt::Failed(format!("{path} could not be read: {reason}")));
            };
            self.stop.sleep(pause);
        }
    }

    /// As [`get`](Self::get), where anything but a success is an error.
    pub(crate) fn read(&self, path: &str) -> Result<Vec<u8>, Halt> {
        let response = self.get(path)?;
        if response.status == 200 {
            Ok(response.body)
        } else {
            Err(refused(path, &response))
        }
    }
}

/// The response is one that the command cannot go on with.
pub(crate) fn refused(path: &str, response: &Response) -> Halt {
    Halt::Failed(format!("{path} could not be read: {}", response.problem()))
}
