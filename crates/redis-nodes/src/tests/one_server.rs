//! One server: lost replies, restarts, lost functions, errors of every kind.

use std::time::Duration;

use testkit::redis::{FaultProxy, Fsync, Matching, RedisOptions, RedisServer};
use tokio::time::{Instant, sleep_until};

use super::counting::{
    DEADLINE, answer, breaks, count, frozen, make, missing, open, ping, refuse, say, see,
    time_left, until,
};
use crate::{CallError, Nodes};

/// A time that is over before the deadline of a test.
const SHORT: Duration = Duration::from_millis(300);

/// Long enough for a new connection, in tests that wait for its end.
const LATE_AFTER: Duration = Duration::from_secs(2);

fn is_unready_because(servers: &Nodes, expected: &str) -> bool {
    servers.ready() == Err(expected.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn all_callers_see_the_same_epoch_until_the_server_restarts() {
    let redis = RedisOptions::new().append_only(Fsync::Always).start();
    let (one, other) = (open(&redis.url()).await, open(&redis.url()).await);
    let first = answer(&one, &ping()).await.unwrap();
    assert!(first.payload.is_empty());
    assert_eq!(answer(&other, &ping()).await.unwrap().epoch, first.epoch);
    assert_eq!(one.ready(), Ok(()));

    redis.kill();
    let missing = make(&one, &ping().within(SHORT)).await.unwrap_err();
    assert!(matches!(missing, CallError::Unavailable(_)), "{missing:?}");
    let expected = format!("{}: Connection refused", redis.address());
    until("a missing server", async || {
        is_unready_because(&one, &expected)
    })
    .await;
    redis.start();
    let next = answer(&one, &ping()).await.unwrap();
    assert_ne!(next.epoch, first.epoch);
    assert_eq!(answer(&other, &ping()).await.unwrap().epoch, next.epoch);
    assert_eq!(one.ready(), Ok(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_whose_answer_was_lost_is_applied_once() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let servers = open(proxy.url()).await;
    proxy.lose_reply_of(&Matching::function("count"), 2);
    for name in ["a", "b", "c"] {
        make(&servers, &count("n", name)).await.unwrap();
    }
    assert_eq!(proxy.losses_to_come(), 0);
    assert_eq!(proxy.calls_of("test_count"), 4);
    assert_eq!(make(&servers, &see("n")).await.unwrap(), "3");
    // A call that never arrived is sent again in the same way.
    proxy.lose_request(&Matching::function("count"), 1);
    assert_eq!(make(&servers, &count("n", "d")).await.unwrap(), "4");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_a_reply_is_unknown_and_one_that_was_not_sent_is_not() {
    let redis = RedisServer::plain();
    let servers = open(&redis.url()).await;
    redis.pause();
    let write = make(&servers, &count("n", "a").within(SHORT)).await;
    assert!(matches!(write, Err(CallError::Unknown(_))), "{write:?}");
    let read = make(&servers, &see("n").within(SHORT)).await;
    assert!(matches!(read, Err(CallError::Unavailable(_))), "{read:?}");
    until("a node that is missed", async || servers.ready().is_err()).await;
    let write = make(&servers, &count("n", "b").within(SHORT)).await;
    assert!(matches!(write, Err(CallError::Unavailable(_))), "{write:?}");
    // Their deadlines have passed: nothing is applied that reaches the server so late.
    redis.resume();
    assert_eq!(make(&servers, &count("n", "c")).await.unwrap(), "1");
}

/// Its reply is lost after the last attempt: the outcome is requested once.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_whose_answer_was_lost_past_its_deadline_is_asked_about() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let servers = open(proxy.url()).await;
    let call = count("n", "a").within(SHORT);
    proxy.delay_replies_of(&Matching::function("count"), Duration::from_secs(5));
    let lost = async {
        until("a write that is applied", async || {
            redis.command(&["HEXISTS", "n", "a"]).integer() == 1
        })
        .await;
        sleep_until(call.until).await;
        proxy.heal();
        proxy.end_connections();
    };
    let (made, ()) = tokio::join!(make(&servers, &call), lost);
    assert_eq!(made, Ok("1".to_owned()));
}

/// A node that rejects a call after its deadline would know of an earlier attempt, unless its clock
/// was set.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_a_reply_counts_as_not_applied_only_where_calls_are_remembered() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let servers = open(proxy.url()).await;
    for (code, lost, is_unknown) in [
        ("ELATE", 0, false),
        ("ELATE", 1, false),
        ("EFORGOTTEN", 0, false),
        ("EFORGOTTEN", 1, true),
    ] {
        if lost > 0 {
            proxy.lose_reply_of(&Matching::function("say"), lost);
        }
        let call = refuse(code).within(LATE_AFTER);
        let refused = make(&servers, &call).await.unwrap_err();
        if (code, lost) == ("ELATE", 1) {
            // Before, the lost attempt may have had a later deadline, by another reading of the
            // clock.
            assert!(Instant::now() >= call.until, "{refused:?}");
        }
        assert_eq!(proxy.losses_to_come(), 0);
        let unknown = matches!(refused, CallError::Unknown(_));
        assert_eq!(unknown, is_unknown, "{code}, {lost} lost: {refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_that_are_gone_are_loaded_again() {
    let redis = RedisServer::shared();
    let servers = open(&redis.url()).await;
    redis.command(&["FUNCTION", "FLUSH"]).ok();
    assert_eq!(make(&servers, &ping()).await.unwrap(), "");
    // The deadline may cut off the last attempt, which changes the error.
    until("a function that is in no library", async || {
        let unknown = make(&servers, &missing().within(SHORT)).await.unwrap_err();
        unknown.to_string().contains("Function not found")
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_users_are_never_misread() {
    let redis = RedisServer::shared();
    let servers = open(&redis.url()).await;
    for text in [
        "MOVED 1 127.0.0.1:1",
        "ASK 1 a:1",
        "CLUSTERDOWN x",
        "subscribe",
        "\r\n+OK",
    ] {
        let said = make(&servers, &say(&format!("R{text}"))).await.unwrap();
        assert_eq!(said, text);
    }
    let refused = make(&servers, &say("EWINDOWS all day")).await.unwrap_err();
    let CallError::Refused(refusal) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(refusal.code, "WINDOWS");
    assert_eq!(&refusal.payload[..], b"all day");
    let garbled = make(&servers, &say("what")).await.unwrap_err();
    assert!(matches!(garbled, CallError::Unknown(_)), "{garbled:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn frozen_calls_are_retried() {
    let redis = RedisServer::shared();
    let servers = open(&redis.url()).await;
    redis.command(&["SET", "ice", "1"]).ok();
    let expected = Err(CallError::Unavailable("the board is frozen".to_owned()));
    // The deadline may cut off the last attempt, which changes the error.
    until("a board that is frozen for long", async || {
        make(&servers, &frozen("ice").within(SHORT)).await == expected
    })
    .await;
    redis.command(&["PEXPIRE", "ice", "200"]);
    assert_eq!(make(&servers, &frozen("ice")).await.unwrap(), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn deadlines_are_by_the_clock_of_the_node() {
    let redis = RedisServer::shared();
    let servers = open(&redis.url()).await;
    let left = make(&servers, &time_left("n").within(DEADLINE))
        .await
        .unwrap();
    let left: u128 = left.parse().unwrap();
    let whole = DEADLINE.as_millis();
    assert!(left <= whole && left > whole / 2, "{left} of {whole} ms");
    // The function has checked: it was not applied, and never will be.
    let late = make(&servers, &say("ELATE")).await.unwrap_err();
    assert!(matches!(late, CallError::Overloaded(_)), "{late:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_redis_are_passed_on() {
    let redis = RedisServer::plain();
    let servers = open(&redis.url()).await;
    let broken = make(&servers, &breaks("text")).await.unwrap_err();
    let CallError::Unknown(words) = &broken else {
        panic!("{broken:?}");
    };
    assert!(words.contains("WRONGTYPE"), "{words}");

    redis
        .command(&["CONFIG", "SET", "min-replicas-to-write", "1"])
        .ok();
    let lonely = make(&servers, &count("n", "a")).await.unwrap_err();
    let CallError::Unavailable(words) = &lonely else {
        panic!("{lonely:?}");
    };
    assert!(words.contains("NOREPLICAS"), "{words}");
    assert_eq!(make(&servers, &see("n")).await.unwrap(), "0");
    redis
        .command(&["CONFIG", "SET", "min-replicas-to-write", "0"])
        .ok();

    redis.command(&["CONFIG", "SET", "maxmemory", "1"]).ok();
    let full = make(&servers, &count("n", "a")).await.unwrap_err();
    assert!(full.to_string().contains("OOM"), "{full}");
    redis.command(&["CONFIG", "SET", "maxmemory", "0"]).ok();
    assert_eq!(make(&servers, &count("n", "a")).await.unwrap(), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_becomes_a_replica_takes_no_calls() {
    let (redis, other) = (RedisServer::plain(), RedisServer::plain());
    let servers = open(&redis.url()).await;
    make(&servers, &count("n", "a")).await.unwrap();
    let port = other.port().to_string();
    redis.command(&["REPLICAOF", "127.0.0.1", &port]).ok();
    // The deadline may cut off the last attempt: then its outcome is unknown.
    until("a write that was not applied", async || {
        match make(&servers, &count("n", "b").within(SHORT)).await {
            Err(CallError::Unavailable(_)) => true,
            Err(CallError::Unknown(_)) => false,
            other => panic!("{other:?}"),
        }
    })
    .await;
    until("a node that is refused", async || {
        servers
            .ready()
            .is_err_and(|why| why.contains("it is a replica"))
    })
    .await;
    redis.command(&["REPLICAOF", "NO", "ONE"]).ok();
    make(&servers, &count("n", "c")).await.unwrap();
}
