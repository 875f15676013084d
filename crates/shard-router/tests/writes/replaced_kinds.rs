//! Writes that were read under a kind that was replaced while it had no boards.

use board::{Calendar, FieldName, FieldRule, Mode, Period, Rules, ShardCount, Ties, WindowRule};
use shard_router::{KnownKind, Router, Write, WriteOutcome};
use shard_store::PutSettingsError;

use crate::stage::{NOW, Stage, board, kind, points, unavailable_why};

/// Replaces the kind by one with another field before its own.
async fn replace(router: &Router) -> KnownKind {
    let mut spec = points("gifts");
    let fields = ["likes", "points"].map(|name| FieldRule::sum(FieldName::new(name).unwrap()));
    spec.rules = Rules::new(fields.to_vec(), Mode::Accumulate, Ties::Earliest).unwrap();
    router.catalogue().put(kind(spec), NOW).await.unwrap().0
}

fn assert_changed(written: &WriteOutcome) {
    let why = unavailable_why(written);
    assert!(why.contains("kind gifts has just changed: send it again"));
}

#[tokio::test]
async fn writes_read_under_a_replaced_kind_are_not_applied() {
    let [here, there] = Stage::two().await;
    let room = board("room");
    let new = Write {
        kind: replace(&here.router).await,
        ..here.write(&room, "u1", 7)
    };
    here.send(std::slice::from_ref(&new)).await;
    let held = here.all_points(&room).await;
    for stage in [&here, &there] {
        // `here` has cached the record; `there` has not, and does not know the new kind yet.
        for write in [stage.write(&room, "u1", 1), stage.removal(&room, "u1")] {
            let written = stage.send(&[write]).await;
            assert_changed(&written[0]);
        }
        // By now the new kind is known.
        let current = stage.router.catalogue().known("gifts").unwrap();
        assert_eq!(current.kind, new.kind.kind);
    }
    assert_eq!(here.all_points(&room).await, held);
}

#[tokio::test]
async fn a_cached_record_of_a_deleted_board_does_not_block_a_new_kind() {
    let [here, there] = Stage::two().await;
    let room = board("room");
    here.send(&[here.write(&room, "u1", 1)]).await;
    there.router.delete_board(&room, NOW).await.unwrap();
    replace(&there.router).await;
    here.router.catalogue().refresh().await.unwrap();
    let new = Write {
        kind: here.router.catalogue().known("gifts").unwrap(),
        ..here.write(&room, "u1", 7)
    };
    let written = here.send(&[new]).await;
    assert_eq!(here.applied(&written[0]), 7);
}

#[tokio::test]
async fn writes_read_under_a_kind_of_the_same_meaning_are_applied() {
    let stage = Stage::in_memory().await;
    let room = board("room");
    stage.send(&[stage.write(&room, "u1", 1)]).await;
    let mut deeper = points("gifts");
    deeper.top = 7;
    let catalogue = stage.router.catalogue();
    catalogue.put(kind(deeper), NOW).await.unwrap();
    let written = stage.send(&[stage.write(&room, "u1", 1)]).await;
    assert_eq!(stage.applied(&written[0]), 2);
}

#[tokio::test]
async fn settings_are_put_though_the_kind_changed_elsewhere() {
    let [here, there] = Stage::two().await;
    let room = board("room");
    let old = here.router.catalogue().known("gifts").unwrap();
    let new = replace(&there.router).await;
    let shards = ShardCount::new(2).unwrap();
    let settled = here
        .router
        .put_settings(&room, &old, shards.into(), NOW)
        .await
        .unwrap();
    assert_eq!(settled.shards, shards);
    let known = here.router.catalogue().known("gifts").unwrap();
    assert_eq!(known.kind, new.kind);
    let gone = there.router.catalogue().delete(new.kind.name()).await;
    assert_eq!(gone, Ok(()));
    let settled = here
        .router
        .put_settings(&room, &known, shards.into(), NOW)
        .await;
    assert_eq!(settled, Err(PutSettingsError::StaleKind));
}

/// A request during which the kind is replaced: each line is admitted to the windows of the kind that it was read
/// under.
#[tokio::test]
async fn each_write_is_admitted_by_its_own_kind() {
    let stage = Stage::in_memory().await;
    let put = async |zone: &str| {
        let mut spec = points("gifts");
        spec.calendar = Calendar::new(zone).unwrap();
        spec.windows = vec![WindowRule::with_defaults(Period::Day)];
        stage
            .router
            .catalogue()
            .put(kind(spec), NOW)
            .await
            .unwrap()
            .0
    };
    let (old, new) = (put("UTC").await, put("Asia/Tokyo").await);
    let by = |kind: &KnownKind, subject| Write {
        kind: kind.clone(),
        ..stage.write(&board(subject), "u1", 1)
    };
    let written = stage.send(&[by(&old, "a"), by(&new, "b")]).await;
    assert_changed(&written[0]);
    let WriteOutcome::Applied(held) = &written[1] else {
        panic!("{written:?}");
    };
    let windows: Vec<_> = held.iter().map(|held| held.window).collect();
    assert_eq!(windows, *new.kind.admit(NOW, NOW).unwrap());
    assert_ne!(windows, *old.kind.admit(NOW, NOW).unwrap());
}

#[tokio::test]
async fn writes_read_under_a_kind_in_between_are_not_applied() {
    let stage = Stage::in_memory().await;
    let room = board("room");
    let first = stage.gifts.clone();
    let between = replace(&stage.router).await;
    let again = stage.router.catalogue();
    let last = again.put(kind(points("gifts")), NOW).await.unwrap().0;
    let read_by = |kind: &KnownKind, name| Write {
        kind: kind.clone(),
        ..stage.write(&room, name, 1)
    };
    let writes = [
        read_by(&first, "u1"),
        read_by(&between, "u2"),
        read_by(&last, "u3"),
    ];
    let written = stage.send(&writes).await;
    assert_changed(&written[1]);
    let all = [("u1".to_owned(), 1), ("u3".to_owned(), 1)];
    let mut points = stage.all_points(&room).await;
    points.sort_unstable();
    assert_eq!(points, all);
}
