//! Background writers: single contributions, one after the other, and batches at a fixed interval. They run until they
//! are stopped, or the first error.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use benches::contributions::Contributions;
use benches::home::BATCH;
use benches::http::{Connection, apply_all};

/// The time from sending a contribution to its response.
#[derive(Clone, Copy)]
pub(crate) struct Timing {
    pub(crate) start: Instant,
    pub(crate) end: Instant,
}

/// Threads that write.
pub(crate) struct Writers {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<io::Result<Vec<Timing>>>>,
}

impl Writers {
    /// Creates a set without writers.
    pub(crate) fn none() -> Self {
        Self {
            stop: Arc::default(),
            threads: Vec::new(),
        }
    }

    /// Starts a writer of single contributions.
    pub(crate) fn singles(&mut self, address: SocketAddr, mut stream: Contributions) {
        self.spawn(address, move |connection| {
            let members = stream.random_members(1);
            let request = stream.single(members[0]);
            let start = Instant::now();
            connection.ask(&request)?;
            let end = Instant::now();
            Ok(Some(Timing { start, end }))
        });
    }

    /// Starts a writer of batches, one per interval if the server is fast enough.
    pub(crate) fn batches(
        &mut self,
        address: SocketAddr,
        interval: Duration,
        mut stream: Contributions,
    ) {
        let mut due = Instant::now();
        self.spawn(address, move |connection| {
            let members = stream.random_members(BATCH);
            let request = stream.lines(&members);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            due = Instant::now().max(due + interval);
            apply_all(connection, &request)?;
            Ok(None)
        });
    }

    fn spawn(
        &mut self,
        address: SocketAddr,
        mut write: impl FnMut(&mut Connection) -> io::Result<Option<Timing>> + Send + 'static,
    ) {
        let stop = self.stop.clone();
        self.threads.push(thread::spawn(move || {
            let mut connection = Connection::open(address)?;
            let mut all = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                all.extend(write(&mut connection)?);
            }
            Ok(all)
        }));
    }

    /// Returns whether a writer has ended because of an error.
    pub(crate) fn any_ended(&self) -> bool {
        self.threads.iter().any(JoinHandle::is_finished)
    }

    /// Stops all writers. Returns the timings of the single contributions.
    pub(crate) fn end(self) -> io::Result<Vec<Timing>> {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Vec::new();
        for thread in self.threads {
            let ended = thread.join();
            all.extend(ended.map_err(|_| io::Error::other("a writer panicked"))??);
        }
        Ok(all)
    }
}
