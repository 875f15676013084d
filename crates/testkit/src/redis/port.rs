//! A port that stays one server's own: [`Port`].
//!
//! A server that is started again wants its old port. One that the system hands out (port 0) may by then
//! be the near end of any connection, even of a client that tries to reach this very port and so meets
//! itself. These lie below what the system hands out, and a lock holds each against all other tests.

use std::env;
use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU16, Ordering};

/// The first port that is used; Redis's own and its cluster buses' are elsewhere.
const PORT_MIN: u16 = 20_000;

/// Where Linux begins to hand ports out by default.
const HANDED_OUT_MIN: u16 = 32_768;

/// Ports taken so far in this process.
static TAKEN: AtomicU16 = AtomicU16::new(0);

/// A port of 127.0.0.1 that no other test uses while this is there.
#[derive(Debug)]
pub struct Port {
    number: u16,
    /// Locked; the lock ends with the file.
    _lock: File,
}

impl Port {
    /// Finds a port that is free.
    #[track_caller]
    pub fn reserve() -> Self {
        let count = handed_out_min() - PORT_MIN;
        // Each process begins elsewhere, so that they seldom try the same.
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

    /// 127.0.0.1 and the port.
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.number).into()
    }

    /// The number.
    pub const fn number(&self) -> u16 {
        self.number
    }
}

/// Where the locks are; each user has a folder, since nobody can open the files of another.
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
    // Where the system hands out lower ones there is no better place than this.
    min.filter(|min| *min > PORT_MIN).unwrap_or(HANDED_OUT_MIN)
}
