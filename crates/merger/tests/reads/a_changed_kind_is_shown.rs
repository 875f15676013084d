//! Depth and rank style may change while a kind has boards; a board at rest follows.

use std::sync::Arc;

use board::RankStyle;

use crate::agree::ALL;
use crate::kinds::{kind, points};
use crate::stage::{Stage, text};

#[tokio::test]
async fn a_board_at_rest_is_as_deep_as_its_kind_has_become() {
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
async fn a_board_at_rest_has_the_ranks_of_what_its_kind_has_become() {
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
    // Whoever holds the version holds the bytes.
    assert_ne!(top.snapshot.version, ordinal.snapshot.version);
}
