//! A write whose caller waits for an unavailable store is tried again while that can help.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use shard_router::{Moment, WriteOutcome};
use shard_store::{ItemFailure, StoreError};

use crate::stage::{NOW, Stage, board};

const WAIT: Option<Duration> = Some(Duration::from_mins(10));

fn away() -> StoreError {
    StoreError::Unavailable("away".to_owned())
}

async fn send(stage: &Stage, name: &str, wait: Option<Duration>) -> WriteOutcome {
    let write = stage.write(&board(name), "u", 1);
    let moment = Moment::from(NOW).waiting(wait);
    let mut written = stage.router.write(&[write], moment, true).await;
    written.pop().unwrap()
}

fn is_away(written: &WriteOutcome) -> bool {
    matches!(written, WriteOutcome::Failed(ItemFailure::Unavailable(why)) if why == "away")
}

#[tokio::test]
async fn it_is_applied_when_the_store_is_ready_with_the_time_of_then() {
    let (store, stage) = Stage::hooked().await;
    send(&stage, "room", None).await;
    store.take_batch_times();
    // It is away for three calls and three checks.
    let away_for = Arc::new(AtomicUsize::new(6));
    let fails = move || {
        let left = away_for.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(1)
        });
        async move { left.map_or(Ok(()), |_| Err(away())) }
    };
    let fails = Arc::new(fails);
    let of_kinds = fails.clone();
    store.before_applying(move |_| fails());
    store.after_reading_kinds(move || of_kinds());
    let written = send(&stage, "room", WAIT).await;
    assert_eq!(stage.applied(&written), 2);
    let times = store.take_batch_times();
    assert_eq!((times.len(), times[0]), (4, NOW));
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
}

#[tokio::test]
async fn a_store_that_is_ready_is_tried_only_once_more() {
    let (store, stage) = Stage::hooked().await;
    store.before_applying(|_| async { Err(away()) });
    for (wait, tries) in [(None, 1), (WAIT, 2)] {
        let written = send(&stage, "room", wait).await;
        assert!(is_away(&written), "{written:?}");
        assert_eq!(store.take_batch_times().len(), tries);
    }
    // Nor are creations that the store rejects.
    store.clear_hooks();
    store.before_creations(|| async { Err(away()) });
    for (wait, tries) in [(None, 1), (WAIT, 2)] {
        let before = store.creations();
        let written = send(&stage, "other", wait).await;
        assert!(is_away(&written), "{written:?}");
        assert_eq!(store.creations() - before, tries);
    }
}
