//! Taking a member off a board that is not there leaves it so.

use shard_router::WriteOutcome;
use shard_store::ItemRejected;

use crate::stage::{Stage, board, member};
use crate::woven::Woven;

#[tokio::test]
async fn a_removal_from_a_board_without_contributions_finds_nobody() {
    let store = Woven::new();
    let stage = Stage::over(store.clone()).await;
    let room = board("room");
    let writes = [stage.removal(&room, "u1"), stage.removal(&room, "u2")];
    let written = stage.send(&writes).await;
    let refused = |name| WriteOutcome::Rejected(ItemRejected::NotRanked(member(name)).into());
    assert_eq!(written, [refused("u1"), refused("u2")]);
    assert_eq!(store.creations(), 0);
    assert_eq!(stage.router.store().board(&room).await.unwrap(), None);
}

#[tokio::test]
async fn a_removal_beside_a_contribution_acts_in_its_order() {
    let store = Woven::new();
    let stage = Stage::over(store.clone()).await;
    let room = board("room");
    let writes = [
        stage.removal(&room, "u1"),
        stage.write(&room, "u1", 2),
        stage.removal(&room, "u2"),
    ];
    let written = stage.send(&writes).await;
    assert!(
        matches!(written[0], WriteOutcome::Rejected(_)),
        "{written:?}"
    );
    assert_eq!(stage.applied(&written[1]), 2);
    assert!(
        matches!(written[2], WriteOutcome::Rejected(_)),
        "{written:?}"
    );
    assert_eq!(store.creations(), 1);
}

#[tokio::test]
async fn who_is_taken_off_is_off_and_may_come_again() {
    let stage = Stage::over(Woven::new()).await;
    let room = board("room");
    stage.send(&[stage.write(&room, "u1", 9)]).await;
    let written = stage.send(&[stage.removal(&room, "u1")]).await;
    assert_eq!(written, [WriteOutcome::Applied(Vec::new())]);
    assert_eq!(stage.all_points(&room).await, []);
    let written = stage.send(&[stage.write(&room, "u1", 2)]).await;
    assert_eq!(stage.applied(&written[0]), 2);
}
