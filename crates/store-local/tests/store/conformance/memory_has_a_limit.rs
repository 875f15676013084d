//! At the memory limit, calls that need memory are rejected, and all others continue: reads,
//! changes of existing standings, and removals. Deleted boards free memory.

use std::sync::Arc;

use board::{ShardCount, Window};
use shard_store::{
    BoardSettings, CreateBoardError, ItemFailure, Memory, Outcome, PutSettingsError, Revision,
    StoreError,
};
use store_local::{LocalStore, REMEMBERED_ID_BYTES_MAX};

use testkit::conformance::fixtures::{Board, HOUR, NOW, OpenStore, board_name, gifts, member};

const ALL: Window = Window::ALL_TIME;
const APPLIED: Outcome = Outcome::Applied(Vec::new());
const LIMIT: u64 = 1 << 30;

fn limited() -> (OpenStore, Arc<Memory>) {
    let memory = Arc::new(Memory::with_limit(LIMIT));
    let store = LocalStore::in_memory_with_limits(memory.clone(), REMEMBERED_ID_BYTES_MAX).unwrap();
    (OpenStore::new(store, ()), memory)
}

#[track_caller]
fn assert_refused(outcome: &Outcome) {
    let Outcome::Failed(ItemFailure::Unavailable(why)) = outcome else {
        panic!("{outcome:?}")
    };
    assert!(why.contains("memory limit"), "{why}");
}

/// Members of a board, each with a point.
async fn fill(board: &Board, names: std::ops::Range<u32>) {
    for number in names {
        let member = member(&format!("u{number}"));
        let item = board.points(&member, 1, NOW);
        assert_eq!(board.apply(&[item], NOW).await, [APPLIED]);
    }
}

#[tokio::test]
async fn calls_that_need_memory_are_rejected_and_all_others_continue() {
    let (store, memory) = limited();
    let kind = store.kind(gifts(|spec| spec.shards = 1)).await;
    let board = store.created(&kind, "a", NOW).await;
    let (there, new) = (member("u0"), member("new"));
    fill(&board, 0..10).await;
    memory.report_resident(LIMIT);
    let items = [
        board.points(&there, 1, NOW),
        board.points(&new, 1, NOW),
        board.points_by_id(&there, 1, "evt-1", NOW),
        board.points(&there, 1, NOW),
    ];
    let outcomes = board.apply(&items, NOW).await;
    assert_eq!((&outcomes[0], &outcomes[3]), (&APPLIED, &APPLIED));
    assert_refused(&outcomes[1]);
    assert_refused(&outcomes[2]);
    assert_eq!(board.points_of(ALL, &there).await, Some(3));
    assert_eq!(board.points_of(ALL, &new).await, None);
    // The existing board is found, and no other is created.
    store
        .create_board(&board.record.name, &kind, None, NOW)
        .await
        .unwrap();
    let other = board_name("gifts", "b");
    let settings = BoardSettings::from(ShardCount::new(1).unwrap());
    let created = store.create_board(&other, &kind, None, NOW).await;
    let settled = store.put_settings(&other, &kind, settings, NOW).await;
    assert!(matches!(
        created,
        Err(CreateBoardError::Store(StoreError::Unavailable(_)))
    ));
    assert!(matches!(
        settled,
        Err(PutSettingsError::Store(StoreError::Unavailable(_)))
    ));
    assert_eq!(store.board(&other).await.unwrap(), None);
    // Removals are applied.
    store.drop_expired(NOW).await.unwrap();
    store
        .delete_board(&board.record.name, NOW.plus(HOUR))
        .await
        .unwrap();
    store.delete_kind(&kind.name, Revision(1)).await.unwrap();
}

#[tokio::test]
async fn a_deleted_board_frees_its_memory_for_others() {
    let (store, memory) = limited();
    let kind = store.kind(gifts(|spec| spec.shards = 1)).await;
    let board = store.created(&kind, "a", NOW).await;
    fill(&store.created(&kind, "b", NOW).await, 0..100).await;
    fill(&board, 0..100).await;
    memory.report_resident(LIMIT);
    store.drop_expired(NOW).await.unwrap();
    let new = board.points(&member("new"), 1, NOW);
    assert_refused(&board.apply(std::slice::from_ref(&new), NOW).await[0]);
    let gone = board_name("gifts", "b");
    store.delete_board(&gone, NOW.plus(HOUR)).await.unwrap();
    // It stays resident; the sweep measures the lower weight.
    store.drop_expired(NOW).await.unwrap();
    let mut added = 0;
    loop {
        let item = board.points(&member(&format!("again {added}")), 1, NOW);
        if board.apply(&[item], NOW).await != [APPLIED] {
            break;
        }
        added += 1;
        assert!(added < 200, "as much as was given back, and no more");
    }
    assert!(added > 50, "{added}");
    memory.report_resident(LIMIT / 2);
    assert_eq!(board.apply(&[new], NOW).await, [APPLIED]);
}
