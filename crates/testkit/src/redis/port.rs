//! A port reserved for one server: [`Port`].
//!
//! A restarted server needs its old port. A port assigned by the system (port 0) may by then be the
//! local end of any connection, even of a client that connects to that port and so reaches itself.
//! The ports used here are below the ephemeral range, and a lock file protects each from other
//! tests.

use std::env;
use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU16, Ordering};

/// The first port that is used; the default ports of Redis and of its cluster bus are outside of
/// the range.
const PORT_MIN: u16 = 20_000;

/// The default start of the ephemeral range on Linux.
const HANDED_OUT_MIN: u16 = 32_768;

/// The number of ports reserved so far by this process.
static TAKEN: AtomicU16 = AtomicU16::new(0);

/// A port of 127.0.0.1 that no other test uses while this exists.
#[derive(Debug)]
pub struct Port {
    number: u16,
    /// The lock ends when the file is closed.
    _lock: File,
}

impl Port {
    /// Reserves a free port.
    #[track_caller]
    pub fn reserve() -> Self {
        let count = handed_out_min() - PORT_MIN;
        // Each process starts at another port, so that collisions are rare.
        let first = process::id().wrapping_mul(97) % u32::from(count);
        for _ in 0..count {
            let next = first + u32::from(TAKEN.fetch_add(1, Ordering::Relaxed));
            let offset = u16::try_from(next % u32::from(count)).unwrap();
            if let Some(port) = Self::try_reserve(PORT_MIN + offset) {
                return port;
            }
        }
        panic!("no port from {PORT_MIN} on is free");
    }

    fn try_reserve(number: u16) -> Option<Self> {
        let path = locks().join(number.to_string());
        let lock = File::options().create(true).append(true).open(path);
        let lock = lock.unwrap();
        lock.try_lock().ok()?;
        TcpListener::bind((Ipv4Addr::LOCALHOST, number)).ok()?;
        Some(Self {
            number,
            _lock: lock,
        })
    }

    /// Returns 127.0.0.1 and the port.
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.number).into()
    }

    /// Returns the port number.
    pub const fn number(&self) -> u16 {
        self.number
    }
}

/// Returns the folder of the lock files, one for each user, since users cannot open each other's
/// files.
fn locks() -> PathBuf {
    let user = env::var("USER").unwrap_or_default();
    let folder = env::temp_dir().join(format!("ports-of-tests-{user}"));
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn handed_out_min() -> u16 {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let min = range.split_whitespace().next();
    let min = min.and_then(|min| min.parse().ok());
    // If the system assigns lower ports, there is no better choice than the default.
    min.filter(|min| *min > PORT_MIN).unwrap_or(HANDED_OUT_MIN)
}
