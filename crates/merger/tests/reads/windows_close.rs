//! A closed window is shown with its final contents, even if a cached top may be old.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use board::{Period, Timestamp, Window, WindowRule};

use crate::kinds::{kind, points};
use crate::stage::{NOW_MS, Stage, row, text};
use crate::twin::Row;

const MINUTE_MS: i64 = 60_000;

#[tokio::test]
async fn a_top_from_before_the_closing_is_not_served_after_it() {
    let mut spec = points(4);
    spec.windows = vec![WindowRule {
        close: Some(Duration::from_mins(7)),
        ..WindowRule::with_defaults(Period::Hour)
    }];
    let stage = Stage::in_memory(kind(spec)).await;
    // In the hour that has just ended.
    let late = Timestamp::from_millis(NOW_MS - 1);
    let window: Window = stage.kind.calendar().span_at(Period::Hour, late).window;
    let closes_at = Timestamp::from_millis(NOW_MS + 7 * MINUTE_MS);
    assert_eq!(stage.kind.closes_at(window), Some(closes_at));
    let give = async |member, points| {
        let row = Row {
            at: late,
            ..row(member, points)
        };
        stage.set(&stage.board, &[row]).await;
    };
    let top = async |subject: &str| {
        let board = stage.board_about(subject);
        let top = stage.merger.top(&board, &stage.kind, window, false).await;
        top.unwrap()
    };
    give("u1", 5).await;
    assert_eq!(text(&top("room").await), "1:1:u1");
    let uncreated = top("uncreated").await.snapshot;
    give("u2", 7).await;
    // Not too old yet.
    stage
        .clock_ms
        .store(closes_at.millis() - 1, Ordering::Relaxed);
    assert_eq!(text(&top("room").await), "1:1:u1");
    assert!(Arc::ptr_eq(&top("uncreated").await.snapshot, &uncreated));
    stage.clock_ms.store(closes_at.millis(), Ordering::Relaxed);
    let last = top("room").await;
    assert_eq!(text(&last), "1:1:u2,2:2:u1");
    assert!(last.snapshot.as_of >= closes_at);
    assert!(top("uncreated").await.snapshot.as_of >= closes_at);
    let merges = stage.merger.counters().merges();
    assert!(Arc::ptr_eq(&top("room").await.snapshot, &last.snapshot));
    assert_eq!(stage.merger.counters().merges(), merges);
}
