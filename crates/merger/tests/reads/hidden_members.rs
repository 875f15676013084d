//! Reads are as if hidden members did not exist, whatever their number and positions; shown again, they have their
//! positions.

use std::sync::Arc;

use board::{Hidden, Kind, Member, RankStyle, Timestamp};

use crate::agree::{ALL, Agree};
use crate::kinds::{kind, points};
use crate::million::{MEMBERS, million};
use crate::price::price;
use crate::random::Random;
use crate::stage::{NOW_MS, Stage, text};
use crate::twin::Twin;

fn members(names: &[&str]) -> Hidden {
    Hidden::new(names.iter().map(|name| Member::new(name).unwrap())).unwrap()
}

fn hiding(kind: &Kind, hidden: Hidden) -> Arc<Kind> {
    Arc::new(kind.clone().hiding(hidden))
}

#[tokio::test]
async fn an_unchanged_board_hides_and_shows_members() {
    let stage = Stage::in_memory(kind(points(16))).await;
    for (member, points) in [("a", 9), ("b", 8), ("c", 7)] {
        stage.points(member, points).await;
    }
    let whole = stage.top(false).await.unwrap();
    let without = hiding(&stage.kind, members(&["a"]));
    let top = async |kind| {
        stage
            .merger
            .top(&stage.board, kind, ALL, false)
            .await
            .unwrap()
    };
    let closed = top(&without).await;
    assert_eq!(text(&closed), "1:1:b,2:2:c");
    assert_eq!(closed.snapshot.members, 2);
    // Equal versions mean equal bytes.
    assert_ne!(closed.snapshot.version, whole.snapshot.version);
    let others = hiding(&stage.kind, members(&["b"]));
    let other = top(&others).await;
    assert_eq!(text(&other), "1:1:a,2:2:c");
    assert_ne!(other.snapshot.version, closed.snapshot.version);
    // Contributions in the meantime count.
    stage.points("a", 1).await;
    let again = top(&stage.kind).await;
    assert_eq!(text(&again), "1:1:b,2:2:c,3:3:a");
}

#[tokio::test]
async fn a_changed_kind_keeps_its_hidden_members() {
    let stage = Stage::in_memory(kind(points(16))).await;
    stage.points("a", 9).await;
    let catalogue = stage.router.catalogue();
    let name = stage.kind.name();
    let a = Member::new("a").unwrap();
    assert!(
        catalogue
            .hide(name, |hidden| hidden.with(&a))
            .await
            .unwrap()
            .is_some()
    );
    assert!(
        catalogue
            .hide(name, |hidden| hidden.with(&a))
            .await
            .unwrap()
            .is_none()
    );
    let mut spec = points(16);
    spec.top = 2;
    let (known, _) = catalogue
        .put(kind(spec), Timestamp::from_millis(NOW_MS))
        .await
        .unwrap();
    assert_eq!(known.kind.top(), 2);
    assert_eq!(*known.kind.hidden(), members(&["a"]));
    let shown = catalogue.hide(name, |hidden| Ok(hidden.without(&a)));
    let shown = shown.await.unwrap().unwrap();
    catalogue.add_written(vec![shown]).await;
    let kind = catalogue.known(name.as_str()).unwrap().kind;
    assert!(kind.hidden().is_empty());
}

/// Returns the best ten of a million and 490 more, among them a whole page in the middle.
fn few_of_a_million(random: &mut Random) -> Hidden {
    let million = million();
    let middle = random.within(1, MEMBERS - 100);
    let best = 1..=10;
    let page = middle..middle + 90;
    let others: Vec<u64> = (0..400).map(|_| random.within(1, MEMBERS)).collect();
    let positions = best.chain(page).chain(others);
    let twin = &million.twin;
    let member = |position| twin.at(RankStyle::Ordinal, position).row.member;
    Hidden::new(positions.map(member)).unwrap()
}

#[test]
fn pages_and_ranks_of_a_million_ignore_hidden_members() {
    let million = million();
    let mut random = Random::of_run(300);
    let hidden = few_of_a_million(&mut random);
    let rows = million.twin.rows.iter();
    let rows = rows.filter(|row| !hidden.contains(&row.member));
    let twin = Twin::new(million.kinds[0].rules(), rows.cloned().collect());
    for kind in &million.kinds {
        let kind = &hiding(kind, hidden.clone());
        let agree = Agree {
            stage: &million.stage,
            kind,
            twin: &twin,
        };
        million.runtime.block_on(async {
            agree.top().await;
            for len in [1, 10, 1000] {
                for _ in 0..10 {
                    let from = random.within(1, twin.len());
                    agree.range(from, from + len - 1).await;
                }
                agree.range(twin.len() - len, twin.len() + len).await;
            }
            for _ in 0..20 {
                let position = random.within(1, twin.len());
                agree.member(position, (5, 5), Some(1 + position / 2)).await;
            }
            let asked: Vec<u64> = (0..1000).map(|_| random.within(0, twin.len())).collect();
            agree.lookup(&asked).await;
        });
    }
}

#[test]
fn a_rank_with_few_hidden_members_takes_two_round_trips() {
    let million = million();
    let (merger, board) = (million.merger(), &million.stage.board);
    let mut random = Random::of_run(301);
    let kind = &hiding(&million.kinds[0], few_of_a_million(&mut random));
    for _ in 0..50 {
        let member = &million.member(random.within(1, MEMBERS));
        let read = merger.member(board, kind, ALL, member, (1, 1));
        let (price, _) = million.runtime.block_on(price(&merger, read));
        assert!(price.round_trips <= 2);
        // Includes the spare entries for hidden members.
        assert!(price.entries <= 16 * 4, "{price:?}");
    }
}
