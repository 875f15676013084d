use board::Retain;

use super::list_board::{ListBoard, list};
use shard_store::IndexMismatch;

/// Returns the numbers of the reported members, and checks that they are reported as missing.
fn missing(wrong: &[IndexMismatch]) -> Vec<u32> {
    let mut numbers: Vec<u32> = wrong
        .iter()
        .map(|wrong| {
            assert_eq!(wrong.detail, "has a score and is not ranked by it");
            let member = wrong.member.as_ref().unwrap();
            member.as_str()[1..].parse().unwrap()
        })
        .collect();
    numbers.sort_unstable();
    numbers
}

#[tokio::test]
async fn a_member_off_a_list_is_not_a_disagreement() {
    let room = ListBoard::new(Some(list(10, 15))).await;
    room.fill(600).await;
    for repair in [false, true, false] {
        assert_eq!(room.verify(repair).await, []);
    }
}

#[tokio::test]
async fn a_member_that_belongs_on_a_list_is_reported_and_put_back() {
    let room = ListBoard::new(Some(list(10, 15))).await;
    room.fill(600).await;
    room.lose(-3, -2);
    // Nine are ranked: no member has ten better ones that are.
    let wrong = missing(&room.verify(false).await);
    assert_eq!(wrong.len(), 591);
    assert!(wrong.ends_with(&[590, 598, 599]));
    let mended = room.verify(true).await;
    assert!(mended.iter().all(|wrong| wrong.repaired));
    assert_eq!(room.verify(false).await, []);
    assert_eq!(room.best(3).await, [600, 599, 598]);
    assert!(room.counts().0 <= 15);
}

/// A member below the best ten that was never trimmed: when another is removed, it would be one of
/// them.
#[tokio::test]
async fn a_member_that_was_not_taken_off_is_missed_in_the_slack_too() {
    let room = ListBoard::new(Some(list(10, 15))).await;
    room.fill(600).await;
    let risen = (1..=4).map(|n| room.points(n, 1000));
    room.apply(&risen.collect::<Vec<_>>()).await;
    assert_eq!(room.counts().0, 14);
    room.lose(1, 1);
    assert_eq!(missing(&room.verify(false).await), [592]);
    assert_eq!(missing(&room.verify(true).await), [592]);
    assert_eq!(room.verify(false).await, []);
}

/// A member that fell stays among those that are listed, above better ones that are off: correct
/// for an approximate list. A member that was lost from it is reported nevertheless.
#[tokio::test]
async fn an_approximate_list_does_not_miss_members_for_whom_others_fell() {
    let room = ListBoard::new(Some(list(10, 15))).await;
    room.fill(100).await;
    room.apply(&[room.points(100, -99), room.points(99, -98)])
        .await;
    for repair in [false, true] {
        assert_eq!(room.verify(repair).await, []);
    }
    room.lose(-1, -1);
    assert_eq!(missing(&room.verify(false).await), [98]);
    assert_eq!(missing(&room.verify(true).await), [98]);
    // The repair scanned all of it.
    assert_eq!(room.best(10).await, (89..=98).rev().collect::<Vec<_>>());
    assert_eq!(room.verify(false).await, []);
}

/// No member falls on a list that is not approximate: one with too few better ones belongs on it.
#[tokio::test]
async fn an_exact_list_misses_all_members_that_belong_on_it() {
    let exact = Retain {
        approximate: false,
        ..list(10, 15)
    };
    let room = ListBoard::new(Some(exact)).await;
    room.fill(100).await;
    room.apply(&[room.points(101, 1)]).await;
    assert_eq!(room.verify(false).await, []);
    room.lose(-3, -2);
    assert_eq!(room.counts().0, 10);
    assert_eq!(missing(&room.verify(false).await).len(), 91);
    assert!(room.verify(true).await.iter().all(|wrong| wrong.repaired));
    assert_eq!(room.verify(false).await, []);
}

#[tokio::test]
async fn a_lost_list_is_made_anew_no_longer_than_it_was() {
    let room = ListBoard::new(Some(list(10, 15))).await;
    room.fill(3000).await;
    room.lose(0, -1);
    let wrong = room.verify(false).await;
    assert_eq!(wrong.len(), 1);
    assert_eq!(wrong[0].detail, "3000 members have scores, none is ranked");
    assert!(room.verify(true).await[0].repaired);
    let (ranked, scored) = room.counts();
    assert!((10..=15).contains(&ranked), "{ranked}");
    assert_eq!(scored, 3000);
    assert_eq!(room.best(10).await, (2991..=3000).rev().collect::<Vec<_>>());
    assert_eq!(room.verify(false).await, []);
}
