use board::Window;
use futures::future::join_all;
use std::collections::BTreeMap;

use super::list_board::{ListBoard, list, values};
use shard_store::{Change, ShardStore};
use testkit::dice::{Dice, Seed, runs};

#[tokio::test]
async fn a_list_stays_within_its_slack_and_scores_stay_all() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    let room = ListBoard::new(Some(list(20, 30))).await;
    let mut points: BTreeMap<u32, i64> = BTreeMap::new();
    let mut trims = 0;
    for _ in 0..runs(200, 3000) {
        let count = 1 + dice.below(25);
        let written = i64::try_from(count).unwrap();
        let items = (0..count).map(|_| {
            let number = 1 + u32::try_from(dice.below(400)).unwrap();
            let delta = dice.between(0, 20);
            *points.entry(number).or_default() += delta;
            // Standings that are set are written by the other function.
            if dice.one_in(50) {
                room.item(number, Change::Set(values(points[&number])))
            } else {
                room.points(number, delta)
            }
        });
        let before = room.counts().0;
        room.apply(&items.collect::<Vec<_>>()).await;
        let (ranked, scored) = room.counts();
        assert_eq!(usize::try_from(scored).unwrap(), points.len());
        // A call that may make it longer than 30 finds at most 20; one that changes nothing leaves
        // it unchanged.
        let is_within = ranked <= 30.max(20 + written);
        assert!(is_within || ranked == before, "{ranked} after {before}");
        assert!(ranked >= scored.min(20), "{ranked} of {scored}");
        trims += u32::from(before > ranked);
    }
    assert!(trims > 3, "{trims}");
    assert_eq!(room.all_points(400).await, points);
    assert_eq!(room.verify(false).await, []);
}

/// Two servers with several tasks each write to one shard with few members, and a list that is
/// trimmed by nearly every call.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_update_is_lost_while_lists_are_trimmed() {
    const MEMBERS: u32 = 60;
    let seed = Seed::of_this_run();
    let room = ListBoard::new(Some(list(5, 6))).await;
    let others = [room.another().await, room.another().await];
    let rounds = runs(60, 1000);
    let write = async |writer: u64| {
        let mut dice = Dice::new(seed.0 ^ writer);
        let mut added: BTreeMap<u32, i64> = BTreeMap::new();
        for _ in 0..rounds {
            let items = (0..=dice.below(8)).map(|_| {
                let number = 1 + u32::try_from(dice.below(60)).unwrap();
                let delta = dice.between(0, 9);
                *added.entry(number).or_default() += delta;
                room.points(number, delta)
            });
            let items: Vec<_> = items.collect();
            let place = usize::try_from(writer % 2).unwrap();
            room.apply_by(&others[place], &items).await;
        }
        added
    };
    let mut points: BTreeMap<u32, i64> = BTreeMap::new();
    for added in join_all((0..8).map(write)).await {
        for (number, added) in added {
            *points.entry(number).or_default() += added;
        }
    }
    assert_eq!(room.all_points(MEMBERS).await, points);
    let (ranked, scored) = room.counts();
    assert_eq!(usize::try_from(scored).unwrap(), points.len());
    // The last call may have found five, and written what four writers added.
    assert!((5..=5 + 4 * 8).contains(&ranked), "{ranked}");
    let best = room.best(5).await;
    let of = |number: &u32| points[number];
    let worst_listed = best.iter().map(of).min().unwrap();
    let off = points.keys().filter(|number| !best.contains(number));
    assert!(off.map(of).all(|points| points <= worst_listed));
    assert_eq!(room.verify(false).await, []);
}

#[tokio::test]
async fn the_meta_of_a_list_is_removed_with_its_window() {
    let room = ListBoard::of(Some(list(5, 6)), board::Period::Day).await;
    room.fill(100).await;
    let window = room
        .kind
        .admit(super::list_board::NOW, super::list_board::NOW);
    let window: Window = *window.unwrap().iter().next().unwrap();
    assert!(room.meta('b', window).is_some());
    let gone = super::list_board::NOW.plus(std::time::Duration::from_hours(24 * 40));
    room.store.drop_expired(gone).await.unwrap();
    assert_eq!(room.meta('b', window), None);
}
