//! What the commands have in common that send lines, or read long: why they end early ([`Halt`]), the request to end
//! ([`Stop`]), which lines must keep their order ([`Order`]), the pause before an attempt ([`wait`]).
//!
//! The requests, what their responses mean, and when the next attempt is, are the client's
//! ([`megaboard_client::Sender`]).
//!
//! **Invariant:** a command sends again only what cannot count twice: what was definitely not applied, has an id, or
//! sets a standing at a time of its own. The command decides that, since it knows what it sends.

mod order;
mod stop;

use megaboard_client::Pause;

pub(crate) use order::Order;
pub(crate) use stop::{INTERRUPTED, NOTICED_WITHIN, Stop};

/// Why a command ends before all is done.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum Halt {
    /// Ctrl-C or SIGTERM.
    #[error("interrupted")]
    Interrupted,
    /// What the server did, or what became of a file.
    #[error("{0}")]
    Failed(String),
}

/// Reports the first failure of a series and waits for the next attempt; returns whether there is to be one.
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
