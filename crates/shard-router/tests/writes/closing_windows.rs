//! A write to a window that closes before the write is applied is admitted again: it counts in the windows that are
//! still open, or is rejected.

use std::sync::Arc;
use std::time::Duration;

use board::{AdmissionError, Calendar, Period, Timestamp, WindowRule};
use shard_router::{Write, WriteOutcome, WriteRejected};
use shard_store::ShardStore;
use testkit::HookedStore;

use crate::stage::{NOW, Stage, board, kind, points};

const MS: Duration = Duration::from_millis(1);

/// Creates a kind whose hours and days close when they end, over a store that delays writes.
async fn slow(periods: &[Period], delay: Duration) -> (Arc<HookedStore>, Stage) {
    let (store, mut stage) = Stage::hooked().await;
    let mut spec = points("gifts");
    let rule = |period: &Period| WindowRule {
        close: (*period != Period::All).then_some(Duration::ZERO),
        ..WindowRule::with_defaults(*period)
    };
    spec.windows = periods.iter().map(rule).collect();
    stage.put(kind(spec)).await;
    store.before_applying(move |_| async move {
        tokio::time::sleep(delay).await;
        Ok(())
    });
    (store, stage)
}

/// Returns the end of the current hour.
fn hour_ends() -> Timestamp {
    Calendar::utc().span_at(Period::Hour, NOW).end.unwrap()
}

fn late_write(stage: &Stage, subject: &str) -> Write {
    Write {
        at: hour_ends().minus(Duration::from_secs(1)),
        ..stage.write(&board(subject), "u1", 5)
    }
}

#[tokio::test]
async fn late_writes_count_in_the_windows_that_are_open() {
    late_writes_leave_out_the_hour(&[Period::Hour, Period::Day, Period::All]).await;
}

#[tokio::test]
async fn the_first_window_to_close_decides_which_writes_are_late() {
    late_writes_leave_out_the_hour(&[Period::Day, Period::All, Period::Hour]).await;
}

/// Writes that are applied after the hour has closed, and before the day does, count in all windows but the hour.
async fn late_writes_leave_out_the_hour(periods: &[Period]) {
    let (store, stage) = slow(periods, MS * 30).await;
    let writes = [late_write(&stage, "room"), late_write(&stage, "other")];
    let before = hour_ends().minus(MS * 20);
    for written in stage.router.write(&writes, before, true).await {
        let WriteOutcome::Partial(standings, left_out) = written else {
            panic!("{written:?}");
        };
        assert_eq!(left_out, [Period::Hour]);
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
async fn without_an_open_window_writes_are_rejected_and_create_no_board() {
    let (store, stage) = slow(&[Period::Hour], MS * 30).await;
    let write = late_write(&stage, "room");
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
async fn writes_in_time_count_in_every_window() {
    let (_, stage) = slow(&[Period::Hour, Period::Day], MS).await;
    let before = hour_ends().minus(Duration::from_mins(1));
    let written = stage
        .router
        .write(&[late_write(&stage, "room")], before, true)
        .await;
    assert!(matches!(&written[..], [WriteOutcome::Applied(held)] if held.len() == 2));
}
