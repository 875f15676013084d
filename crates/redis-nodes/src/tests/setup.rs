//! Errors at the start: wrong logins, wrong servers, wrong settings.

use testkit::redis::{RedisCluster, RedisOptions, RedisServer};

use super::counting::{make, open, open_with, ping, refusal};
use crate::OpenError;
use crate::settings::RedisSettings;

async fn why_not(url: &str) -> String {
    refusal(url, &RedisSettings::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn users_and_passwords_are_used() {
    let by_password = RedisOptions::new().password("se:cret").start();
    let url = by_password.url().replace("se:cret", "se%3Acret");
    make(&open(&url).await, &ping()).await.unwrap();
    let user = RedisOptions::new().user("board", "secret", "~* &* +@all");
    let user = user.start();
    make(&open(&user.url()).await, &ping()).await.unwrap();
    let wrong = why_not(&user.url().replace("secret", "hidden")).await;
    assert!(
        wrong.contains("WRONGPASS") && !wrong.contains("hidden"),
        "{wrong}"
    );
    let nobody = why_not(&user.url().replace("board:secret@", "")).await;
    assert!(nobody.contains("NOAUTH"), "{nobody}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_may_drop_keys_is_refused_unless_configured_otherwise() {
    let redis = RedisOptions::new()
        .config("maxmemory-policy allkeys-lru")
        .start();
    let refused = why_not(&redis.url()).await;
    assert!(
        refused.contains("allkeys-lru") && refused.contains("allow_eviction"),
        "{refused}"
    );
    let settings = RedisSettings {
        allow_eviction: true,
        ..RedisSettings::default()
    };
    let servers = open_with(&redis.url(), &settings).await.unwrap();
    make(&servers, &ping()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_a_primary_of_its_kind_is_refused() {
    let primary = RedisServer::plain();
    let replica = RedisOptions::new().replica_of(&primary).start();
    let refused = why_not(&replica.url()).await;
    assert!(refused.contains("it is a replica"), "{refused}");
    let cluster = RedisCluster::start(2, 0, &RedisOptions::new());
    let node = cluster.nodes()[0].url();
    let refused = why_not(&node).await;
    assert!(refused.contains("redis-cluster://"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_have_to_be_there() {
    let settings = RedisSettings {
        tls_ca: Some("no/such/file.pem".into()),
        ..RedisSettings::default()
    };
    let error = open_with("rediss://localhost", &settings)
        .await
        .unwrap_err();
    assert!(matches!(error, OpenError::Tls(_)), "{error:?}");
    assert!(error.to_string().contains("no/such/file.pem"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn data_of_another_format_is_refused_and_not_changed() {
    let identity = "0123456789abcdef";
    for (command, key, format) in [
        // One that was never released, and a later one.
        ("SET megaboard:{registry}:store", "", ""),
        ("SET megaboard:{registry}:store", "", "2:"),
        ("HSET megaboard:server", "id", ""),
    ] {
        let redis = RedisServer::plain();
        let identity = format!("{format}{identity}");
        let words = command.split(' ').chain([key, &identity]);
        redis.command(&words.filter(|word| !word.is_empty()).collect::<Vec<_>>());
        let of_independent = format!("{},{}", redis.url(), RedisServer::plain().address());
        let of_data = |redis: &RedisServer| {
            let keys = redis.command(&["DBSIZE"]);
            let key = command.split(' ').nth(1).unwrap();
            let dump = redis.command(&["DUMP", key]);
            format!(
                "{keys:?} {dump:?} {:?}",
                redis.command(&["FUNCTION", "LIST"])
            )
        };
        let before = of_data(&redis);
        for url in [redis.url(), of_independent] {
            let refused = why_not(&url).await;
            let sentence = "its data is not of format 1, the only one that this server supports";
            assert_eq!(refused, format!("{}: {sentence}", redis.address()));
            assert_eq!(of_data(&redis), before);
        }
    }
}
