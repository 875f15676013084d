//! The activity of a board that has contributions is changed for all its readers and writers at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use board::{Activity, Timestamp, Window};
use shard_store::{BoardRecord, ChangeActivityError, Outcome, ShardStore, StoreError};

use crate::conformance::fixtures::{
    Board, DAY, HOUR, NOW, OpenStore, board_name, gifts, member, read_shard, whole,
};

const ALL: Window = Window::ALL_TIME;
const APPLIED: Outcome = Outcome::Applied(Vec::new());

fn ending(ends_at: Timestamp, kept: Option<Duration>) -> Activity {
    Activity::new(Some(NOW), Some(ends_at), kept).unwrap()
}

/// Creates a small and a large board, with members on each shard.
async fn boards(store: &OpenStore) -> Vec<Board> {
    let kind = store.kind(gifts(|_| ())).await;
    let mut boards = Vec::new();
    for (subject, members) in [("small", 5), ("large", 400)] {
        let board = store.created(&kind, subject, NOW).await;
        for shard in board.shards() {
            let members = board.members_of(shard, members);
            let items: Vec<_> = members.iter().map(|u| board.points(u, 1, NOW)).collect();
            board.apply(&items, NOW).await;
        }
        boards.push(board);
    }
    boards
}

/// Returns the board after a change of its activity.
async fn changed(board: &Board, activity: Activity) -> Board {
    let record = board.store.change_activity(&board.record, activity, None);
    let board = Board {
        record: record.await.unwrap(),
        ..board.clone()
    };
    assert_eq!(board.record.activity, activity);
    board
}

/// Asserts that no call with this record has an effect or a result.
async fn assert_refused(board: &Board) {
    let outdated = StoreError::SettingsChanged;
    for shard in board.shards() {
        let members = board.members_of(shard, 1);
        let item = board.points(&members[0], 1000, NOW);
        let written = board.try_apply(&[item], NOW, false).await;
        assert_eq!(written, Err(outdated.clone()));
        let read = read_shard(&*board.store, &board.record, shard, &whole(ALL)).await;
        assert_eq!(read.map(drop), Err(outdated.clone()));
        let windows = board.store.windows(&board.record, shard).await;
        assert_eq!(windows.map(drop), Err(outdated.clone()));
    }
}

pub async fn calls_with_an_outdated_record_are_refused(store: OpenStore) {
    for before in boards(&store).await {
        let members = before.members(ALL).await;
        let version = before.version(ALL, 0).await;
        let after = changed(&before, ending(NOW.plus(HOUR), None)).await;
        let found = store.board(&before.record.name).await.unwrap();
        assert_eq!(found, Some(after.record.clone()));
        assert_eq!(after.record.incarnation, before.record.incarnation);
        assert_refused(&before).await;
        // Nothing else has changed.
        assert_eq!(after.members(ALL).await, members);
        assert_eq!(after.version(ALL, 0).await, version);
        after.verify().await;
        let u1 = member("u1");
        let points = after.points_of(ALL, &u1).await.unwrap_or(0);
        let item = [after.points(&u1, 7, NOW)];
        assert_eq!(after.apply(&item, NOW).await, [APPLIED]);
        assert_eq!(after.points_of(ALL, &u1).await, Some(points + 7));
        // Back to the first activity: whoever has that record is right again.
        let again = changed(&after, Activity::ALWAYS).await;
        assert_refused(&after).await;
        assert_eq!(again.record, before.record);
        assert_eq!(before.apply(&item, NOW).await, [APPLIED]);
    }
}

pub async fn a_change_requires_the_current_record(store: OpenStore) {
    let stale = Err(ChangeActivityError::Stale);
    let boards = boards(&store).await;
    let kind = store.kinds().await.unwrap().remove(0);
    let uncreated = board_name("gifts", "later");
    let settings = boards[0].record.shards.into();
    let settled = store.put_settings(&uncreated, &kind, settings, NOW);
    let settled = settled.await.unwrap();
    let end = ending(NOW.plus(HOUR), None);
    assert_eq!(store.change_activity(&settled, end, None).await, stale);
    for before in boards {
        let after = changed(&before, end).await;
        let again = store.change_activity(&before.record, Activity::ALWAYS, None);
        assert_eq!(again.await, stale);
        let found = store.board(&before.record.name).await.unwrap();
        assert_eq!(found, Some(after.record.clone()));
        store
            .delete_board(&before.record.name, NOW.plus(HOUR))
            .await
            .unwrap();
        let dead = store.change_activity(&after.record, Activity::ALWAYS, None);
        assert_eq!(dead.await, stale);
        assert_eq!(store.board(&before.record.name).await.unwrap(), None);
    }
}

pub async fn a_change_after_its_deadline_is_not_made(store: OpenStore) {
    for board in boards(&store).await {
        let end = ending(NOW.plus(HOUR), None);
        // A server's clock is known to a few milliseconds.
        let late = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
        let change = store.change_activity(&board.record, end, Some(late.into()));
        assert_eq!(change.await, Err(ChangeActivityError::DeadlinePassed));
        let found = store.board(&board.record.name).await.unwrap();
        assert_eq!(found, Some(board.record.clone()));
        // The board goes on at once.
        let item = [board.points(&member("u1"), 1, NOW)];
        assert_eq!(board.apply(&item, NOW).await, [APPLIED]);
        assert!(board.members(ALL).await > 0);
        let in_time = Instant::now() + Duration::from_mins(1);
        let change = store.change_activity(&board.record, end, Some(in_time.into()));
        assert_eq!(change.await.unwrap().activity, end);
    }
}

/// Writes points until it is told to stop, as a server with a cached record. Returns how many were applied.
async fn write_on(board: Board, stop: Arc<AtomicBool>, seen: Arc<AtomicU64>) -> u64 {
    let mut board = board;
    let u1 = member("u1");
    let mut applied = 0;
    while !stop.load(Ordering::Relaxed) {
        let item = [board.points(&u1, 1, NOW)];
        match board.try_apply(&item, NOW, false).await {
            Ok(outcomes) => {
                assert_eq!(outcomes, [APPLIED]);
                applied += 1;
            }
            Err(StoreError::SettingsChanged) => {
                seen.fetch_add(1, Ordering::Relaxed);
                let name = board.record.name.clone();
                board.record = board.store.board(&name).await.unwrap().unwrap();
            }
            Err(error) => panic!("{error}"),
        }
    }
    applied
}

pub async fn of_concurrent_changes_one_is_made(store: OpenStore) {
    for board in boards(&store).await {
        let before = board.points_of(ALL, &member("u1")).await.unwrap_or(0);
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::new(AtomicU64::new(0));
        let writers =
            (0..2).map(|_| tokio::spawn(write_on(board.clone(), stop.clone(), seen.clone())));
        let writers: Vec<_> = writers.collect();
        let mut record = board.record.clone();
        for round in 1..=5_u64 {
            let changes = (1..=3_u64).map(|number| {
                let store: Arc<dyn ShardStore> = store.shared();
                let record: BoardRecord = record.clone();
                tokio::spawn(async move {
                    let end = NOW.plus(DAY * u32::try_from(round * 10 + number).unwrap());
                    store
                        .change_activity(&record, ending(end, Some(DAY)), None)
                        .await
                })
            });
            let mut made = Vec::new();
            for change in changes.collect::<Vec<_>>() {
                match change.await.unwrap() {
                    Ok(record) => made.push(record),
                    Err(error) => assert_eq!(error, ChangeActivityError::Stale),
                }
            }
            assert_eq!(made.len(), 1, "round {round}");
            record = made.remove(0);
            let found = store.board(&record.name).await.unwrap();
            assert_eq!(found.as_ref(), Some(&record));
        }
        stop.store(true, Ordering::Relaxed);
        let mut applied = 0;
        for writer in writers {
            applied += writer.await.unwrap();
        }
        let board = Board { record, ..board };
        let after = board.points_of(ALL, &member("u1")).await.unwrap_or(0);
        assert_eq!(after - before, i64::try_from(applied).unwrap());
        board.verify().await;
    }
}

pub async fn a_board_expires_by_its_changed_activity(store: OpenStore) {
    for board in boards(&store).await {
        let name = board.record.name.clone();
        let sooner = changed(&board, ending(NOW.plus(HOUR), Some(HOUR))).await;
        let later = changed(&sooner, ending(NOW.plus(HOUR), Some(DAY))).await;
        store.drop_expired(NOW.plus(HOUR * 2)).await.unwrap();
        assert_eq!(
            store.board(&name).await.unwrap(),
            Some(later.record.clone())
        );
        assert!(later.members(ALL).await > 0);
        let again = changed(&later, ending(NOW.plus(HOUR), Some(HOUR * 3))).await;
        let gone = NOW.plus(HOUR * 4);
        store
            .drop_expired(gone.minus(Duration::from_millis(1)))
            .await
            .unwrap();
        assert!(again.members(ALL).await > 0);
        store.drop_expired(gone).await.unwrap();
        // Its name keeps the moment of its end.
        let left = store.board(&name).await.unwrap().unwrap();
        assert_eq!(
            (left.created, left.activity.starts_at()),
            (false, Some(gone))
        );
        let dead = read_shard(&*store, &again.record, 0, &whole(ALL)).await;
        assert_eq!(dead, Err(StoreError::IncarnationEnded));
    }
}
