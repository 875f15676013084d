//! Shared by commands that send lines or read many pages: the reason of an early end ([`Halt`]), signals ([`Stop`]),
//! lines whose order matters ([`LineOrder`]), the pause before a retry ([`wait`]).
//!
//! [`megaboard_client::Sender`] sends the requests, classifies the responses and determines the pauses.
//!
//! **Invariant:** a command sends a line again only if it cannot count twice: it was definitely not applied, has an id,
//! or sets a standing at an explicit time. Each command decides that for its own lines.

mod order;
mod stop;

use megaboard_client::Pause;

pub(crate) use order::LineOrder;
pub use stop::INTERRUPTED;
pub(crate) use stop::{NOTICED_WITHIN, Stop};

/// Why a command ends early.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum Halt {
    /// Ctrl-C or SIGTERM.
    #[error("interrupted")]
    Interrupted,
    /// An error of the server or of a file.
    #[error("{0}")]
    Failed(String),
}

/// Reports the first failure of a series, and waits before the next attempt. Returns whether to make it.
pub(crate) async fn wait(
    pause: Pause,
    reason: &str,
    stop: &Stop,
    say: &mut (dyn FnMut(String) + Send),
) -> bool {
    if pause.is_first {
        say(format!("{reason}; trying again"));
    }
    stop.wait(pause.length.unwrap_or_default()).await;
    pause.length.is_some() && !stop.requested()
}
