//! A call is applied once, however often it arrives, and never after a later one.

use board::Window;
use bytes::Bytes;
use tokio::time::Instant;

use super::applier::{APPLIED, ApplierOnRedis, Board, MS, NOW, gifts};
use crate::boards::rules;
use crate::boards::wire::Pack;

use redis_nodes::{Call, CallError, Effect, FunctionReply, Location, slot_of};

const ALL: Window = Window::ALL_TIME;

/// Sends a call made by hand: one point for `u1`.
async fn send(board: &Board<'_>, session: &str, seq: i64) -> Result<FunctionReply, CallError> {
    send_until(board, session, seq, Instant::now() + MS * 10_000).await
}

async fn send_until(
    board: &Board<'_>,
    session: &str,
    seq: i64,
    until: Instant,
) -> Result<FunctionReply, CallError> {
    let mut head = Pack::default();
    head.raw(session.as_bytes()).int(seq).raw(b"-");
    head.raw(&rules::spec(board.kind.rules()));
    head.int(NOW.millis());
    head.array(1).raw(b"v:all");
    for _ in 0..3 {
        head.array(1).int(0);
    }
    let at = NOW.millis();
    let mut entry = (!(at.cast_unsigned() ^ (1 << 63))).to_be_bytes().to_vec();
    entry.extend(b"u1");
    let mut folded = Pack::default();
    folded.array(1).raw(b"u1").array(1).int(1);
    folded.array(1).int(2 * at + 1).array(1).raw(&entry);
    let keys = &board.keys;
    let keys = vec![
        keys.meta(),
        keys.ids(0),
        keys.ids(1),
        keys.scores(ALL),
        keys.rank(ALL),
    ];
    let call = Call {
        function: "single",
        keys,
        args: vec![head.done(), folded.done()],
        effect: Effect::Write,
        until,
        waits_until: None,
        closes: None,
    };
    let place = Location {
        slot: slot_of(b"any"),
        server: None,
    };
    board.setup.servers.call(place, &call).await
}

fn refusal(answer: Result<FunctionReply, CallError>) -> String {
    match answer {
        Err(CallError::Refused(refusal)) => refusal.code,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_call_that_comes_again_is_answered_and_not_applied_again() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(gifts(|_| ())).await;
    let first = send(&board, "a", 7).await.unwrap();
    // It reports that it opened the window, also the second time.
    assert!(!first.payload.is_empty());
    for _ in 0..2 {
        assert_eq!(send(&board, "a", 7).await.unwrap().payload, first.payload);
        assert_eq!(board.points_of(ALL, "u1"), Some(1));
        assert_eq!(board.version(ALL), (1, "a 7".to_owned()));
    }
}

#[tokio::test]
async fn an_older_call_is_refused() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(gifts(|_| ())).await;
    send(&board, "a", 7).await.unwrap();
    assert_eq!(refusal(send(&board, "a", 6).await), "OLD");
    // Another server has its own numbers.
    let other = send(&board, "b", 1).await.unwrap();
    assert_eq!(other.payload, Bytes::new());
    assert_eq!(board.points_of(ALL, "u1"), Some(2));
    send(&board, "a", 8).await.unwrap();
    assert_eq!(refusal(send(&board, "a", 7).await), "OLD");
    assert_eq!(board.points_of(ALL, "u1"), Some(3));
}

#[tokio::test]
async fn a_dead_shard_takes_nothing() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(gifts(|_| ())).await;
    board.set_meta("x", "1");
    let item = board.points("u1", 1, NOW);
    let applied = board.try_apply(&setup.applier, &[item], NOW, false).await;
    assert_eq!(applied, Err(shard_store::StoreError::IncarnationEnded));
    assert_eq!(board.points_of(ALL, "u1"), None);
}

#[tokio::test]
async fn a_freeze_is_waited_out() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(gifts(|_| ())).await;
    let time = setup.redis.command(&["TIME"]);
    let seconds: i64 = time.items()[0].text().parse().unwrap();
    let until = (seconds + 2) * 1000;
    board.set_meta("f", &format!("token {until}"));
    let items = [board.points("u1", 1, NOW)];
    assert_eq!(board.apply(&items, NOW).await, [APPLIED]);
    let time = setup.redis.command(&["TIME"]);
    assert!(time.items()[0].text().parse::<i64>().unwrap() * 1000 >= until);
    // It has expired: the registry was asked, and the shard thawed.
    assert_eq!(board.meta("f"), None);
}

/// A node whose clock was set forward has forgotten what it remembered of calls. It reports that,
/// rather than that nothing was applied.
#[tokio::test]
async fn a_call_that_may_be_forgotten_is_distinguished_from_one_that_is_late() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(gifts(|_| ())).await;
    let first = send(&board, "a", 7).await.unwrap();
    let ago = |seconds| {
        let ago = std::time::Duration::from_secs(seconds);
        Instant::now().checked_sub(ago).unwrap()
    };
    for seconds in [5, 90] {
        let again = send_until(&board, "a", 7, ago(seconds)).await.unwrap();
        assert_eq!(
            again.payload, first.payload,
            "what is remembered is answered"
        );
    }
    let meta = board.keys.meta();
    setup.redis.command(&[b"HDEL", &meta[..], b"c"]).integer();
    match send_until(&board, "a", 7, ago(5)).await {
        Err(CallError::Overloaded(overload)) => {
            let why = overload.why;
            assert!(why.contains("when it was to be applied"), "{why}");
        }
        other => panic!("{other:?}"),
    }
    match send_until(&board, "a", 7, ago(90)).await {
        Err(CallError::Unavailable(why)) => assert!(why.ends_with("was set"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(board.points_of(ALL, "u1"), Some(1));
}
