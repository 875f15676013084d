//! Ctrl-C and SIGTERM: [`Stop`] says whether the command was asked to end.
//!
//! The first signal asks, and what is under way is finished; a second ends the process there.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};

/// What a shell reports of a process that Ctrl-C ended.
pub(crate) const INTERRUPTED: u8 = 130;
/// How long it may take until a request to end is noticed.
pub(crate) const NOTICED_WITHIN: Duration = Duration::from_millis(50);

/// Clones are one.
#[derive(Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens for both signals from now on.
    pub(crate) fn on_signals() -> io::Result<Self> {
        let stop = Self::default();
        let asked = stop.clone();
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
                        if asked.requested() {
                            std::process::exit(i32::from(INTERRUPTED));
                        }
                        asked.request();
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

    /// As [`sleep`](Self::sleep), without blocking the thread.
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

    /// Sleeps for so long, or until asked to end.
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
