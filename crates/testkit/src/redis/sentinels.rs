//! A primary and its replicas, monitored by sentinels: [`RedisSentinels`].

use std::sync::Arc;

use super::options::RedisOptions;
use super::server::RedisServer;
use crate::eventually::eventually;

/// The name of the primary at the sentinels.
pub const PRIMARY_NAME: &str = "mymaster";

/// The number of sentinels.
const SENTINELS: usize = 3;

/// The number of sentinels that must find the primary down.
const QUORUM: usize = 2;

/// How long the primary may be unreachable before it is down, in milliseconds.
const DOWN_AFTER_MS: u32 = 1_000;

/// How long a failover may take before it is retried, in milliseconds.
const FAILOVER_TIMEOUT_MS: u32 = 5_000;

/// The periods of tasks that a sentinel runs every second or less often, in milliseconds. After a
/// pause of the machine a sentinel waits (`TILT`), by default for 30 s.
const PERIODS_MS: [(&str, u32); 5] = [
    ("INFO-PERIOD", 500),
    ("ASK-PERIOD", 200),
    ("PING-PERIOD", 200),
    ("PUBLISH-PERIOD", 200),
    ("TILT-PERIOD", 1_000),
];

/// A primary with replicas, monitored by three sentinels; all are killed on drop.
#[derive(Debug)]
pub struct RedisSentinels {
    sentinels: Vec<RedisServer>,
    servers: Vec<Arc<RedisServer>>,
    options: RedisOptions,
}

impl RedisSentinels {
    /// Starts a primary, `replicas` replicas and the sentinels, and waits until the sentinels know
    /// each other and all servers. The options apply to the primary and its replicas.
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

    /// Waits until each sentinel sees all others, the primary and its replicas, and none of them is
    /// down.
    #[track_caller]
    pub fn wait_until_known(&self) {
        eventually("the sentinels know all servers", || {
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

    /// Returns the primary according to the sentinels.
    #[track_caller]
    pub fn primary(&self) -> Arc<RedisServer> {
        let mut sentinels = self.sentinels.iter();
        let sentinel = sentinels.find(|sentinel| sentinel.is_running());
        let sentinel = sentinel.expect("a running sentinel");
        let address = sentinel.command(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", PRIMARY_NAME]);
        let port: u16 = address.items()[1].text().parse().unwrap();
        let mut servers = self.servers.iter();
        let primary = servers.find(|server| server.port() == port);
        Arc::clone(primary.expect("one of these servers"))
    }

    /// Kills the primary, and returns it.
    #[track_caller]
    pub fn kill_primary(&self) -> Arc<RedisServer> {
        let primary = self.primary();
        primary.kill();
        primary
    }

    /// Waits until the sentinels report another primary than `old`, which accepts writes. Returns
    /// it.
    #[track_caller]
    pub fn primary_after(&self, old: &RedisServer) -> Arc<RedisServer> {
        eventually("another primary is elected", || {
            let primary = self.primary();
            let is_other = primary.port() != old.port() && primary.is_primary();
            is_other.then_some(primary)
        })
    }

    /// Returns all servers; the initial primary is the first.
    pub fn servers(&self) -> &[Arc<RedisServer>] {
        &self.servers
    }

    /// Returns the sentinels.
    pub fn sentinels(&self) -> &[RedisServer] {
        &self.sentinels
    }

    /// Returns `redis-sentinel://HOST:PORT,HOST:PORT,HOST:PORT/mymaster`, with the login to the
    /// servers if one is required.
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

/// Returns whether these are the flags of a healthy replica or sentinel: the role, and the last
/// reported state of the primary, which Valkey 9 keeps for a primary that was replaced.
fn is_well(flags: &str) -> bool {
    let mut own = flags.split(',').filter(|flag| *flag != "master_down");
    matches!((own.next(), own.next()), (Some("slave" | "sentinel"), None))
}

/// Returns the value of `flags` in a list of names and values.
fn flags(fields: &[super::Reply]) -> &str {
    let mut pairs = fields.chunks(2);
    let found = pairs.find(|pair| pair[0].text() == "flags");
    found.expect("flags")[1].text()
}
