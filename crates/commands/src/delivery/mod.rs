//! Shared by commands that send lines or read many pages: the reason of an early end ([`Halt`]), signals ([`Stop`]),
//! and sending lines until each is decided ([`LineSender`]).
//!
//! [`Client::send_batch`](megaboard_client::Client::send_batch) sends a request and classifies the response.
//!
//! **Invariant:** a command sends a line again only if it cannot count twice: it was definitely not applied, has an id,
//! or sets a standing at an explicit time.

mod order;
mod sending;
mod stop;

use megaboard_client::Error;

pub(crate) use sending::{Certainty, LineSender, Lines, Outcomes, Resend, Undone};
pub use stop::{INTERRUPTED, Stop};

use crate::server::advice;

/// Why a command ends early.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
pub enum Halt {
    /// Ctrl-C or SIGTERM.
    #[error("interrupted")]
    Interrupted,
    /// An error of the server or of a file.
    #[error("{0}")]
    Failed(String),
}

impl From<String> for Halt {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Failed(format!("{error}{}", advice(&error)))
    }
}
