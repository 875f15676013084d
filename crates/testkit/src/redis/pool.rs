//! Servers that tests use one after the other: [`Pool`].
//!
//! To start a server takes longer than most tests. A test that leaves its server as it found it (running,
//! with the same configuration) takes it from a pool ([`Pooled`]); a test that kills, freezes or reconfigures a server starts
//! its own. There are as many servers as tests run at once.

use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::cluster::RedisCluster;
use super::options::RedisOptions;
use super::reply::Reply;
use super::server::RedisServer;

/// What a test may have after another test.
pub trait Reusable {
    /// How it was started.
    fn options(&self) -> RedisOptions;

    /// Ends all connections and removes all keys, functions and statistics. Returns whether it could.
    fn clear(&self) -> bool;
}

impl Reusable for RedisServer {
    fn options(&self) -> RedisOptions {
        Self::options(self).clone()
    }

    fn clear(&self) -> bool {
        // A task of the test before may still have a connection: it goes first.
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

/// Servers of one kind, in a static of a test binary.
#[derive(Debug)]
pub struct Pool<T>(Mutex<Vec<T>>);

impl<T: Reusable> Pool<T> {
    /// Without any yet.
    #[expect(
        clippy::new_without_default,
        reason = "it stands in a static, which calls a constant function"
    )]
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// One that nobody uses, of the program of these options, as good as new; otherwise a new one.
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

/// A server while a test has it. One that a failed test had is not used again.
#[derive(Debug)]
pub struct Pooled<T: Reusable + 'static> {
    server: Option<T>,
    pool: Option<&'static Pool<T>>,
}

/// A server that the test alone has: it ends with this.
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
            .expect("it is there until this is dropped")
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
    /// A server without options that tests of this binary use one after the other.
    #[track_caller]
    pub fn shared() -> Pooled<Self> {
        static PLAIN: Pool<RedisServer> = Pool::new();
        PLAIN.take(RedisOptions::new(), |options| options.start())
    }
}
