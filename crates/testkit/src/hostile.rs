//! A peer that is not what it should be: [`HostilePeer`] answers every connection with the same bytes.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What a [`HostilePeer`] sends.
#[derive(Clone, Debug)]
pub struct HostileBytes {
    /// What it sends first.
    pub first: String,
    /// Whether `x` follows without end.
    pub is_endless: bool,
}

/// A listener on 127.0.0.1. When it is dropped it accepts no more connections.
#[derive(Debug)]
pub struct HostilePeer {
    address: SocketAddr,
    ended: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl HostilePeer {
    /// Listens on a free port, and sends these bytes to each client that has sent something.
    #[track_caller]
    pub fn sending(bytes: HostileBytes) -> Self {
        Self::at(SocketAddr::from(([127, 0, 0, 1], 0)), bytes)
    }

    /// Listens on this address, which must be free.
    #[track_caller]
    pub fn at(address: SocketAddr, bytes: HostileBytes) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let ended = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&ended);
        let accepting = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let bytes = bytes.clone();
                thread::spawn(move || answer(stream, &bytes));
            }
        });
        Self {
            address,
            ended,
            accepting: Some(accepting),
        }
    }

    /// Returns the address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for HostilePeer {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // The thread waits for a connection; this one wakes it up.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

fn answer(mut stream: TcpStream, bytes: &HostileBytes) {
    let mut request = [0; 4096];
    if stream.read(&mut request).is_err() || stream.write_all(bytes.first.as_bytes()).is_err() {
        return;
    }
    let more = vec![b'x'; 64 << 10];
    // A limit for a test that fails: 4 GiB.
    let mut left = if bytes.is_endless { 1 << 16 } else { 0 };
    while left > 0 && stream.write_all(&more).is_ok() {
        left -= 1;
    }
    // The connection stays open until the client closes it.
    let _ = stream.set_read_timeout(Some(Duration::from_mins(1)));
    while stream.read(&mut request).is_ok_and(|read| read > 0) {}
}
