//! Ctrl-C and SIGTERM: [`Stop`].
//!
//! After the first signal, the command completes the current write, or drops the current read, and ends. A second one
//! ends the process at once.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::timeout;

use super::Halt;

/// The exit status that shells report for a process ended by Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Whether a signal was received. Clones share the state.
#[derive(Clone, Debug, Default)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// Handles both signals from now on. Must be called in the context of a runtime.
    pub fn on_signals() -> io::Result<Self> {
        let stop = Self::default();
        let signalled = stop.clone();
        let mut int = signal(SignalKind::interrupt())?;
        let mut term = signal(SignalKind::terminate())?;
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = int.recv() => {}
                    _ = term.recv() => {}
                }
                if signalled.is_requested() {
                    std::process::exit(i32::from(INTERRUPTED));
                }
                signalled.request();
            }
        });
        Ok(stop)
    }

    /// Stops as after a signal.
    pub fn request(&self) {
        self.0.send_replace(true);
    }

    /// Returns whether a signal was received.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits for a signal.
    pub async fn requested(&self) {
        // The sender is not dropped meanwhile.
        let _ = self
            .0
            .subscribe()
            .wait_for(|is_requested| *is_requested)
            .await;
    }

    /// Waits for this time, or until a signal is received.
    pub(crate) async fn wait(&self, pause: Duration) {
        let _ = timeout(pause, self.requested()).await;
    }

    /// Waits for a response, which is dropped if a signal is received before it.
    pub(crate) async fn unless_requested<T>(
        &self,
        response: impl Future<Output = T>,
    ) -> Result<T, Halt> {
        tokio::select! {
            biased;
            () = self.requested() => Err(Halt::Interrupted),
            response = response => Ok(response),
        }
    }
}
