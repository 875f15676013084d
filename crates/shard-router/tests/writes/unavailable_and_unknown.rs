//! Writes that were definitely not applied are `unavailable`, those that may have been are `unknown`.

use board::{KindSpec, Period, WindowRule};
use shard_router::{Write, WriteOutcome};
use shard_store::{CreateBoardError, DeleteBoardError, ItemFailure, StoreError};

use crate::stage::{NOW, Stage, board, hooked, id, kind, points, unavailable_why};

fn unavailable() -> StoreError {
    StoreError::Unavailable("away".to_owned())
}

fn unknown() -> StoreError {
    StoreError::Unknown("no answer".to_owned())
}

async fn many(stage: &Stage) -> Vec<Write> {
    let room = board("room");
    stage.send(&[stage.write(&room, "first", 1)]).await;
    (0..200)
        .map(|n| stage.write(&room, &format!("u{n}"), 1))
        .collect()
}

#[tokio::test]
async fn a_failing_shard_fails_only_its_own_writes() {
    let (store, stage) = Stage::hooked().await;
    let writes = many(&stage).await;
    store.before_applying(|shard| async move {
        match shard {
            3 => Err(unavailable()),
            5 => Err(unknown()),
            _ => Ok(()),
        }
    });
    let written = stage.send(&writes).await;
    let shards = stage.gifts.kind.shards();
    let mut failed = 0;
    for (write, written) in writes.iter().zip(&written) {
        match shards.shard_of(write.member.placement_hash()) {
            3 => assert_eq!(
                *written,
                WriteOutcome::Failed(ItemFailure::Unavailable("away".to_owned()))
            ),
            5 => assert_eq!(
                *written,
                WriteOutcome::Failed(ItemFailure::Unknown("no answer".to_owned()))
            ),
            _ => {
                assert_eq!(stage.applied(written), 1);
                continue;
            }
        }
        failed += 1;
    }
    assert!(failed > 2);
}

#[tokio::test]
async fn a_write_applied_without_a_response_is_a_duplicate_later() {
    let (store, stage) = Stage::hooked().await;
    let room = board("room");
    let write = Write {
        id: Some(id("evt")),
        ..stage.write(&room, "u1", 5)
    };
    store.fail_after_applying(unknown());
    let written = stage.send(std::slice::from_ref(&write)).await;
    let failure = ItemFailure::Unknown("no answer".to_owned());
    assert_eq!(written, [WriteOutcome::Failed(failure)]);
    store.clear_hooks();
    let written = stage.send(&[write]).await;
    let WriteOutcome::Duplicate(standings) = &written[0] else {
        panic!("{written:?}")
    };
    assert_eq!(stage.points_in(standings), 5);
}

#[tokio::test]
async fn nothing_is_applied_after_a_failed_creation() {
    for error in [unavailable(), unknown()] {
        let (store, stage) = Stage::hooked().await;
        let (room, other) = (board("room"), board("other"));
        stage.send(&[stage.write(&other, "u1", 1)]).await;
        store.fail_creations(CreateBoardError::Store(error));
        let writes = [stage.write(&room, "u1", 1), stage.write(&other, "u1", 1)];
        let written = stage.send(&writes).await;
        unavailable_why(&written[0]);
        assert_eq!(stage.applied(&written[1]), 2);
    }
}

#[tokio::test]
async fn a_deletion_reports_whether_the_board_existed() {
    let (_, stage) = Stage::hooked().await;
    let room = board("room");
    let nothing = stage.router.delete_board(&room, NOW).await;
    assert_eq!(nothing, Err(DeleteBoardError::NotFound));
    stage.send(&[stage.write(&room, "u1", 1)]).await;
    assert_eq!(stage.router.delete_board(&room, NOW).await, Ok(()));
    assert_eq!(stage.all_points(&room).await, []);
}

/// Writes on one server, which has read the kind before another server changed it.
async fn write_by_an_older_kind(change: impl FnOnce(&mut KindSpec)) -> (Stage, WriteOutcome) {
    let store = hooked();
    let here = Stage::over(store.clone()).await;
    let there = Stage::over(store).await;
    let mut spec = points("gifts");
    change(&mut spec);
    let put = there.router.catalogue().put(kind(spec), NOW);
    put.await.unwrap();
    let written = here.send(&[here.write(&board("room"), "u1", 1)]).await;
    (here, written.into_iter().next().unwrap())
}

#[tokio::test]
async fn a_kind_changed_elsewhere_with_the_same_meaning_is_used() {
    let (here, written) = write_by_an_older_kind(|spec| spec.shards = 64).await;
    assert_eq!(here.applied(&written), 1);
    let record = here.router.store().board(&board("room")).await.unwrap();
    assert_eq!(record.unwrap().shards.get(), 64);
}

#[tokio::test]
async fn a_kind_with_another_meaning_is_known_before_the_retry() {
    let day = WindowRule::with_defaults(Period::Day);
    let (mut here, written) = write_by_an_older_kind(|spec| spec.windows = vec![day]).await;
    unavailable_why(&written);
    assert_eq!(here.all_points(&board("room")).await, []);
    here.gifts = here.router.catalogue().known("gifts").unwrap();
    assert_eq!(here.gifts.kind.windows(), [day]);
    let written = here.send(&[here.write(&board("room"), "u1", 1)]).await;
    assert_eq!(here.applied(&written[0]), 1);
}
