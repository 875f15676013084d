//! A node with more work than it can do: no call is lost for that, nor sent twice.

use std::time::Duration;

use futures::future::join_all;
use testkit::redis::{FaultProxy, RedisServer};

use super::counting::{DEADLINE, make, open, see, slow};
use crate::CallError;

/// Together they take longer than a connection may be silent.
const CALLS: usize = 100;

#[tokio::test(flavor = "multi_thread")]
async fn calls_wait_while_others_get_replies() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let servers = open(proxy.url()).await;
    let made = proxy.connections_made();
    let calls: Vec<_> = (0..CALLS).map(|_| slow("n")).collect();
    let read = see("n");
    let (answers, seen) = tokio::join!(
        join_all(calls.iter().map(|call| make(&servers, call))),
        make(&servers, &read)
    );
    for answer in answers {
        answer.unwrap();
    }
    seen.unwrap();
    assert_eq!(make(&servers, &see("n")).await.unwrap(), CALLS.to_string());
    assert_eq!(proxy.calls_of("test_slow"), CALLS as u64);
    assert_eq!(proxy.connections_made(), made);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_cannot_be_sent_in_time_are_overloaded_not_unknown() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let servers = open(proxy.url()).await;
    let made = proxy.connections_made();
    let mut applied = 0;
    // The second time its work is known.
    for _ in 0..2 {
        let within = Duration::from_secs(1);
        let calls: Vec<_> = (0..CALLS).map(|_| slow("n").within(within)).collect();
        let answers = join_all(calls.iter().map(|call| make(&servers, call))).await;
        let mut overloaded = 0;
        for answer in answers {
            match answer {
                Ok(_) => applied += 1,
                Err(CallError::Overloaded(_)) => overloaded += 1,
                Err(other) => panic!("{other:?}"),
            }
        }
        assert!(overloaded > 0);
    }
    let seen = make(&servers, &see("n").within(DEADLINE)).await.unwrap();
    assert_eq!(seen, applied.to_string());
    // Each was sent once, and some were not sent at all.
    assert!(proxy.calls_of("test_slow") < 2 * CALLS as u64);
    assert_eq!(proxy.connections_made(), made);
}
