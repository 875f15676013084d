use std::time::Duration;

use board::Period;

use super::list_board::{ALL, ListBoard, NOW, list, values};
use shard_store::{Anchor, Change, RangeAsk, ShardStore};

/// From this number down, so many.
fn down_from(number: u32, count: u32) -> Vec<u32> {
    (0..count).map(|n| number - n).collect()
}

#[tokio::test]
async fn a_member_that_comes_up_when_others_leave_is_put_back() {
    let room = ListBoard::new(Some(list(10, 15))).await;
    room.fill(1000).await;
    assert_eq!(room.best(10).await, down_from(1000, 10));
    for left in 0..30 {
        room.remove(1000 - left).await;
        assert_eq!(room.best(10).await, down_from(999 - left, 10));
        assert_eq!(room.meta('s', ALL), None, "it is whole before the answer");
        assert!(room.counts().0 <= 15);
    }
    assert_eq!(room.counts().1, 970);
    assert_eq!(room.verify(false).await, []);
}

#[tokio::test]
async fn a_member_that_is_set_below_others_makes_room_for_them() {
    let room = ListBoard::new(Some(list(10, 15))).await;
    room.fill(500).await;
    room.apply(&[room.item(500, Change::Set(values(1)))]).await;
    assert_eq!(room.best(10).await, down_from(499, 10));
    // A member that is off the list may be set as well, or be removed: no other member moves up for
    // that.
    room.apply(&[room.item(50, Change::Set(values(2)))]).await;
    room.remove(60).await;
    assert_eq!(room.meta('s', ALL), None);
    assert_eq!(room.best(10).await, down_from(499, 10));
    assert_eq!(room.verify(false).await, []);
}

/// A refill uses the slack, so that not every removal costs one.
#[tokio::test]
async fn one_refill_covers_as_many_removals_as_the_slack() {
    let room = ListBoard::new(Some(list(10, 20))).await;
    room.fill(300).await;
    let version = async || room.read(Vec::new()).await.version.counter;
    let mut refills = 0;
    for left in 0..22 {
        let before = version().await;
        room.remove(300 - left).await;
        // The removal is one change; each member that is put back is another.
        refills += u32::from(version().await > before + 1);
    }
    assert_eq!(refills, 2);
    assert_eq!(room.best(10).await, down_from(278, 10));
}

#[tokio::test]
async fn putting_members_back_changes_the_version() {
    let room = ListBoard::new(Some(list(10, 15))).await;
    room.fill(100).await;
    let before = room.read(Vec::new()).await.version;
    room.lose(-3, -1);
    room.mark(7);
    room.store.drop_expired(later()).await.unwrap();
    room.wait_until_whole().await;
    let after = room.read(Vec::new()).await.version;
    assert!(after.counter > before.counter);
    assert_ne!(after.digest, before.digest);
}

/// After the time at which any board is visited.
fn later() -> board::Timestamp {
    NOW.plus(Duration::from_hours(25))
}

#[tokio::test]
async fn a_list_that_was_not_refilled_is_healed_by_the_sweep() {
    let room = ListBoard::new(Some(list(10, 15))).await;
    room.fill(1000).await;
    room.lose(-6, -1);
    room.mark(7);
    assert_ne!(room.best(10).await, down_from(1000, 10));
    room.store.drop_expired(later()).await.unwrap();
    room.wait_until_whole().await;
    assert_eq!(room.best(10).await, down_from(1000, 10));
    assert!(room.meta('b', ALL).is_some());
    assert_eq!(room.verify(false).await, []);
}

/// A member that is removed during a refill may be one that the refill has put back.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn leaving_and_writing_go_on_during_a_refill() {
    let room = ListBoard::new(Some(list(10, 15))).await;
    room.fill(12_000).await;
    let other = room.another().await;
    let leaving = async {
        for left in 0..40 {
            room.remove(12_000 - left).await;
        }
    };
    let writing = async {
        for number in 1..=200 {
            let items = [room.points(number, 1), room.points(number + 5000, 1)];
            room.apply_by(&other, &items).await;
        }
    };
    tokio::join!(leaving, writing);
    room.wait_until_whole().await;
    assert_eq!(room.best(10).await, down_from(11_960, 10));
    assert_eq!(room.counts().1, 11_960);
    assert_eq!(room.verify(false).await, []);
}

/// The only listed member is removed, and the key with it: the key that is created again expires,
/// too.
#[tokio::test]
async fn a_list_that_was_empty_goes_with_its_scores() {
    let room = ListBoard::of(Some(list(1, 2)), Period::Day).await;
    room.fill(50).await;
    let window = room.kind.admit(NOW, NOW).unwrap();
    let window = *window.iter().next().unwrap();
    for left in 0..10 {
        room.remove(50 - left).await;
        for key in [room.keys.rank(window), room.keys.scores(window)] {
            let left = room.redis.command(&[b"PTTL".as_slice(), &key]).integer();
            assert!(left > 0, "{left}");
        }
    }
}

/// A delta below zero on a list that is configured as approximate: a member that falls keeps its
/// position among those that are listed, and one that was trimmed before returns with its next
/// contribution.
#[tokio::test]
async fn an_approximate_list_may_lack_a_member_that_was_passed_from_above() {
    let room = ListBoard::new(Some(list(10, 15))).await;
    room.fill(100).await;
    room.apply(&[room.points(100, -99)]).await;
    let best = room.best(11).await;
    assert_eq!(best[..9], down_from(99, 9));
    assert!(
        !best[9..].contains(&90),
        "taken off when it was the eleventh"
    );
    assert_eq!(room.verify(false).await, [], "that is what it promises");
    room.apply(&[room.points(90, 0)]).await;
    assert!(!room.best(10).await.contains(&90), "nothing changed");
    room.apply(&[room.points(90, 1)]).await;
    assert_eq!(room.best(10).await[9], 90);
    let ask = RangeAsk::rank_of(Anchor::Member(super::list_board::named(89)));
    let part = room.read(vec![ask]).await.parts.unwrap().remove(0);
    assert!(part.anchor.is_none() && part.unlisted.is_some());
}
