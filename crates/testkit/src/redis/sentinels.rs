//! A primary, its replicas and who watches them: [`RedisSentinels`].

use std::sync::Arc;

use super::options::RedisOptions;
use super::server::RedisServer;
use crate::eventually::eventually;

/// What the sentinels call the primary.
pub const PRIMARY_NAME: &str = "mymaster";

/// How many sentinels there are.
const SENTINELS: usize = 3;

/// How many of them have to miss the primary.
const QUORUM: usize = 2;

/// How long the primary may be silent, in milliseconds.
const DOWN_AFTER_MS: u32 = 1_000;

/// How long a failover may take before it is tried anew, in milliseconds.
const FAILOVER_TIMEOUT_MS: u32 = 5_000;

/// How often things are done that a sentinel does each second or less often, in milliseconds. On a
/// machine that stands still for a while a sentinel waits (`TILT`), by itself for 30 s.
const PERIODS_MS: [(&str, u32); 5] = [
    ("INFO-PERIOD", 500),
    ("ASK-PERIOD", 200),
    ("PING-PERIOD", 200),
    ("PUBLISH-PERIOD", 200),
    ("TILT-PERIOD", 1_000),
];

/// A primary with replicas, watched by three sentinels; all end when this is dropped.
#[derive(Debug)]
pub struct RedisSentinels {
    sentinels: Vec<RedisServer>,
    servers: Vec<Arc<RedisServer>>,
    options: RedisOptions,
}

impl RedisSentinels {
    /// Starts a primary, so many replicas and the sentinels, and waits until these know each other and
    /// all servers. Options hold for the primary and its replicas.
    #[track_caller]
    pub fn start(replicas: usize, options: &RedisOptions) -> Self {
        let primary = options.start();
        let follow = options.clone().replica_of(&primary);
        let followers = (0..replicas).map(|_| Arc::new(follow.start()));
        let followers: Vec<_> = followers.collect();
        let watch = watching(&primary);
        let sentinels = (0..SENTINELS).map(|_| watch.start()).collect();
        let servers = [vec![Arc::new(primary)], followers].concat();
        let started = Self {
            sentinels,
            servers,
            options: options.clone(),
        };
        for sentinel in &started.sentinels {
            for (period, ms) in PERIODS_MS {
                sentinel
                    .command(&["SENTINEL", "DEBUG", period, &ms.to_string()])
                    .ok();
            }
        }
        started.wait_until_known();
        started
    }

    /// Waits until each sentinel sees all others, a primary and its replicas, none of them down.
    #[track_caller]
    pub fn wait_until_known(&self) {
        eventually("sentinels that know of all", || {
            let mut sentinels = self
                .sentinels
                .iter()
                .filter(|sentinel| sentinel.is_running());
            sentinels
                .all(|sentinel| self.knows_all(sentinel))
                .then_some(())
        });
    }

    fn knows_all(&self, sentinel: &RedisServer) -> bool {
        let up = |kind: &str| {
            let reply = sentinel.command(&["SENTINEL", kind, PRIMARY_NAME]);
            let all = reply.items().iter();
            all.filter(|one| is_well(flags(one.items()))).count()
        };
        let running = self.servers.iter().filter(|server| server.is_running());
        up("REPLICAS") + 1 == running.count() && up("SENTINELS") + 1 == SENTINELS
    }

    /// The server that the sentinels hold for the primary.
    #[track_caller]
    pub fn primary(&self) -> Arc<RedisServer> {
        let mut sentinels = self.sentinels.iter();
        let sentinel = sentinels.find(|sentinel| sentinel.is_running());
        let sentinel = sentinel.expect("a sentinel that runs");
        let address = sentinel.command(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", PRIMARY_NAME]);
        let port: u16 = address.items()[1].text().parse().unwrap();
        let mut servers = self.servers.iter();
        let primary = servers.find(|server| server.port() == port);
        Arc::clone(primary.expect("one of these servers"))
    }

    /// Kills the primary, and gives it back.
    #[track_caller]
    pub fn kill_primary(&self) -> Arc<RedisServer> {
        let primary = self.primary();
        primary.kill();
        primary
    }

    /// Waits until the sentinels name another primary than this one, which writes, and gives that.
    #[track_caller]
    pub fn primary_after(&self, old: &RedisServer) -> Arc<RedisServer> {
        eventually("another primary", || {
            let primary = self.primary();
            let is_other = primary.port() != old.port() && primary.is_primary();
            is_other.then_some(primary)
        })
    }

    /// All servers, the first primary first.
    pub fn servers(&self) -> &[Arc<RedisServer>] {
        &self.servers
    }

    /// The sentinels.
    pub fn sentinels(&self) -> &[RedisServer] {
        &self.sentinels
    }

    /// `redis-sentinel://HOST:PORT,HOST:PORT,HOST:PORT/mymaster`, with who may log in to the servers where
    /// not everybody may.
    pub fn url(&self) -> String {
        let addresses = self
            .sentinels
            .iter()
            .map(|sentinel| sentinel.address().to_string());
        let addresses = addresses.collect::<Vec<_>>().join(",");
        let login = self.options.url_login();
        format!("redis-sentinel://{login}{addresses}/{PRIMARY_NAME}")
    }
}

fn watching(primary: &RedisServer) -> RedisOptions {
    let name = PRIMARY_NAME;
    let port = primary.port();
    let mut lines = vec![
        format!("sentinel monitor {name} 127.0.0.1 {port} {QUORUM}"),
        format!("sentinel down-after-milliseconds {name} {DOWN_AFTER_MS}"),
        format!("sentinel failover-timeout {name} {FAILOVER_TIMEOUT_MS}"),
    ];
    if let Some(login) = &primary.options().admin {
        if !login.name.is_empty() {
            lines.push(format!("sentinel auth-user {name} {}", login.name));
        }
        lines.push(format!("sentinel auth-pass {name} {}", login.password));
    }
    RedisOptions::sentinel(&lines)
}

/// Whether these are the flags of a replica or a sentinel that is well: its role, and what a sentinel last said
/// of the primary, which Valkey 9 keeps of a primary that was replaced.
fn is_well(flags: &str) -> bool {
    let mut own = flags.split(',').filter(|flag| *flag != "master_down");
    matches!((own.next(), own.next()), (Some("slave" | "sentinel"), None))
}

/// The value of `flags` among names and values.
fn flags(fields: &[super::Reply]) -> &str {
    let mut pairs = fields.chunks(2);
    let found = pairs.find(|pair| pair[0].text() == "flags");
    found.expect("flags")[1].text()
}
