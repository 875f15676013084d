//! A primary that sentinels monitor.

use std::sync::Arc;

use futures::future::join_all;
use testkit::redis::{FaultProxy, PRIMARY_NAME, RedisOptions, RedisSentinels, RedisServer, Reply};

use super::counting::{answer, count, location_of, make, open, open_with, refusal, see, until};
use crate::Nodes;
use crate::settings::RedisSettings;

#[tokio::test(flavor = "multi_thread")]
async fn the_next_primary_is_found_when_one_is_killed() {
    let sentinels = RedisSentinels::start(1, &RedisOptions::new());
    // With acks, so that the replica has the data with which it continues.
    let careful = RedisSettings {
        acks: 1,
        ..RedisSettings::default()
    };
    let careful = open_with(&sentinels.url(), &careful).await.unwrap();
    make(&careful, &count("n", "a")).await.unwrap();
    let servers = open(&sentinels.url()).await;
    let before = answer(&servers, &see("n")).await.unwrap().epoch;

    let killed = sentinels.kill_primary();
    assert_eq!(make(&servers, &count("n", "b")).await.unwrap(), "2");
    assert_ne!(answer(&servers, &see("n")).await.unwrap().epoch, before);
    // The old one returns as a primary, for a moment: no call is sent to it.
    killed.start();
    for name in 0..100 {
        make(&servers, &count("n", &name.to_string()))
            .await
            .unwrap();
    }
    assert_eq!(make(&servers, &see("n")).await.unwrap(), "102");
    until("a store that is ready", async || servers.ready().is_ok()).await;
}

/// A primary with replicas, and sentinels that may be kept from announcing a failover.
struct Failover {
    sentinels: RedisSentinels,
    proxies: Vec<FaultProxy>,
    old: Arc<RedisServer>,
    servers: Nodes,
}

impl Failover {
    /// A store that has counted to 1, on all nodes.
    async fn to_come(acks: u32) -> Self {
        let sentinels = RedisSentinels::start(2, &RedisOptions::new());
        let old = sentinels.primary();
        let proxies = sentinels.sentinels().iter().map(FaultProxy::before);
        let proxies: Vec<FaultProxy> = proxies.collect();
        let addresses = proxies.iter().map(|proxy| proxy.address().to_string());
        let addresses = addresses.collect::<Vec<_>>().join(",");
        let settings = RedisSettings {
            acks,
            ..RedisSettings::default()
        };
        let url = format!("redis-sentinel://{addresses}/{PRIMARY_NAME}");
        let servers = open_with(&url, &settings).await.unwrap();
        make(&servers, &count("n", "a")).await.unwrap();
        until("replicas that have all", async || {
            let mut servers = sentinels.servers().iter();
            servers.all(|server| server.command(&["HGET", "n", "n"]) == Reply::Bulk(b"1".to_vec()))
        })
        .await;
        Self {
            sentinels,
            proxies,
            old,
            servers,
        }
    }

    /// Returns the next primary: neither the old one learns of it, nor the store until
    /// [`announce`](Self::announce).
    async fn unannounced(&self) -> Arc<RedisServer> {
        self.proxies.iter().for_each(FaultProxy::refuse);
        self.old
            .command(&["ACL", "SETUSER", "default", "-replicaof", "-slaveof"])
            .ok();
        self.sentinels.sentinels()[0]
            .command(&["SENTINEL", "FAILOVER", PRIMARY_NAME])
            .ok();
        let next = self.sentinels.primary_after(&self.old);
        until("a primary without replicas", async || {
            self.old.replicas() == 0 && next.replicas() > 0
        })
        .await;
        next
    }

    /// Lets the store learn of it.
    fn announce(&self) {
        self.proxies.iter().for_each(FaultProxy::accept);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_waits_on_a_superseded_primary_goes_to_the_next_one() {
    let failover = Failover::to_come(1).await;
    let next = failover.unannounced().await;
    let Failover { old, servers, .. } = &failover;
    let calls = [count("n", "b"), count("n", "c")];
    let made = join_all(calls.iter().map(|call| make(servers, call)));
    let follows = async {
        until("writes that wait", async || {
            old.command(&["HGET", "n", "n"]).text() == "3"
        })
        .await;
        failover.announce();
    };
    let (made, ()) = tokio::join!(made, follows);
    assert!(made.iter().all(Result::is_ok), "{made:?}");
    assert!(old.is_primary());
    assert_eq!(next.command(&["HGET", "n", "n"]).text(), "3");
}

/// The node that is left does not reply, so that calls wait to be sent to it.
#[tokio::test(flavor = "multi_thread")]
async fn calls_that_wait_for_a_superseded_primary_are_sent_to_the_next_one() {
    const CALLS: usize = 60;
    let failover = Failover::to_come(0).await;
    let next = failover.unannounced().await;
    let Failover { old, servers, .. } = &failover;
    old.command(&["CLIENT", "PAUSE", "60000", "WRITE"]).ok();
    let calls: Vec<_> = (0..CALLS)
        .map(|name| count("n", &name.to_string()))
        .collect();
    let made = join_all(calls.iter().map(|call| make(servers, call)));
    let follows = async {
        let location = location_of("n");
        until("calls that wait", async || {
            let backlog = servers.writes_backlog(location);
            backlog.is_some_and(|backlog| !backlog.overload().wait.is_zero())
        })
        .await;
        failover.announce();
        until("the next primary", async || {
            servers.topology.stale(None);
            let route = servers.topology.route(location);
            route.is_ok_and(|node| node.address().to_string() == next.address().to_string())
        })
        .await;
        old.command(&["CLIENT", "UNPAUSE"]).ok();
    };
    let (made, ()) = tokio::join!(made, follows);
    assert!(made.iter().all(Result::is_ok), "{made:?}");
    let counted = |server: &RedisServer| -> usize {
        let counted = server.command(&["HGET", "n", "n"]);
        counted.text().parse().unwrap()
    };
    let (there, here) = (counted(old) - 1, counted(&next) - 1);
    // At first at most ten are under way; those had been sent.
    assert!(
        there <= 10 && there + here >= CALLS,
        "{there} there, {here} here"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_no_sentinel_knows_is_reported() {
    let sentinels = RedisSentinels::start(1, &RedisOptions::new());
    let url = sentinels.url().replace("/mymaster", "/other");
    let refused = refusal(&url, &RedisSettings::default()).await;
    assert!(
        refused.contains("it does not know a primary named \"other\""),
        "{refused}"
    );
}
