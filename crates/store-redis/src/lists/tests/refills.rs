//! Refills as tasks: who waits for them, who does not, and how often a list is scanned.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use board::Timestamp;
use futures::future::join_all;
use testkit::redis::{FaultProxy, Matching, RedisServer};
use tokio::time::{Instant, sleep};

use super::list_board::{ALL, ListBoard, NOW, list};
use crate::boards::fixtures::parts::parts_at;
use crate::lists::refills::REFILLS_AT_ONCE;
use crate::lists::{List, Refills};
use redis_nodes::{RedisSettings, Writes};
use shard_store::{Batch, Change, ShardStore, StoreError};

const MS: Duration = Duration::from_millis(1);
const MINUTE: Duration = Duration::from_mins(1);

/// How long replies are delayed: far longer than what happens meanwhile takes.
const HELD_BACK: Duration = Duration::from_millis(1_500);

/// A list of ten of many members behind a proxy, and when it is swept: a new board is visited
/// before that.
async fn behind_a_proxy(
    settings: &RedisSettings,
    members: u32,
) -> (FaultProxy, ListBoard, Timestamp) {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let room = ListBoard::over(redis, proxy.url(), settings, Some(list(10, 15))).await;
    room.fill(members).await;
    room.store.drop_expired(NOW.plus(MINUTE * 2)).await.unwrap();
    (proxy, room, NOW.plus(MINUTE * 5))
}

/// Sweeps until the list is complete.
async fn sweep_until_whole(room: &ListBoard, now: Timestamp) {
    let end = Instant::now() + Duration::from_secs(20);
    while room.meta('s', ALL).is_some() {
        assert!(Instant::now() < end, "the sweep was not notified");
        room.store.drop_expired(now).await.unwrap();
        sleep(MS * 5).await;
    }
}

#[tokio::test]
async fn a_read_of_a_short_list_notifies_the_sweep_once() {
    let (proxy, room, now) = behind_a_proxy(&RedisSettings::default(), 300).await;
    room.lose(-6, -1);
    room.mark(1);
    room.store.drop_expired(now).await.unwrap();
    assert!(room.meta('s', ALL).is_some(), "the board is not due");
    let before = proxy.calls_of("touch");
    for _ in 0..20 {
        room.read(Vec::new()).await;
    }
    sweep_until_whole(&room, now).await;
    assert_eq!(proxy.calls_of("touch"), before + 1);
    assert_eq!(room.best(3).await, [300, 299, 298]);
    assert_eq!(room.verify(false).await, []);
}

#[tokio::test]
async fn the_sweep_is_notified_of_a_removal_whose_reply_was_lost() {
    let settings = RedisSettings {
        write_deadline: MS * 1_500,
        ..RedisSettings::default()
    };
    let (proxy, room, now) = behind_a_proxy(&settings, 300).await;
    // Longer than a connection may be silent: replies that are only late are waited for.
    proxy.delay_replies_of(&Matching::function("apply"), MS * 3_000);
    let removal = [room.item(300, Change::Remove)];
    let batch = Batch {
        kind: &room.kind,
        now: NOW,
        report: false,
        until: None,
        waits_until: None,
        items: &removal,
    };
    let answer = room.store.apply(&room.record, 0, batch).await;
    assert!(matches!(answer, Err(StoreError::Unknown(_))), "{answer:?}");
    assert!(room.meta('s', ALL).is_some(), "it was applied");
    proxy.heal();
    sweep_until_whole(&room, now).await;
    assert_eq!(room.best(10).await, (290..=299).rev().collect::<Vec<_>>());
}

/// Without scripts calls have separate connections, so that one of them can be delayed.
#[tokio::test(flavor = "multi_thread")]
async fn others_write_to_the_shard_while_a_removal_waits_for_its_list() {
    let settings = RedisSettings {
        writes: Writes::ScriptFree,
        ..RedisSettings::default()
    };
    let (proxy, room, _) = behind_a_proxy(&settings, 300).await;
    let before = proxy.requests_of("HSCAN");
    proxy.delay_replies_of(&Matching::command("HSCAN"), HELD_BACK);
    let is_answered = Cell::new(false);
    let leaving = async {
        room.remove(300).await;
        is_answered.set(true);
    };
    let meanwhile = async {
        let end = Instant::now() + HELD_BACK;
        while proxy.requests_of("HSCAN") == before {
            assert!(Instant::now() < end, "nothing was looked through");
            sleep(MS).await;
        }
        room.apply(&[room.points(5, 1)]).await;
        assert!(!is_answered.get(), "it waited for the list as well");
        proxy.heal();
    };
    tokio::join!(leaving, meanwhile);
    assert_eq!(room.meta('s', ALL), None);
    assert_eq!(room.best(10).await, (290..=299).rev().collect::<Vec<_>>());
}

/// Longer than a caller waits for: removals that come meanwhile share one refill.
#[tokio::test]
async fn a_long_refill_is_one_for_all_and_goes_on_behind_the_answers() {
    let (proxy, room, _) = behind_a_proxy(&RedisSettings::default(), 25_000).await;
    for left in 0..20 {
        room.remove(25_000 - left).await;
    }
    assert!(room.meta('s', ALL).is_some());
    room.wait_until_whole().await;
    // Some 500 members each. Twice: a removal may mark the list again, and the scan begins again.
    let steps = 25_000 / 500;
    let calls = proxy.calls_of("refill");
    assert!((steps..steps * 3).contains(&calls), "{calls}");
    assert_eq!(
        room.best(10).await,
        (24_971..=24_980).rev().collect::<Vec<_>>()
    );
    assert_eq!(room.verify(false).await, []);
}

/// Another server's refills over the same Redis.
async fn refills(room: &ListBoard) -> (Arc<Refills>, impl Fn() -> List) {
    let settings = RedisSettings::default();
    let parts = parts_at(&room.redis.url(), &settings).await;
    let refills = Refills::new(&parts);
    let place = parts.incarnations.place(&room.record, 0).await.unwrap();
    let (board, kind) = (room.record.clone(), room.kind.clone());
    let short = move || List {
        board: board.clone(),
        shard: 0,
        kind: kind.clone(),
        place,
        window: ALL,
    };
    (refills, short)
}

#[tokio::test]
async fn no_caller_waits_for_a_refill_that_has_to_wait() {
    let room = ListBoard::new(Some(list(10, 15))).await;
    room.fill(300).await;
    room.mark(1);
    let (refills, short) = refills(&room).await;
    let all = u32::try_from(REFILLS_AT_ONCE).unwrap();
    let turns = refills.turns.acquire_many(all).await.unwrap();
    refills.start(short()).unwrap().soon().await;
    assert!(room.meta('s', ALL).is_some());
    drop(turns);
    room.wait_until_whole().await;
}

/// A request at the very end of a refill, which may have read the member before, gets another
/// round.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_caller_is_released_by_a_refill_that_looked_before() {
    let room = ListBoard::new(Some(list(10, 15))).await;
    room.fill(50).await;
    let (refills, short) = refills(&room).await;
    for number in 0..200 {
        let asks = (0..3).map(|later: u32| {
            let (room, refills, list) = (&room, &refills, short());
            async move {
                for _ in 0..later * number {
                    tokio::task::yield_now().await;
                }
                room.mark(number * 3 + later);
                refills.start(list).unwrap().soon().await;
            }
        });
        join_all(asks).await;
        assert_eq!(room.meta('s', ALL), None, "round {number}");
    }
}
