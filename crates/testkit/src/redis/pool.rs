//! Servers that several tests use one after the other: [`Pool`].
//!
//! Starting a server takes longer than most tests. A test that leaves its server as it found it
//! (running, with the same configuration) takes it from a pool ([`Pooled`]). A test that kills,
//! freezes or reconfigures a server starts its own. A pool has as many servers as tests run
//! concurrently.

use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::cluster::RedisCluster;
use super::options::RedisOptions;
use super::reply::Reply;
use super::server::RedisServer;

/// What a test can use after another test.
pub trait Reusable {
    /// Returns the options that it was started with.
    fn options(&self) -> RedisOptions;

    /// Closes all connections and removes all keys, functions and statistics. Returns whether that
    /// succeeded.
    fn clear(&self) -> bool;
}

impl Reusable for RedisServer {
    fn options(&self) -> RedisOptions {
        Self::options(self).clone()
    }

    fn clear(&self) -> bool {
        // Connections first: a task of the previous test may still have one.
        let commands: [&[&str]; 4] = [
            &["CLIENT", "KILL", "TYPE", "normal"],
            &["FLUSHALL", "SYNC"],
            &["FUNCTION", "FLUSH", "SYNC"],
            &["CONFIG", "RESETSTAT"],
        ];
        self.is_running()
            && commands.iter().all(|words| {
                let reply = self.try_command(words);
                reply.is_ok_and(|reply| !matches!(reply, Reply::Error(_)))
            })
    }
}

impl<const N: usize> Reusable for [RedisServer; N] {
    fn options(&self) -> RedisOptions {
        self[0].options().clone()
    }

    fn clear(&self) -> bool {
        self.iter().all(Reusable::clear)
    }
}

impl Reusable for RedisCluster {
    fn options(&self) -> RedisOptions {
        self.nodes()[0].options().clone()
    }

    fn clear(&self) -> bool {
        self.nodes().iter().all(|node| node.clear())
    }
}

/// A pool of servers of one kind, for a static of a test binary.
#[derive(Debug)]
pub struct Pool<T>(Mutex<Vec<T>>);

impl<T: Reusable> Pool<T> {
    /// Creates an empty pool.
    #[expect(
        clippy::new_without_default,
        reason = "a pool is a static, which requires a const function"
    )]
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Takes an idle server that runs the program of these options and clears it, or starts a new
    /// one.
    #[track_caller]
    pub fn take(
        &'static self,
        options: RedisOptions,
        start: impl FnOnce(RedisOptions) -> T,
    ) -> Pooled<T> {
        loop {
            let idle = {
                let mut servers = self.servers();
                let known = servers
                    .iter()
                    .position(|server| server.options().program == options.program);
                known.map(|known| servers.swap_remove(known))
            };
            let server = match idle {
                Some(server) if server.clear() => server,
                Some(_) => continue,
                None => start(options),
            };
            return Pooled {
                server: Some(server),
                pool: Some(self),
            };
        }
    }

    fn servers(&self) -> std::sync::MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server in use by a test. After a failed test it is not returned to the pool.
#[derive(Debug)]
pub struct Pooled<T: Reusable + 'static> {
    server: Option<T>,
    pool: Option<&'static Pool<T>>,
}

/// A server outside of any pool, killed on drop.
impl<T: Reusable> From<T> for Pooled<T> {
    fn from(server: T) -> Self {
        Self {
            server: Some(server),
            pool: None,
        }
    }
}

impl<T: Reusable> Deref for Pooled<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.server
            .as_ref()
            .expect("the server is present until drop")
    }
}

impl<T: Reusable> Drop for Pooled<T> {
    fn drop(&mut self) {
        if let (Some(server), Some(pool)) = (self.server.take(), self.pool)
            && !thread::panicking()
        {
            pool.servers().push(server);
        }
    }
}

impl RedisServer {
    /// Returns a server with default options from a pool of this test binary.
    #[track_caller]
    pub fn shared() -> Pooled<Self> {
        static PLAIN: Pool<RedisServer> = Pool::new();
        PLAIN.take(RedisOptions::new(), |options| options.start())
    }
}
