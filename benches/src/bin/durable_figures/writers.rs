//! Writers that go on in the background: single contributions as fast as they are answered, and
//! batches at a pace. They end when they are told to, or with the first error.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use benches::contributions::Contributions;
use benches::http::{Connection, apply_all};

use crate::ours::BATCH;

/// From the sending of a contribution until it was answered.
#[derive(Clone, Copy)]
pub(crate) struct Took {
    pub(crate) from: Instant,
    pub(crate) until: Instant,
}

/// Threads that write, and what was asked of them.
pub(crate) struct Writers {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<io::Result<Vec<Took>>>>,
}

impl Writers {
    /// None yet.
    pub(crate) fn none() -> Self {
        Self {
            stop: Arc::default(),
            threads: Vec::new(),
        }
    }

    /// One more connection that sends single contributions.
    pub(crate) fn singles(&mut self, address: SocketAddr, mut stream: Contributions) {
        self.spawn(address, move |connection| {
            let members = stream.anyone(1);
            let request = stream.single(members[0]);
            let from = Instant::now();
            connection.ask(&request)?;
            let until = Instant::now();
            Ok(Some(Took { from, until }))
        });
    }

    /// One more connection that sends batches, one in each interval where the server keeps up.
    pub(crate) fn batches(
        &mut self,
        address: SocketAddr,
        interval: Duration,
        mut stream: Contributions,
    ) {
        let mut due = Instant::now();
        self.spawn(address, move |connection| {
            let members = stream.anyone(BATCH);
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
        mut write: impl FnMut(&mut Connection) -> io::Result<Option<Took>> + Send + 'static,
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

    /// Whether one has ended, which only an error brings about.
    pub(crate) fn any_ended(&self) -> bool {
        self.threads.iter().any(JoinHandle::is_finished)
    }

    /// Ends them: how long the single contributions took.
    pub(crate) fn end(self) -> io::Result<Vec<Took>> {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Vec::new();
        for thread in self.threads {
            let ended = thread.join();
            all.extend(ended.map_err(|_| io::Error::other("a writer panicked"))??);
        }
        Ok(all)
    }
}
