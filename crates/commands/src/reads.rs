//! Reads with retries: [`Reads`], for commands that read many pages.

use megaboard_client::{Backoff, Client, Error, Response, RetryPolicy};
use serde::de::DeserializeOwned;

use crate::delivery::{Halt, Stop};
use crate::runtime::Runtime;
use crate::server::explained;

/// Reads from one server.
pub(crate) struct Reads<'a> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) client: &'a Client,
    pub(crate) stop: &'a Stop,
    pub(crate) retry: RetryPolicy,
    /// Receives messages for the user, one line each.
    pub(crate) say: &'a (dyn Fn(String) + Sync),
}

impl Reads<'_> {
    /// Sends `GET` until the response is no temporary error. It may be a permanent one, such as 404 or 410.
    pub(crate) fn get(&self, path: &str) -> Result<Response, Halt> {
        let mut backoff: Option<Backoff> = None;
        loop {
            let response = self.stop.unless_requested(self.client.get(path));
            let (reason, retry_after) = match self.runtime.block_on(response)? {
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

    /// Sends `GET` until it succeeds, and parses the response. Permanent errors end the command.
    pub(crate) fn read<T: DeserializeOwned>(&self, path: &str) -> Result<T, Halt> {
        let response = self.get(path)?;
        if response.status != 200 {
            return Err(refused(path, &response));
        }
        serde_json::from_slice(&response.body).map_err(|error| unparsable(path, &error))
    }
}

/// Returns the end of a command because of an error response.
pub(crate) fn refused(path: &str, response: &Response) -> Halt {
    Halt::Failed(format!(
        "{path} could not be read: {}",
        explained(&response.problem())
    ))
}

/// Returns the end of a command because a response could not be parsed.
pub(crate) fn unparsable(path: &str, error: &serde_json::Error) -> Halt {
    Halt::Failed(format!(
        "the response to {path} could not be parsed: {error}"
    ))
}
