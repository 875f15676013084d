//! A primary that sentinels know.

use end_to_end::redis::{FaultProxy, PRIMARY_NAME, RedisOptions, RedisSentinels, Reply};

use futures::future::join_all;

use super::stage::{answer, count, give_functions, make, open, open_with, refusal, see, until};
use crate::redis::settings::RedisSettings;

#[tokio::test(flavor = "multi_thread")]
async fn the_next_primary_is_found_when_one_is_killed() {
    let sentinels = RedisSentinels::start(1, &RedisOptions::new());
    give_functions(&sentinels.primary());
    // With acks, so that the replica has what it is to go on from.
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
    // The old one comes back as a primary, for a moment: nobody goes there.
    killed.start();
    for name in 0..100 {
        make(&servers, &count("n", &name.to_string()))
            .await
            .unwrap();
    }
    assert_eq!(make(&servers, &see("n")).await.unwrap(), "102");
    until("a store that is ready", async || servers.ready().is_ok()).await;
}

/// A failover that the old primary does not hear of, nor the store before a write waits there.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_waits_on_a_superseded_primary_goes_to_the_next_one() {
    let sentinels = RedisSentinels::start(2, &RedisOptions::new());
    let old = sentinels.primary();
    give_functions(&old);
    let proxies = sentinels.sentinels().iter().map(FaultProxy::before);
    let proxies: Vec<FaultProxy> = proxies.collect();
    let addresses = proxies.iter().map(|proxy| proxy.address().to_string());
    let addresses = addresses.collect::<Vec<_>>().join(",");
    let settings = RedisSettings {
        acks: 1,
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

    proxies.iter().for_each(FaultProxy::refuse);
    old.command(&["ACL", "SETUSER", "default", "-replicaof", "-slaveof"])
        .ok();
    sentinels.sentinels()[0]
        .command(&["SENTINEL", "FAILOVER", PRIMARY_NAME])
        .ok();
    let next = sentinels.primary_after(&old);
    until("a primary that nobody follows", async || {
        old.replicas() == 0 && next.replicas() > 0
    })
    .await;
    let calls = [count("n", "b"), count("n", "c")];
    let made = join_all(calls.iter().map(|call| make(&servers, call)));
    let follows = async {
        until("writes that wait", async || {
            old.command(&["HGET", "n", "n"]).text() == "3"
        })
        .await;
        proxies.iter().for_each(FaultProxy::accept);
    };
    let (made, ()) = tokio::join!(made, follows);
    assert!(made.iter().all(Result::is_ok), "{made:?}");
    assert!(old.is_primary());
    assert_eq!(next.command(&["HGET", "n", "n"]).text(), "3");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_no_sentinel_knows_is_told() {
    let sentinels = RedisSentinels::start(1, &RedisOptions::new());
    let url = sentinels.url().replace("/mymaster", "/other");
    let refused = refusal(&url, &RedisSettings::default()).await;
    assert!(
        refused.contains("it knows no primary \"other\""),
        "{refused}"
    );
}
