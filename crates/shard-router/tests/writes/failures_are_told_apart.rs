//! What surely did not happen is `unavailable`, what perhaps did is `unknown`, each for itself.

use board::{KindSpec, Period, WindowRule};
use shard_router::{Write, WriteOutcome};
use shard_store::{CreateBoardError, DeleteBoardError, ItemFailure, StoreError};

use crate::stage::{NOW, Stage, board, id, kind, points};
use crate::woven::Woven;

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
async fn a_shard_that_fails_fails_its_own_writes() {
    let store = Woven::new();
    let stage = Stage::over(store.clone()).await;
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
async fn what_was_applied_without_an_answer_is_a_duplicate_under_its_id() {
    let store = Woven::new();
    let stage = Stage::over(store.clone()).await;
    let room = board("room");
    let write = Write {
        id: Some(id("evt")),
        ..stage.write(&room, "u1", 5)
    };
    store.answer_applied_with(unknown());
    let written = stage.send(std::slice::from_ref(&write)).await;
    let failure = ItemFailure::Unknown("no answer".to_owned());
    assert_eq!(written, [WriteOutcome::Failed(failure)]);
    store.let_be();
    let written = stage.send(&[write]).await;
    let WriteOutcome::Duplicate(standings) = &written[0] else {
        panic!("{written:?}")
    };
    assert_eq!(stage.points_in(standings), 5);
}

#[tokio::test]
async fn a_creation_that_fails_has_applied_nothing() {
    for error in [unavailable(), unknown()] {
        let store = Woven::new();
        let stage = Stage::over(store.clone()).await;
        let (room, other) = (board("room"), board("other"));
        stage.send(&[stage.write(&other, "u1", 1)]).await;
        store.fail_creations(CreateBoardError::Store(error));
        let writes = [stage.write(&room, "u1", 1), stage.write(&other, "u1", 1)];
        let written = stage.send(&writes).await;
        assert!(
            matches!(
                &written[0],
                WriteOutcome::Failed(ItemFailure::Unavailable(_))
            ),
            "{written:?}"
        );
        assert_eq!(stage.applied(&written[1]), 2);
    }
}

#[tokio::test]
async fn a_deletion_says_whether_there_was_anything() {
    let store = Woven::new();
    let stage = Stage::over(store.clone()).await;
    let room = board("room");
    let nothing = stage.router.delete_board(&room, NOW).await;
    assert_eq!(nothing, Err(DeleteBoardError::NotFound));
    stage.send(&[stage.write(&room, "u1", 1)]).await;
    assert_eq!(stage.router.delete_board(&room, NOW).await, Ok(()));
    assert_eq!(stage.all_points(&room).await, []);
}

/// Two servers, and what becomes of a write by the first that read its kind before the second has
/// changed it.
async fn write_by_an_older_kind(change: impl FnOnce(&mut KindSpec)) -> (Stage, WriteOutcome) {
    let store = Woven::new();
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
async fn a_kind_that_changed_elsewhere_and_means_the_same_holds_nothing_up() {
    let (here, written) = write_by_an_older_kind(|spec| spec.shards = 64).await;
    assert_eq!(here.applied(&written), 1);
    let record = here.router.store().board(&board("room")).await.unwrap();
    assert_eq!(record.unwrap().shards.get(), 64);
}

#[tokio::test]
async fn a_kind_that_means_something_else_is_known_when_the_write_is_sent_again() {
    let day = WindowRule::with_defaults(Period::Day);
    let (mut here, written) = write_by_an_older_kind(|spec| spec.windows = vec![day]).await;
    assert!(
        matches!(&written, WriteOutcome::Failed(ItemFailure::Unavailable(_))),
        "{written:?}"
    );
    assert_eq!(here.all_points(&board("room")).await, []);
    here.gifts = here.router.catalogue().known("gifts").unwrap();
    assert_eq!(here.gifts.kind.windows(), [day]);
    let written = here.send(&[here.write(&board("room"), "u1", 1)]).await;
    assert_eq!(here.applied(&written[0]), 1);
}
