//! Settings of a board that has contributions are changed while routers have its old record cached.

use std::sync::Arc;
use std::time::Duration;

use board::{Activity, ActivityRejection, Timestamp};
use shard_router::{Moment, WriteOutcome};
use shard_store::{BoardRecord, ChangeActivityError, ShardStore, StoreError};

use crate::stage::{NOW, Stage, board, hooked};

const MINUTE: Duration = Duration::from_mins(1);

fn ending(ends_at: Timestamp) -> Activity {
    Activity::new(None, Some(ends_at), None).unwrap()
}

/// Changes the activity, as another server does.
async fn change_elsewhere(store: &dyn ShardStore, activity: Activity) {
    let record = store.board(&board("room")).await.unwrap().unwrap();
    let changed = store
        .change_activity(&record, activity, None)
        .await
        .unwrap();
    assert_eq!(changed.activity, activity);
}

/// Creates a board, whose record the router has cached then.
async fn created(store: Arc<dyn ShardStore>) -> Stage {
    let stage = Stage::over(store).await;
    let room = board("room");
    let written = [stage.write(&room, "u1", 5)];
    let written = stage.router.write(&written, NOW, true).await;
    assert_eq!(stage.applied(&written[0]), 5);
    stage
}

#[tokio::test]
async fn a_write_goes_by_the_new_settings_in_either_direction() {
    let store = hooked();
    let stage = created(store.clone()).await;
    let room = board("room");
    let activity = ending(NOW.plus(MINUTE));
    change_elsewhere(&*store, activity).await;
    let late = NOW.plus(MINUTE * 2);
    let write = [stage.write(&room, "u1", 1)];
    let over = ActivityRejection::Over {
        now: late,
        activity,
    };
    let written = stage.router.write(&write, late, true).await;
    assert_eq!(written, [WriteOutcome::Rejected(over.into())]);
    // The cached end is over, the current one is not.
    change_elsewhere(&*store, ending(NOW.plus(MINUTE * 5))).await;
    let written = stage.router.write(&write, late, true).await;
    assert_eq!(stage.applied(&written[0]), 6);
}

#[tokio::test]
async fn a_write_under_way_is_sent_again_with_the_new_settings() {
    let store = hooked();
    let stage = created(store.clone()).await;
    let inner = stage.router.store().clone();
    store.before_applying(move |_| {
        let inner = inner.clone();
        async move {
            // Each time; the first time the write goes with a record without an end.
            let record = inner.board(&board("room")).await?;
            let record: BoardRecord = record.ok_or(StoreError::IncarnationEnded)?;
            if record.activity.is_always() {
                let end = ending(NOW.minus(MINUTE));
                let changed = inner.change_activity(&record, end, None).await;
                changed.map_err(|error| StoreError::Unavailable(error.to_string()))?;
            }
            Ok(())
        }
    });
    let room = board("room");
    let write = [stage.write(&room, "u1", 1)];
    let written = stage.router.write(&write, NOW, true).await;
    let activity = ending(NOW.minus(MINUTE));
    let outside = ActivityRejection::Outside { at: NOW, activity };
    assert_eq!(written, [WriteOutcome::Rejected(outside.into())]);
    assert_eq!(stage.all_points(&room).await, [("u1".to_owned(), 5)]);
}

#[tokio::test]
async fn a_single_write_and_a_change_by_the_router_are_exact() {
    let store = hooked();
    let stage = created(store.clone()).await;
    let room = board("room");
    let record = store.board(&room).await.unwrap().unwrap();
    let activity = ending(NOW.plus(MINUTE));
    let moment = Moment::from(NOW);
    let late = stage
        .router
        .change_activity(&record, activity, Some(NOW), &moment);
    assert_eq!(late.await, Err(ChangeActivityError::DeadlinePassed));
    let changed = stage
        .router
        .change_activity(&record, activity, Some(NOW.plus(MINUTE)), &moment);
    assert_eq!(changed.await.unwrap().activity, activity);
    let found = stage.router.boards().created(&room).await.unwrap().unwrap();
    assert_eq!(found.activity, activity);
    let again = stage
        .router
        .change_activity(&record, activity, None, &moment);
    assert_eq!(again.await, Err(ChangeActivityError::Stale));
}
