//! Each write has its outcome at its index, over many boards and shards, whatever the outcomes of others.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use board::Timestamp;
use shard_router::{Write, WriteOutcome, WriteRejected};
use shard_store::ItemRejected;

use crate::stage::{NOW, Stage, board, id, kind, points, points_of, rejected};

#[tokio::test]
async fn each_outcome_is_that_of_its_own_write() {
    const WRITES: i64 = 5_000;
    let stage = Stage::in_memory().await;
    let boards: Vec<_> = (0..37).map(|n| board(&format!("room-{n}"))).collect();
    let writes: Vec<Write> = (0..WRITES)
        .map(|n| {
            let index = usize::try_from(n * n % 37).unwrap();
            // Equal names need not share an `Arc`.
            let name = if n % 3 == 0 {
                Arc::new((*boards[index]).clone())
            } else {
                boards[index].clone()
            };
            let mut write = stage.write(&name, &format!("u{n}"), n);
            if n % 10 == 7 {
                write.at = NOW.plus(std::time::Duration::from_hours(1));
            }
            if n % 10 == 9 {
                write = stage.removal(&name, &format!("u{n}"));
            }
            write
        })
        .collect();
    let written = stage.send(&writes).await;
    assert_eq!(written.len(), writes.len());
    for ((n, write), written) in (0..).zip(&writes).zip(&written) {
        match n % 10 {
            7 => assert!(
                matches!(
                    written,
                    WriteOutcome::Rejected(WriteRejected::NotAdmitted(_))
                ),
                "{n}: {written:?}"
            ),
            9 => assert_eq!(
                *written,
                WriteOutcome::Rejected(ItemRejected::NotRanked(write.member.clone()).into())
            ),
            _ => assert_eq!(stage.applied(written), n),
        }
    }
}

#[tokio::test]
async fn writes_of_one_member_are_applied_in_order() {
    let stage = Stage::in_memory().await;
    let room = board("room");
    let mut set = stage.write(&room, "u1", 0);
    set.change = shard_store::Change::Set(board::Value::new(100).unwrap().into());
    let writes = [
        stage.write(&room, "u1", 5),
        set,
        stage.write(&room, "u2", 1),
        stage.write(&room, "u1", 5),
        stage.removal(&room, "u1"),
        stage.removal(&room, "u1"),
        stage.write(&room, "u1", 3),
    ];
    let written = stage.send(&writes).await;
    let points: Vec<Option<i64>> = written
        .iter()
        .map(|written| match written {
            WriteOutcome::Applied(standings) if !standings.is_empty() => {
                Some(stage.points_in(standings))
            }
            _ => None,
        })
        .collect();
    let wanted = [Some(5), Some(100), Some(1), Some(105), None, None, Some(3)];
    assert_eq!(points, wanted);
    assert_eq!(written[4], WriteOutcome::Applied(Vec::new()));
    rejected(&written[5]);
}

#[tokio::test]
async fn writes_of_one_member_are_applied_in_order_while_their_kind_changes() {
    let (store, mut stage) = Stage::hooked().await;
    let room = board("room");
    let first = stage.write(&room, "u1", 5);
    let mut deeper = points("gifts");
    deeper.top = 7;
    stage.put(kind(deeper)).await;
    let mut set = stage.write(&room, "u1", 0);
    set.change = shard_store::Change::Set(board::Value::new(100).unwrap().into());
    // The store delays the first write.
    let asked = AtomicUsize::new(0);
    store.before_applying(move |_| {
        let is_first = asked.fetch_add(1, Ordering::Relaxed) == 0;
        let yields = if is_first { 100 } else { 0 };
        async move {
            for _ in 0..yields {
                tokio::task::yield_now().await;
            }
            Ok(())
        }
    });
    let written = stage.send(&[first, set]).await;
    let points = written.iter().map(|written| stage.applied(written));
    assert_eq!(points.collect::<Vec<_>>(), [5, 100]);
}

#[tokio::test]
async fn one_event_counts_once_on_each_of_its_boards() {
    let stage = Stage::in_memory().await;
    let boards = [board("room"), board("region"), board("site")];
    let event = |number| -> Vec<Write> {
        let writes = boards.iter().map(|board| Write {
            id: Some(id("evt-1")),
            ..stage.write(board, "u1", number)
        });
        writes.collect()
    };
    for written in stage.send(&event(3)).await {
        assert_eq!(stage.applied(&written), 3);
    }
    // Again on all, and on a fourth board that does not have it, in one request.
    let mut again = event(3);
    again.push(Write {
        board: board("country"),
        ..again[0].clone()
    });
    let written = stage.send(&again).await;
    for written in &written[..3] {
        let WriteOutcome::Duplicate(standings) = written else {
            panic!("{written:?}")
        };
        assert_eq!(stage.points_in(standings), 3);
    }
    assert_eq!(stage.applied(&written[3]), 3);
}

#[tokio::test]
async fn rejected_writes_do_not_block_others_and_record_no_id() {
    let stage = Stage::in_memory().await;
    let room = board("room");
    let most = board::limits::VALUE_MAX;
    let with_id = |number| Write {
        id: Some(id("evt")),
        ..stage.write(&room, "u1", number)
    };
    let writes = [
        stage.write(&room, "u1", most),
        with_id(1),
        stage.write(&room, "u1", -1),
        with_id(1),
        with_id(1),
    ];
    let written = stage.send(&writes).await;
    assert_eq!(stage.applied(&written[0]), most);
    assert!(
        matches!(
            &written[1],
            WriteOutcome::Rejected(WriteRejected::Shard(ItemRejected::OutOfRange(_)))
        ),
        "{:?}",
        written[1]
    );
    assert_eq!(stage.applied(&written[2]), most - 1);
    assert_eq!(stage.applied(&written[3]), most);
    assert!(
        matches!(written[4], WriteOutcome::Duplicate(_)),
        "{:?}",
        written[4]
    );
}

#[tokio::test]
async fn a_write_for_one_window_is_in_it_or_rejected() {
    let mut stage = Stage::in_memory().await;
    let mut spec = crate::stage::points("gifts");
    let hour = board::WindowRule::with_defaults(board::Period::Hour);
    spec.windows.push(hour);
    let wanted = crate::stage::kind(spec);
    stage.put(wanted).await;
    let (room, calendar) = (board("room"), stage.gifts.kind.calendar().clone());
    let hour_of = |at: Timestamp| calendar.span_at(board::Period::Hour, at).window;
    let earlier = NOW.minus(std::time::Duration::from_hours(2));
    let within = Write {
        only: Some(hour_of(NOW)),
        ..stage.write(&room, "u1", 5)
    };
    let elsewhere = Write {
        only: Some(hour_of(earlier)),
        ..within.clone()
    };
    let both = Write {
        change: points_of(1),
        only: None,
        ..within.clone()
    };
    let written = stage.send(&[within, elsewhere, both]).await;
    assert_eq!(stage.applied(&written[0]), 5);
    assert!(
        matches!(
            &written[1],
            WriteOutcome::Rejected(WriteRejected::OtherWindow { .. })
        ),
        "{:?}",
        written[1]
    );
    let WriteOutcome::Applied(standings) = &written[2] else {
        panic!("{:?}", written[2])
    };
    let rules = stage.gifts.kind.rules();
    let points = standings
        .iter()
        .map(|held| rules.values(&held.standing).get(0).unwrap().get());
    assert_eq!(points.collect::<Vec<_>>(), [1, 6]);
}
