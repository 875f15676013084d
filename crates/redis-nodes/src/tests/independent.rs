//! Independent servers: their identities, whatever the order of the list.

use std::time::Duration;

use testkit::redis::{Fsync, RedisOptions, RedisServer};

use super::counting::{count, open, open_with, refusal, see, until};
use crate::settings::RedisSettings;
use crate::{CallError, Location, Nodes, ServerId};

fn url(servers: &[&RedisServer]) -> String {
    let addresses = servers.iter().map(|server| server.address().to_string());
    format!("redis://{}", addresses.collect::<Vec<_>>().join(","))
}

fn three() -> [RedisServer; 3] {
    let options = RedisOptions::new().append_only(Fsync::Always);
    [options.start(), options.start(), options.start()]
}

async fn why_not(url: &str) -> String {
    refusal(url, &RedisSettings::default()).await
}

fn on(server: ServerId) -> Location {
    Location {
        slot: 0,
        server: Some(server),
    }
}

async fn seen(servers: &Nodes, id: ServerId) -> String {
    let answer = servers.call(on(id), &see("n")).await.unwrap();
    String::from_utf8(answer.payload.to_vec()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_are_known_by_what_they_store_not_by_their_order() {
    let [a, b, c] = &three();
    let first = open(&url(&[a, b, c])).await;
    let ids = first.ids();
    assert_eq!(ids.len(), 3);
    for (at, id) in ids.iter().enumerate() {
        for name in 0..=at {
            let call = count("n", &name.to_string());
            first.call(on(*id), &call).await.unwrap();
        }
    }
    let second = open(&url(&[c, a, b])).await;
    assert_eq!(second.ids(), ids);
    assert_eq!(second.registry(), first.registry());
    for (at, id) in ids.iter().enumerate() {
        assert_eq!(seen(&second, *id).await, (at + 1).to_string());
    }

    // Another empty one has to be named in `accept_empty`, and then joins them.
    let d = RedisServer::plain();
    let refused = why_not(&url(&[a, b, c, &d])).await;
    assert!(
        refused.contains(&format!("{} has no identity", d.address())),
        "{refused}"
    );
    let settings = RedisSettings {
        accept_empty: vec![d.address().to_string()],
        ..RedisSettings::default()
    };
    let four = open_with(&url(&[a, &d, b, c]), &settings).await.unwrap();
    assert_eq!(four.ids().len(), 4);
    assert!(ids.iter().all(|id| four.ids().contains(id)));
    let refused = why_not(&url(&[a, b, c])).await;
    assert!(
        refused.contains("no server of the list is server"),
        "{refused}"
    );
    let refused = why_not(&url(&[a, b, c, &RedisServer::plain()])).await;
    assert!(refused.contains("has no identity"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_lost_its_data_while_it_was_used_is_refused() {
    let [a, b, _] = &three();
    let lost = RedisServer::plain();
    let servers = open(&url(&[a, b, &lost])).await;
    let identity = lost.command(&["HGET", "megaboard:server", "id"]);
    let digits = identity.text().strip_prefix("1:").unwrap();
    let id = ServerId(u64::from_str_radix(digits, 16).unwrap());
    servers.call(on(id), &count("n", "a")).await.unwrap();
    lost.kill();
    lost.start();
    until("a server that is refused", async || {
        servers
            .ready()
            .is_err_and(|why| why.contains("it has lost its data"))
    })
    .await;
    let why = servers.ready().unwrap_err();
    assert!(
        why.contains(&format!("{} (server {id})", lost.address())),
        "{why}"
    );
    let call = see("n").within(Duration::from_millis(300));
    let refused = servers.call(on(id), &call).await.unwrap_err();
    assert!(matches!(refused, CallError::Unavailable(_)), "{refused:?}");
    // The others are not affected.
    let other = servers
        .ids()
        .into_iter()
        .find(|other| *other != id)
        .unwrap();
    servers.call(on(other), &count("n", "a")).await.unwrap();

    let refused = why_not(&url(&[a, b, &lost])).await;
    assert!(refused.contains("accept_empty"), "{refused}");
    let settings = RedisSettings {
        accept_empty: vec![lost.address().to_string()],
        ..RedisSettings::default()
    };
    let again = open_with(&url(&[a, b, &lost]), &settings).await.unwrap();
    assert_eq!(again.ids(), servers.ids());
    // Calls that wait for it continue, too.
    assert_eq!(seen(&servers, id).await, "0");
}
