//! Contents of snapshots of the kind `gifts`: [`small`], and parts of any size.

use std::sync::Arc;
use std::time::Duration;

use board::{Activity, Incarnation, Kind, KindName, Period, ShardCount, Timestamp, Window};
use shard_store::{KindRecord, Revision};
use testkit::conformance::fixtures;

use super::super::{PartHead, WindowHead};
use super::contents::{Contents, Part, Rows};

/// A kind whose standings are two words.
pub(super) fn gifts() -> Kind {
    fixtures::gifts(|kind| {
        kind.shards = 16;
        kind.top = 10;
        kind.max_staleness = Duration::ZERO;
        kind.dedupe = Duration::ZERO;
    })
}

/// One part of a board of gifts.
pub(super) fn gifts_head(subject: &str, parts: u16, part: u16) -> PartHead {
    PartHead {
        subject: subject.parse().unwrap(),
        incarnation: Incarnation(0x0123_4567_89AB_CDEF),
        shards: ShardCount::new(16).unwrap(),
        activity: Activity::ALWAYS,
        created: true,
        last_write: fixtures::NOW,
        kind: 0,
        parts,
        part,
        sequence: 12,
    }
}

/// A window with this many members of gifts.
pub(super) fn gifts_rows(rows: u64) -> (WindowHead, Rows) {
    let head = WindowHead {
        window: Window::ALL_TIME,
        counter: rows,
        digest: 9,
        rows,
    };
    let row = |row| (format!("member-{row:08}"), vec![row, u64::MAX - row]);
    (head, (0..rows).map(row).collect())
}

/// One of each element, in few bytes.
pub(super) fn small() -> Contents {
    let day = WindowHead {
        window: Window::starting_at(Period::Day, Timestamp::from_millis(86_400_000)),
        counter: 3,
        digest: 0x1122_3344_5566_7788,
        rows: 2,
    };
    let all = WindowHead {
        window: Window::ALL_TIME,
        rows: 1,
        ..day
    };
    let row = |name: &str, points| (name.to_owned(), vec![points, 7]);
    let kind = Arc::new(gifts());
    let began = Timestamp::from_millis(5);
    Contents {
        sequence: 10,
        parts: vec![
            Part {
                head: gifts_head("room", 1, 0),
                dropped: Some(vec![(Period::Day, Timestamp::from_millis(-1))]),
                ids: vec![(began, vec![[1, 2, 3, 4], [5, 6, 7, 8]]), (began, vec![])],
                windows: vec![
                    (day, vec![row("ann", 2), row("ben", 1)]),
                    (all, vec![row("ann", 3)]),
                ],
            },
            Part {
                head: gifts_head("hall", 16, 15),
                dropped: None,
                ids: Vec::new(),
                windows: Vec::new(),
            },
        ],
        profiles: Vec::new(),
        kinds: vec![
            KindRecord {
                name: kind.name().clone(),
                revision: Revision(2),
                kind: Some(kind.clone()),
            },
            KindRecord {
                name: KindName::new("old").unwrap(),
                revision: Revision(5),
                kind: None,
            },
        ],
        definitions: vec![kind],
    }
}
