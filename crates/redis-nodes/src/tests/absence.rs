//! Nodes without a connection, and silent ones: how long calls wait for them.

use std::time::Duration;

use testkit::redis::{FaultProxy, Matching, RedisServer};
use tokio::time::{Instant, timeout};

use super::counting::{DEADLINE, count, location_of, make, open, see, until};
use crate::CallError;

/// Far less than the deadline of a call.
const SOON: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread")]
async fn calls_to_a_node_that_is_gone_fail_long_before_their_deadline() {
    let redis = RedisServer::plain();
    let servers = open(&redis.url()).await;
    redis.kill();
    let began = Instant::now();
    let read = make(&servers, &see("n").briefly()).await;
    assert!(matches!(read, Err(CallError::Unavailable(_))), "{read:?}");
    let write = make(&servers, &count("n", "a").briefly()).await;
    assert!(matches!(write, Err(CallError::Unavailable(_))), "{write:?}");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    // Now it has been gone for longer than any call waits: none makes a pause.
    let polled = async {
        let (read, write) = (see("n").briefly(), count("n", "b").briefly());
        let both = async { (make(&servers, &read).await, make(&servers, &write).await) };
        tokio::pin!(both);
        futures::poll!(&mut both)
    };
    let polled = polled.await;
    let at_once = |made: &Result<String, CallError>| matches!(made, Err(CallError::Unavailable(_)));
    assert!(
        matches!(&polled, std::task::Poll::Ready((read, write)) if at_once(read) && at_once(write)),
        "{polled:?}"
    );
    // A caller that waits is answered when the node is back.
    let waiting = count("n", "c");
    let (made, ()) = tokio::join!(make(&servers, &waiting), async { redis.start() });
    assert_eq!(made, Ok("1".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_whose_node_goes_away_under_way_is_unknown_soon() {
    let redis = RedisServer::plain();
    let proxy = FaultProxy::before(&redis);
    let servers = open(proxy.url()).await;
    proxy.delay_replies_of(&Matching::function("count"), DEADLINE);
    let call = count("n", "a").briefly();
    let lost = async {
        until("a write that is applied", async || {
            redis.command(&["HEXISTS", "n", "a"]).integer() == 1
        })
        .await;
        proxy.refuse();
    };
    let began = Instant::now();
    let (made, ()) = tokio::join!(make(&servers, &call), lost);
    assert!(matches!(made, Err(CallError::Unknown(_))), "{made:?}");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_is_silent_only_while_it_sends_no_replies() {
    let redis = RedisServer::plain();
    let servers = open(&redis.url()).await;
    let at = [location_of("n")];
    make(&servers, &see("n")).await.unwrap();
    let idle = timeout(Duration::from_secs(2), servers.silence(&at)).await;
    assert!(idle.is_err(), "an idle node is not silent");
    redis.pause();
    timeout(SOON, servers.silence(&at)).await.unwrap();
    redis.resume();
    until("a node that replies again", async || {
        let silence = servers.silence(&at);
        timeout(Duration::ZERO, silence).await.is_err() && servers.ready().is_ok()
    })
    .await;
}
