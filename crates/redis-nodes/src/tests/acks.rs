//! Waiting for replicas.

use std::time::Duration;

use futures::future::join_all;
use testkit::redis::{FaultProxy, RedisOptions, RedisServer};

use super::counting::{count, make, open_with, see, until};
use crate::settings::RedisSettings;
use crate::{CallError, Nodes};

async fn open(url: &str, acks: u32) -> Nodes {
    let settings = RedisSettings {
        acks,
        ..RedisSettings::default()
    };
    open_with(url, &settings).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_have_what_was_answered_and_share_their_waits() {
    let primary = RedisServer::plain();
    let replica = RedisOptions::new().replica_of(&primary).start();
    let proxy = FaultProxy::before(&primary);
    let servers = open(proxy.url(), 1).await;
    let calls: Vec<_> = (0..200).map(|name| count("n", &name.to_string())).collect();
    let made = join_all(calls.iter().map(|call| make(&servers, call))).await;
    assert!(made.iter().all(Result::is_ok), "{made:?}");
    // At once, without a wait.
    assert_eq!(replica.command(&["HGET", "n", "n"]).text(), "200");
    let waits = proxy.requests_of("WAIT");
    assert!((1..200).contains(&waits), "{waits} waits for 200 writes");
}

#[tokio::test(flavor = "multi_thread")]
async fn too_few_replicas_leave_a_write_unknown_and_hold_up_no_read() {
    let primary = RedisServer::plain();
    let replica = RedisOptions::new().replica_of(&primary).start();
    let servers = open(&primary.url(), 1).await;
    make(&servers, &count("n", "a")).await.unwrap();
    replica.pause();
    let call = count("n", "b").within(Duration::from_millis(500));
    let write = make(&servers, &call);
    let read = async {
        until("the write that waits", async || {
            make(&servers, &see("n")).await.unwrap() == "2"
        })
        .await;
    };
    let (write, ()) = tokio::join!(write, read);
    let Err(CallError::Unknown(words)) = &write else {
        panic!("{write:?}");
    };
    assert!(words.contains("0 of the 1 replicas"), "{words}");
    replica.resume();
    // The same call is acknowledged once the replica has the write.
    make(&servers, &count("n", "b")).await.unwrap();
    assert_eq!(replica.command(&["HGET", "n", "n"]).text(), "2");
}
