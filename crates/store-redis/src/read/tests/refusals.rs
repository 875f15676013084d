//! What is not read: dead shards, dropped windows, unchanged windows.

use board::{Period, Timestamp, Window};

use crate::boards::fixtures::random_standings::{any_standing, points};
use crate::boards::fixtures::redis_standings::member;
use crate::boards::fixtures::written_window::{ShardReaders, WrittenWindow};
use shard_store::{Anchor, Groups, Query, RangeAsk, ShardVersion, StoreError, WindowCount};
use testkit::dice::Dice;

const HOUR_MS: i64 = 3_600_000;

fn hour(number: i64) -> Window {
    Window::starting_at(Period::Hour, Timestamp::from_millis(number * HOUR_MS))
}

fn lay_some(laid: &mut WrittenWindow, members: usize) {
    let mut dice = Dice::new(3);
    let standings = (0..members).map(|number| {
        let standing = any_standing(&mut dice, laid.kind.rules());
        (member(&format!("u{number}")), standing)
    });
    let standings = standings.collect();
    laid.write(standings);
}

fn top(window: Window, unless: Option<ShardVersion>) -> Query {
    Query {
        window,
        unless,
        groups: Groups::None,
        ranges: [RangeAsk::rank_of(Anchor::Rank(9))].into(),
    }
}

#[tokio::test]
async fn an_unchanged_version_is_one_in_every_part() {
    let readers = ShardReaders::plain().await;
    let mut laid = readers.board(points(), 1);
    lay_some(&mut laid, 5);
    let look = async |laid: &WrittenWindow, unless| {
        let query = top(laid.window, unless);
        readers
            .reader
            .read_one(&laid.record, 3, &query)
            .await
            .unwrap()
    };
    let seen = look(&laid, None).await;
    assert_eq!(look(&laid, Some(seen.version)).await.parts, None);
    let others = [
        ShardVersion {
            epoch: !seen.version.epoch,
            ..seen.version
        },
        ShardVersion {
            counter: seen.version.counter + 1,
            ..seen.version
        },
        ShardVersion {
            digest: !seen.version.digest,
            ..seen.version
        },
    ];
    for other in others {
        assert_eq!(look(&laid, Some(other)).await, seen);
    }
    laid.change();
    let next = look(&laid, Some(seen.version)).await;
    assert!(next.parts.is_some());
    assert_ne!(next.version.digest, seen.version.digest);
}

#[tokio::test]
async fn dropped_windows_are_not_read() {
    let readers = ShardReaders::plain().await;
    let mut laid = readers.board(points(), 1);
    laid.set_meta("d", &format!("{} - - -", hour(500).start().micros()));
    for (window, is_dropped) in [
        (hour(499), true),
        (hour(500), true),
        (hour(501), false),
        (
            Window::starting_at(Period::Day, Timestamp::from_millis(480 * HOUR_MS)),
            false,
        ),
        (Window::ALL_TIME, false),
    ] {
        let read = readers
            .reader
            .read_one(&laid.record, 3, &top(window, None))
            .await;
        let refused = read.err() == Some(StoreError::WindowDropped);
        assert_eq!(refused, is_dropped, "{window:?}");
    }
}

#[tokio::test]
async fn dead_shards_are_not_read() {
    let readers = ShardReaders::plain().await;
    let mut laid = readers.board(points(), 1);
    lay_some(&mut laid, 5);
    laid.set_meta("x", "1");
    let read = readers
        .reader
        .read_one(&laid.record, 3, &top(laid.window, None))
        .await;
    assert_eq!(read.err(), Some(StoreError::IncarnationEnded));
    let windows = readers.reader.windows(&laid.record, 3).await;
    assert_eq!(windows, Err(StoreError::IncarnationEnded));
}

#[tokio::test]
async fn windows_with_members_are_counted() {
    let readers = ShardReaders::plain().await;
    let mut laid = readers.board(points(), 1);
    assert_eq!(readers.reader.windows(&laid.record, 3).await, Ok(vec![]));
    let mut expected = Vec::new();
    for number in 0..2100 {
        laid.window = hour(500_000 + number);
        if number % 3 == 0 {
            // All were removed.
            laid.change();
        } else {
            lay_some(&mut laid, 2);
            expected.push(WindowCount {
                window: laid.window,
                members: 2,
            });
        }
    }
    let counted = readers.reader.windows(&laid.record, 3).await.unwrap();
    assert_eq!(counted, expected);
    // Other shards have none of them.
    assert_eq!(readers.reader.windows(&laid.record, 4).await, Ok(vec![]));
}
