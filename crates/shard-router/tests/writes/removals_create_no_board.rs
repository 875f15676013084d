//! A removal from a board that does not exist does not create it.

use shard_router::WriteOutcome;
use shard_store::ItemRejected;

use crate::stage::{Stage, board, member, rejected};

#[tokio::test]
async fn a_removal_from_a_board_without_contributions_is_not_ranked() {
    let (store, stage) = Stage::hooked().await;
    let room = board("room");
    let writes = [stage.removal(&room, "u1"), stage.removal(&room, "u2")];
    let written = stage.send(&writes).await;
    let refused = |name| WriteOutcome::Rejected(ItemRejected::NotRanked(member(name)).into());
    assert_eq!(written, [refused("u1"), refused("u2")]);
    assert_eq!(store.creations(), 0);
    assert_eq!(stage.router.store().board(&room).await.unwrap(), None);
}

#[tokio::test]
async fn a_removal_beside_a_contribution_is_applied_in_order() {
    let (store, stage) = Stage::hooked().await;
    let room = board("room");
    let writes = [
        stage.removal(&room, "u1"),
        stage.write(&room, "u1", 2),
        stage.removal(&room, "u2"),
    ];
    let written = stage.send(&writes).await;
    rejected(&written[0]);
    assert_eq!(stage.applied(&written[1]), 2);
    rejected(&written[2]);
    assert_eq!(store.creations(), 1);
}

#[tokio::test]
async fn a_removed_member_may_contribute_again() {
    let stage = Stage::hooked().await.1;
    let room = board("room");
    stage.send(&[stage.write(&room, "u1", 9)]).await;
    let written = stage.send(&[stage.removal(&room, "u1")]).await;
    assert_eq!(written, [WriteOutcome::Applied(Vec::new())]);
    assert_eq!(stage.all_points(&room).await, []);
    let written = stage.send(&[stage.write(&room, "u1", 2)]).await;
    assert_eq!(stage.applied(&written[0]), 2);
}
