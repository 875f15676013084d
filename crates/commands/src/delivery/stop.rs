//! Ctrl-C and SIGTERM: [`Stop`].
//!
//! After the first signal, the command completes the current write, or drops the current read, and ends. A second one
//! ends the process at once.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};

use super::Halt;

/// The exit status that shells report for a process ended by Ctrl-C.
pub const INTERRUPTED: u8 = 130;
/// The interval at which waiting code checks for a signal.
pub(crate) const NOTICED_WITHIN: Duration = Duration::from_millis(50);

/// Whether a signal was received. Clones share the state.
#[derive(Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Handles both signals from now on.
    pub(crate) fn on_signals() -> io::Result<Self> {
        let stop = Self::default();
        let signalled = stop.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()?;
        let (mut int, mut term) = {
            let _entered = runtime.enter();
            (
                signal(SignalKind::interrupt())?,
                signal(SignalKind::terminate())?,
            )
        };
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    loop {
                        tokio::select! {
                            Some(()) = int.recv() => {}
                            Some(()) = term.recv() => {}
                            else => return,
                        }
                        if signalled.requested() {
                            std::process::exit(i32::from(INTERRUPTED));
                        }
                        signalled.request();
                    }
                });
            })?;
        Ok(stop)
    }

    pub(crate) fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Waits for this time, or until a signal is received.
    pub(crate) async fn wait(&self, pause: Duration) {
        let end = Instant::now() + pause;
        while !self.requested() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.min(NOTICED_WITHIN)).await;
        }
    }

    /// Waits for a response, which is dropped if a signal is received before it.
    pub(crate) async fn unless_requested<T>(
        &self,
        response: impl Future<Output = T>,
    ) -> Result<T, Halt> {
        let mut response = pin!(response);
        while !self.requested() {
            if let Ok(response) = tokio::time::timeout(NOTICED_WITHIN, &mut response).await {
                return Ok(response);
            }
        }
        Err(Halt::Interrupted)
    }

    /// Blocks the thread for this time, or until a signal is received.
    pub(crate) fn sleep(&self, pause: Duration) {
        let end = Instant::now() + pause;
        while !self.requested() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            thread::sleep(left.min(NOTICED_WITHIN));
        }
    }
}
