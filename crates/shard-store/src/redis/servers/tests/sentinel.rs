//! A primary that sentinels know.

use end_to_end::redis::{RedisOptions, RedisSentinels};

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
