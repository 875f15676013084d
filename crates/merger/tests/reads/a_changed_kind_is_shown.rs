//! Depth and rank style may change while a kind has boards, and apply to a cached board that has not changed. A kind
//! without boards may change its meaning; the old one does not read the new boards.

use std::sync::Arc;

use board::{Direction, FieldName, FieldRule, Mode, RankStyle, Rules, Ties, Timestamp};
use merger::ReadError;

use crate::agree::ALL;
use crate::kinds::{kind, points};
use crate::stage::{NOW_MS, Stage, text};

#[tokio::test]
async fn an_unchanged_board_gets_the_new_depth_of_its_kind() {
    let mut spec = points(16);
    spec.top = 2;
    let stage = Stage::in_memory(kind(spec)).await;
    for (member, points) in [("a", 9), ("b", 8), ("c", 7)] {
        stage.points(member, points).await;
    }
    assert_eq!(text(&stage.top(false).await.unwrap()), "1:1:a,2:2:b");
    let deeper = Arc::new(kind(points(16)));
    let top = stage.merger.top(&stage.board, &deeper, ALL, false);
    assert_eq!(text(&top.await.unwrap()), "1:1:a,2:2:b,3:3:c");
}

#[tokio::test]
async fn an_unchanged_board_gets_the_new_rank_style_of_its_kind() {
    let stage = Stage::in_memory(kind(points(16))).await;
    for (member, points) in [("a", 9), ("b", 9), ("c", 7)] {
        stage.points(member, points).await;
    }
    let ordinal = stage.top(false).await.unwrap();
    assert_eq!(text(&ordinal), "1:1:b,2:2:a,3:3:c");
    let mut spec = points(16);
    spec.rank = RankStyle::Competition;
    let competition = Arc::new(kind(spec));
    let top = stage.merger.top(&stage.board, &competition, ALL, false);
    let top = top.await.unwrap();
    assert_eq!(text(&top), "1:1:b,2:1:a,3:3:c");
    // Equal versions mean equal bytes.
    assert_ne!(top.snapshot.version, ordinal.snapshot.version);
}

#[tokio::test]
async fn a_replaced_kind_does_not_read_the_new_boards() {
    let mut stage = Stage::in_memory(kind(points(16))).await;
    let now = Timestamp::from_millis(NOW_MS);
    stage.points("a", 9).await;
    stage.top(false).await.unwrap();
    stage.router.delete_board(&stage.board, now).await.unwrap();
    let mut spec = points(16);
    let lower = FieldRule {
        order: Direction::Asc,
        ..FieldRule::sum(FieldName::new("points").unwrap())
    };
    spec.rules = Rules::new(vec![lower], Mode::Accumulate, Ties::Earliest).unwrap();
    let put = stage.router.catalogue().put(kind(spec), now);
    stage.known = put.await.unwrap().0;
    let old = std::mem::replace(&mut stage.kind, stage.known.kind.clone());
    stage.points("b", 2).await;
    stage.points("c", 1).await;
    let range = stage.merger.range(&stage.board, &old, ALL, 1, 10);
    assert_eq!(range.await.unwrap_err(), ReadError::KindChanged);
    for fresh in [true, false] {
        let top = stage.merger.top(&stage.board, &old, ALL, fresh);
        assert_eq!(top.await.unwrap_err(), ReadError::KindChanged);
        let top = stage.top(fresh).await.unwrap();
        assert_eq!(text(&top), "1:1:c,2:2:b");
    }
}
