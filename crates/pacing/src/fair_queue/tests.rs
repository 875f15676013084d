//! The order of turns.

use futures::FutureExt as _;
use futures::stream::{FuturesUnordered, StreamExt as _};

use super::*;

fn flow(caller: u64, board: u64) -> Flow {
    Flow { caller, board }
}

/// Returns the flows of these requests, in the order of their turns, while one other has the turn.
async fn order(requests: &[(Flow, usize)]) -> Vec<Flow> {
    let queue = FairQueue::with_lanes(1);
    let first = queue.turn(flow(0, 0), 1).await;
    let mut turns: FuturesUnordered<_> = requests
        .iter()
        .map(|(flow, work)| queue.turn(*flow, *work).map(move |turn| (*flow, turn)))
        .collect();
    assert!(turns.next().now_or_never().is_none());
    drop(first);
    let mut served = Vec::new();
    while let Some((flow, turn)) = turns.next().await {
        served.push(flow);
        drop(turn);
    }
    served
}

#[tokio::test]
async fn a_caller_with_one_request_waits_for_one_of_a_caller_with_many() {
    let (busy, other) = (flow(1, 1), flow(2, 1));
    let mut requests = vec![(busy, 100); 50];
    requests.extend([(other, 100); 3]);
    let served = order(&requests).await;
    assert_eq!(served[..7], [busy, other, busy, other, busy, other, busy]);
    assert_eq!(served.len(), requests.len());
}

#[tokio::test]
async fn the_boards_of_a_caller_take_turns() {
    let (busy, other) = (flow(1, 1), flow(1, 2));
    let requests = [(busy, 1), (busy, 1), (busy, 1), (other, 1), (other, 1)];
    assert_eq!(order(&requests).await, [busy, other, busy, other, busy]);
}

#[tokio::test]
async fn a_caller_gains_nothing_by_many_boards() {
    let boards: Vec<(Flow, usize)> = (0..20).map(|board| (flow(1, board), 10)).collect();
    let other = flow(2, 1);
    let requests = [boards, vec![(other, 10); 2]].concat();
    let served = order(&requests).await;
    let of_other: Vec<usize> = (0..)
        .zip(&served)
        .filter_map(|(at, of)| (*of == other).then_some(at))
        .collect();
    assert_eq!(of_other, [1, 3]);
}

#[tokio::test]
async fn flows_are_served_the_same_work_not_as_many_requests() {
    let (large, small) = (flow(1, 1), flow(2, 1));
    let mut requests = vec![(large, 400); 4];
    requests.extend([(small, 100); 12]);
    let served = order(&requests).await;
    let of_large = served[..10].iter().filter(|of| **of == large).count();
    assert_eq!(of_large, 2, "{served:?}");
}

#[tokio::test]
async fn a_caller_that_did_nothing_does_not_catch_up() {
    let queue = FairQueue::with_lanes(1);
    let (busy, late) = (flow(1, 1), flow(2, 1));
    let mut turn = queue.turn(busy, 100).await;
    let waiting = |of: Flow| {
        let queue = queue.clone();
        async move { (of, queue.turn(of, 100).await) }.boxed()
    };
    for _ in 0..100 {
        let mut next = waiting(busy);
        assert!((&mut next).now_or_never().is_none());
        drop(turn);
        turn = next.await.1;
    }
    let mut turns: FuturesUnordered<_> = [busy, late, busy, late, late]
        .into_iter()
        .map(waiting)
        .collect();
    assert!(turns.next().now_or_never().is_none());
    drop(turn);
    let mut served = Vec::new();
    while let Some((of, turn)) = turns.next().await {
        served.push(of.caller);
        drop(turn);
    }
    assert_eq!(served, [2, 1, 2, 1, 2]);
}

#[tokio::test]
async fn abandoned_requests_take_no_turn_and_flows_are_forgotten() {
    let queue = FairQueue::with_lanes(2);
    let turns = [
        queue.turn(flow(0, 0), 1).await,
        queue.turn(flow(0, 1), 1).await,
    ];
    for caller in 1..1000 {
        assert!(queue.turn(flow(caller, 1), 1).now_or_never().is_none());
    }
    let mut last = queue.turn(flow(1000, 1), 1).boxed();
    assert!((&mut last).now_or_never().is_none());
    drop(turns);
    let last = last.await;
    assert_eq!(queue.state.lock().free, 1);
    drop(last);
    assert!(queue.state.lock().callers.queues.is_empty());
}

#[tokio::test]
async fn the_number_of_remembered_flows_is_limited() {
    let queue = FairQueue::with_lanes(2);
    let _turn = queue.turn(flow(0, 0), 1).await;
    for caller in 0..10_000 {
        drop(queue.turn(flow(caller, 1), 1).await);
    }
    assert!(queue.state.lock().callers.queues.len() <= IDLE_MAX + 1);
}
