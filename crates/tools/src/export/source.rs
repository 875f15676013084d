//! The server as an export sees it: [`Source`] asks until there is an answer.
//!
//! Reads have no effect, so that whatever failed may be asked again. What pages mean is `page`'s.

use crate::client::{Answer, Client, ClientError};
use crate::delivery::{Patience, Pauses, Stop};

/// Why an export ends early.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
pub(super) enum Halt {
    /// Ctrl-C or SIGTERM.
    #[error("interrupted")]
    Interrupted,
    /// The server did not answer in time, or not with what was asked for, or the output failed.
    #[error("{0}")]
    Failed(String),
}

/// A server, asked with patience.
pub(super) struct Source<'a> {
    pub(super) client: &'a Client,
    pub(super) stop: &'a Stop,
    pub(super) patience: Patience,
    /// Takes messages for people, one line each.
    pub(super) say: &'a dyn Fn(String),
}

impl Source<'_> {
    /// The answer to `GET`, which may be one that no repetition changes, such as 404 or 410.
    pub(super) fn get(&self, path: &str) -> Result<Answer, Halt> {
        let mut stall: Option<Pauses> = None;
        loop {
            if self.stop.requested() {
                return Err(Halt::Interrupted);
            }
            let (reason, retry_after) = match self.client.get(path) {
                Ok(answer) if matches!(answer.status, 408 | 429 | 500..) => {
                    (answer.problem(), answer.retry_after)
                }
                Ok(answer) => return Ok(answer),
                Err(error @ ClientError::Unusable { .. }) => {
                    return Err(Halt::Failed(error.to_string()));
                }
                Err(error) => (error.to_string(), None),
            };
            if stall.is_none() {
                (self.say)(format!("{reason}; trying again"));
            }
            let pauses = stall.get_or_insert_with(|| Pauses::new(self.patience));
            let Some(pause) = pauses.next(retry_after) else {
                return Err(Halt::Failed(format!("{path} could not be read: {reason}")));
            };
            self.stop.sleep(pause);
        }
    }

    /// As [`get`](Self::get), where anything but a success ends the export.
    pub(super) fn read(&self, path: &str) -> Result<Vec<u8>, Halt> {
        let answer = self.get(path)?;
        if answer.status == 200 {
            Ok(answer.body)
        } else {
            Err(refused(path, &answer))
        }
    }
}

/// The answer is none that the export can go on with.
pub(super) fn refused(path: &str, answer: &Answer) -> Halt {
    Halt::Failed(format!("{path} could not be read: {}", answer.problem()))
}
