//! How much work is sent, and what waits.

use std::collections::VecDeque;

use futures::FutureExt as _;
use tokio::task::coop::unconstrained;
use tokio::time::advance;

use super::*;

const MS: Duration = Duration::from_millis(1);

/// Work of a second, by the first estimate.
const SECOND: u64 = 50_000_000;

/// Work that takes all the time that may be under way.
const FULL: u64 = SECOND / 40;

fn backlog() -> Arc<Backlog> {
    Backlog::new(&Address::new("10.0.0.1", 6379), None)
}

#[tokio::test(start_paused = true)]
async fn calls_wait_while_the_maximum_is_under_way() {
    let backlog = backlog();
    let until = Instant::now() + 5000 * MS;
    let mut sent = Vec::new();
    for _ in 0..10 {
        let entered = backlog.enter(FULL / 10, until, false).now_or_never();
        sent.push(entered.unwrap().unwrap());
    }
    let mut next = Box::pin(backlog.enter(FULL / 10, until, false));
    assert!(next.as_mut().now_or_never().is_none());
    sent.pop();
    next.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_queue_is_more_work_than_may_be_under_way() {
    let backlog = backlog();
    let until = Instant::now() + 5000 * MS;
    let mut calls: Vec<_> = (0..3)
        .map(|_| Box::pin(backlog.enter(FULL, until, false)))
        .collect();
    // The first is sent, and keeps its permits.
    let mut sent = Vec::new();
    for (call, has_queue) in calls.iter_mut().zip([false, false, true]) {
        sent.extend(call.as_mut().now_or_never());
        assert_eq!(backlog.has_queue(), has_queue);
    }
    drop(calls);
    assert!(!backlog.has_queue());
}

#[tokio::test(start_paused = true)]
async fn few_calls_are_under_way_on_an_unknown_node() {
    let backlog = backlog();
    let until = Instant::now() + 5000 * MS;
    // It asks more often than a task may without yielding.
    let enter = || {
        let entered = unconstrained(backlog.enter(1, until, false)).now_or_never();
        entered.map(Result::unwrap)
    };
    let mut sent: Vec<Permit> = std::iter::from_fn(enter).collect();
    assert_eq!(sent.len(), FIRST_CALLS as usize);
    for permit in sent.drain(..) {
        permit.ended(&Ok(()));
    }
    sent.extend(std::iter::from_fn(enter).take(100));
    assert_eq!(sent.len(), 100);
}

#[tokio::test(start_paused = true)]
async fn a_call_larger_than_the_maximum_is_sent_alone() {
    let backlog = backlog();
    let until = Instant::now() + 500 * MS;
    let large = backlog.enter(3 * SECOND, until, false).await.unwrap();
    let small = backlog.enter(1, until, false).now_or_never();
    let Some(Err(CommandError::Overloaded(overload))) = small else {
        panic!("{small:?}");
    };
    assert_eq!(overload.wait, 3000 * MS);
    assert_eq!(overload.why, "10.0.0.1:6379 has work for 3.0 s waiting");
    let patient = Instant::now() + 3001 * MS;
    let mut small = Box::pin(backlog.enter(1, patient, false));
    assert!(small.as_mut().now_or_never().is_none());
    drop(large);
    drop(small.await.unwrap());
    assert_eq!(backlog.overload().wait, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn few_slow_calls_do_not_make_large_ones_late() {
    let backlog = backlog();
    let small = async || {
        let until = Instant::now() + 5000 * MS;
        let permit = backlog.enter(300, until, false).await.unwrap();
        advance(4 * MS).await;
        permit.ended(&Ok(()));
    };
    small().await;
    let gathered = backlog.gather(1_200_000);
    backlog.check(Instant::now() + 500 * MS).unwrap();
    for _ in 1..FIRST_CALLS {
        small().await;
    }
    // By ten calls it is slow.
    let overload = backlog.check(Instant::now() + 500 * MS).unwrap_err();
    assert_eq!(overload.wait, 16_000 * MS);
    drop(gathered);
}

#[tokio::test(start_paused = true)]
async fn batches_are_combined_into_shorter_calls_on_a_slow_node() {
    let backlog = backlog();
    let gathered = backlog.gather(1);
    assert!(gathered.may_be_one_call(100_000));
    for _ in 0..100 {
        let until = Instant::now() + 5000 * MS;
        backlog.saw_trip(MS);
        let permit = backlog.enter(1000, until, false).await.unwrap();
        advance(100 * MS).await;
        permit.ended(&Ok(()));
    }
    assert!(gathered.may_be_one_call(50));
    assert!(!gathered.may_be_one_call(300));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_may_be_applied_is_sent_however_late() {
    let backlog = backlog();
    let until = Instant::now() + 500 * MS;
    let under_way = backlog.enter(FULL, until, false).await.unwrap();
    advance(500 * MS).await;
    let new = backlog.enter(1, until, false).await;
    assert!(matches!(new, Err(CommandError::Overloaded(_))), "{new:?}");
    let mut in_doubt = Box::pin(backlog.enter(1, until + 2000 * MS, true));
    assert!(in_doubt.as_mut().now_or_never().is_none());
    drop(under_way);
    drop(in_doubt.await.unwrap());
    // But not forever.
    let until = Instant::now() + 2000 * MS;
    let _under_way = backlog.enter(SECOND, until, false).await.unwrap();
    let given_up = backlog.enter(1, until, true).await;
    assert!(
        matches!(given_up, Err(CommandError::Overloaded(_))),
        "{given_up:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn calls_that_wait_take_the_permits_of_a_node_that_has_become_slow() {
    let backlog = backlog();
    let until = Instant::now() + 60_000 * MS;
    let enter = || unconstrained(backlog.enter(FULL / 10, until, false));
    let mut sent: VecDeque<Permit> = VecDeque::new();
    for _ in 0..10 {
        sent.push_back(enter().await.unwrap());
    }
    let mut waiting: Vec<_> = (0..20).map(|_| Some(Box::pin(enter()))).collect();
    let mut poll_all = || {
        let entered = waiting.iter_mut().filter_map(|next| {
            let entered = next.as_mut()?.as_mut().now_or_never()?;
            *next = None;
            Some(entered.unwrap())
        });
        entered.collect::<Vec<_>>()
    };
    assert!(poll_all().is_empty());
    // Each takes a hundred times as long as before.
    let before = sent.len();
    for answered in 1..=before + 20 {
        advance(1000 * MS).await;
        sent.pop_front().expect("one is under way").ended(&Ok(()));
        sent.extend(poll_all());
        let under_way = sent.len().saturating_sub(before.saturating_sub(answered));
        assert!(under_way <= 1, "{under_way} after {answered} answers");
    }
    assert!(sent.is_empty());
    assert_eq!(backlog.overload().wait, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn gathered_work_keeps_other_work_out_but_no_call() {
    let backlog = backlog();
    let until = Instant::now() + 500 * MS;
    backlog.check(until).unwrap();
    let gathered = backlog.gather(usize::try_from(SECOND).unwrap());
    assert_eq!(backlog.check(until).unwrap_err().wait, 1000 * MS);
    backlog.enter(1, until, false).await.unwrap();
    drop(gathered);
    backlog.check(until).unwrap();
}

#[tokio::test(start_paused = true)]
async fn no_call_waits_beyond_a_deadline_or_the_end() {
    let backlog = backlog();
    let until = Instant::now() + 150 * MS;
    let _full = backlog.enter(FULL, until, false).await.unwrap();
    let late = backlog.enter(1, until, false).await;
    assert!(matches!(late, Err(CommandError::Overloaded(_))), "{late:?}");
    let until = Instant::now() + 5000 * MS;
    let mut waiting = Box::pin(backlog.enter(1, until, false));
    assert!(waiting.as_mut().now_or_never().is_none());
    backlog.close();
    assert!(matches!(waiting.await, Err(CommandError::NotSent(_))));
    assert_eq!(backlog.overload().wait, UNDER_WAY_MAX);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_under_way_while_an_old_round_trip_is_measured_again() {
    let backlog = backlog();
    backlog.saw_trip(MS);
    assert!(backlog.drained().await.is_none());
    advance(2000 * MS).await;
    let until = Instant::now() + 5000 * MS;
    assert!(backlog.is_idle());
    let under_way = backlog.enter(FULL, until, false).await.unwrap();
    // A command would wait behind it, and its time would be taken for the distance.
    assert!(!backlog.is_idle());
    let mut drained = Box::pin(backlog.drained());
    assert!(drained.as_mut().now_or_never().is_none());
    drop(under_way);
    let drained = drained.await;
    assert!(drained.is_some());
    let mut next = Box::pin(backlog.enter(1, until, false));
    assert!(next.as_mut().now_or_never().is_none());
    drop(drained);
    next.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_distant_node_has_a_round_trip_more_under_way() {
    let backlog = backlog();
    backlog.saw_trip(75 * MS);
    let until = Instant::now() + 5000 * MS;
    let enter = || {
        let entered = unconstrained(backlog.enter(FULL / 10, until, false)).now_or_never();
        entered.map(Result::unwrap)
    };
    for _ in 0..FIRST_CALLS {
        enter().unwrap().ended(&Ok(()));
    }
    let sent: Vec<Permit> = std::iter::from_fn(enter).collect();
    assert_eq!(sent.len(), 40);
}
