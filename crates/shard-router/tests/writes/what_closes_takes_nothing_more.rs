//! What was admitted to a window that closes before it is applied is admitted anew: it counts where it still
//! may, or nowhere.

use std::sync::Arc;
use std::time::Duration;

use board::{AdmissionError, Calendar, Period, Timestamp, WindowRule};
use shard_router::{Write, WriteOutcome, WriteRejected};
use shard_store::ShardStore;

use crate::stage::{NOW, Stage, board, kind, points};
use crate::woven::Woven;

const MS: Duration = Duration::from_millis(1);

/// A kind whose hours close when they end, and a store that is slow to apply.
async fn slow(periods: &[Period], held_up: Duration) -> (Arc<Woven>, Stage) {
    let store = Woven::new();
    let mut stage = Stage::over(store.clone()).await;
    let mut spec = points("gifts");
    let rule = |period: &Period| WindowRule {
        close: (*period == Period::Hour).then_some(Duration::ZERO),
        ..WindowRule::with_defaults(*period)
    };
    spec.windows = periods.iter().map(rule).collect();
    let (known, _) = stage.router.catalogue().put(kind(spec), NOW).await.unwrap();
    stage.gifts = known;
    store.before_applying(move |_| async move {
        tokio::time::sleep(held_up).await;
        Ok(())
    });
    (store, stage)
}

/// When the hour ends that is on.
fn hour_ends() -> Timestamp {
    Calendar::utc().span_at(Period::Hour, NOW).end.unwrap()
}

fn given(stage: &Stage, subject: &str) -> Write {
    Write {
        at: hour_ends().minus(Duration::from_secs(1)),
        ..stage.write(&board(subject), "u1", 5)
    }
}

#[tokio::test]
async fn it_counts_in_the_windows_that_are_open_yet() {
    let (store, stage) = slow(&[Period::Hour, Period::Day, Period::All], MS * 30).await;
    let writes = [given(&stage, "room"), given(&stage, "other")];
    let before = hour_ends().minus(MS * 20);
    for written in stage.router.write(&writes, before, true).await {
        let WriteOutcome::Applied(standings) = written else {
            panic!("{written:?}");
        };
        let periods = standings.iter().map(|held| held.window.period());
        let mut periods: Vec<Period> = periods.collect();
        periods.sort();
        assert_eq!(periods, [Period::Day, Period::All]);
    }
    let record = store.board(&writes[0].board).await.unwrap().unwrap();
    for shard in 0..record.shards.get() {
        for held in store.windows(&record, shard).await.unwrap() {
            assert_ne!(held.window.period(), Period::Hour);
        }
    }
}

#[tokio::test]
async fn where_none_is_open_it_is_rejected_and_no_board_is_created() {
    let (store, stage) = slow(&[Period::Hour], MS * 30).await;
    let write = given(&stage, "room");
    let before = hour_ends().minus(MS * 20);
    let written = stage
        .router
        .write(std::slice::from_ref(&write), before, true)
        .await;
    let closed = AdmissionError::WindowClosed { at: write.at };
    assert_eq!(
        written,
        [WriteOutcome::Rejected(WriteRejected::NotAdmitted(closed))]
    );
    assert_eq!(store.board(&write.board).await.unwrap(), None);
}

#[tokio::test]
async fn what_is_applied_in_time_counts_everywhere() {
    let (_, stage) = slow(&[Period::Hour, Period::Day], MS).await;
    let before = hour_ends().minus(Duration::from_mins(1));
    let written = stage
        .router
        .write(&[given(&stage, "room")], before, true)
        .await;
    assert!(matches!(&written[..], [WriteOutcome::Applied(held)] if held.len() == 2));
}
