//! The start, end and expiry of a board are part of its settings. Creating a board requires its
//! latest settings, and the board ends at its end.

use std::sync::Arc;
use std::time::Duration;

use board::limits::{NAME_CLOSED_MAX, SETTINGS_KEPT_MIN};
use board::{Activity, Keep, KindName, Period, ShardCount, Timestamp, Window, WindowRule};
use shard_store::{
    BoardRecord, BoardSettings, CreateBoardError, DeleteBoardError, PutSettingsError, StoreError,
};

use crate::conformance::fixtures::{
    Board, DAY, HOUR, MINUTE, NOW, OpenStore, board_name, gifts, idle, member,
};

const MS: Duration = Duration::from_millis(1);

/// An activity of an hour from `NOW`, kept for a day.
fn battle() -> Activity {
    Activity::new(Some(NOW), Some(ends_at()), Some(DAY)).unwrap()
}

fn ends_at() -> Timestamp {
    NOW.plus(HOUR)
}

fn within(activity: Activity) -> BoardSettings {
    BoardSettings {
        shards: ShardCount::new(2).unwrap(),
        activity,
    }
}

/// Creates two boards with this activity, a small and a large one, with members on each shard.
async fn boards_with(store: &OpenStore, activity: Activity) -> Vec<Board> {
    let kind = store.kind(gifts(|_| ())).await;
    let mut boards = Vec::new();
    for (subject, members) in [("small", 5), ("large", 400)] {
        let name = board_name("gifts", subject);
        let settled = store.put_settings(&name, &kind, within(activity), NOW);
        let seen = Some(settled.await.unwrap().incarnation);
        let board = Board {
            store: store.shared(),
            kind: kind.kind.clone().unwrap(),
            record: store.create_board(&name, &kind, seen, NOW).await.unwrap(),
        };
        for shard in board.shards() {
            let members = board.members_of(shard, members);
            let items: Vec<_> = members.iter().map(|u| board.points(u, 1, NOW)).collect();
            board.apply(&items, NOW).await;
        }
        boards.push(board);
    }
    boards
}

async fn found(store: &OpenStore, board: &Board) -> Option<BoardRecord> {
    store.board(&board.record.name).await.unwrap()
}

pub async fn settings_include_the_activity_of_a_board(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let name = board_name("gifts", "room 1");
    let at = |ms: u64| Some(NOW.plus(Duration::from_millis(ms)));
    for (starts_at, ends_at, kept) in [
        (at(1), None, None),
        (None, at(1), None),
        (at(1), at(2), None),
        (None, at(3), Some(Duration::from_millis(1_234_567))),
        (at(1), at(3), Some(MS)),
        (None, None, None),
        (at(7), None, Some(MS)),
    ] {
        let (kept, idle) = match ends_at {
            Some(_) => (kept, None),
            None => (None, kept),
        };
        let activity = Activity::new(starts_at, ends_at, kept).unwrap();
        let activity = activity.with_idle(idle).unwrap();
        let settled = store.put_settings(&name, &kind, within(activity), NOW);
        let settled = settled.await.unwrap();
        assert_eq!((settled.activity, settled.created), (activity, false));
        // Settings replace the previous ones completely: what is left out returns to its default.
        assert_eq!(store.board(&name).await.unwrap(), Some(settled.clone()));
        let seen = Some(settled.incarnation);
        let created = store.create_board(&name, &kind, seen, NOW).await.unwrap();
        let expected = BoardRecord {
            created: true,
            ..settled
        };
        assert_eq!(created, expected);
        assert_eq!(store.board(&name).await.unwrap(), Some(created.clone()));
        let listed = store.boards(&kind.name, "", None, 10).await.unwrap();
        assert_eq!(listed, std::slice::from_ref(&created));
        let refused = store.put_settings(&name, &kind, within(Activity::ALWAYS), NOW);
        assert_eq!(refused.await, Err(PutSettingsError::AlreadyCreated));
        // Later creations return the record of the existing board.
        assert_eq!(
            store.create_board(&name, &kind, None, NOW).await,
            Ok(created)
        );
        store.delete_board(&name, NOW.plus(DAY)).await.unwrap();
    }
    let plain = store.create_board(&name, &kind, None, NOW).await.unwrap();
    assert_eq!(plain.activity, Activity::ALWAYS);
}

pub async fn creating_a_board_requires_its_latest_settings(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let name = board_name("gifts", "room-1");
    let first = store
        .put_settings(&name, &kind, within(battle()), NOW)
        .await;
    let first = first.unwrap();
    let refused = store.create_board(&name, &kind, None, NOW).await;
    assert_eq!(
        refused,
        Err(CreateBoardError::SettingsUnseen(Box::new(first.clone())))
    );
    let later = Activity::new(Some(NOW.plus(DAY)), None, None).unwrap();
    let second = store.put_settings(&name, &kind, within(later), NOW).await;
    let second = second.unwrap();
    let refused = store
        .create_board(&name, &kind, Some(first.incarnation), NOW)
        .await;
    assert_eq!(
        refused,
        Err(CreateBoardError::SettingsUnseen(Box::new(second.clone())))
    );
    assert_eq!(store.board(&name).await.unwrap(), Some(second));
    // Settings without an activity reject no contribution, so they need not be known.
    let plain = store.put_settings(&name, &kind, within(Activity::ALWAYS), NOW);
    plain.await.unwrap();
    let created = store
        .create_board(&name, &kind, Some(first.incarnation), NOW)
        .await;
    assert!(created.unwrap().created);
}

pub async fn a_board_expires_after_its_end(store: OpenStore) {
    let boards = boards_with(&store, battle()).await;
    let gone = ends_at().plus(DAY);
    store.drop_expired(gone.minus(MS)).await.unwrap();
    for board in &boards {
        assert!(found(&store, board).await.is_some());
        assert!(board.members(Window::ALL_TIME).await > 0);
    }
    store.drop_expired(gone).await.unwrap();
    let kind = store.kinds().await.unwrap().remove(0);
    assert_eq!(store.boards(&kind.name, "", None, 10).await.unwrap(), []);
    for board in &boards {
        let name = &board.record.name;
        // The name accepts events from now on, and none from before.
        let left = found(&store, board).await.unwrap();
        assert_eq!((left.activity, left.created), (from(gone), false));
        let item = board.points(&member("u1"), 1, gone);
        let refused = board.try_apply(&[item], gone, false).await;
        assert_eq!(refused, Err(StoreError::IncarnationEnded));
        // The name is free: a new board under it has no end.
        let unseen = store.create_board(name, &kind, None, gone).await;
        assert_eq!(
            unseen,
            Err(CreateBoardError::SettingsUnseen(Box::new(left.clone())))
        );
        let seen = Some(left.incarnation);
        let created = store.create_board(name, &kind, seen, gone).await.unwrap();
        assert_ne!(created.incarnation, board.record.incarnation);
        assert_eq!((created.activity, created.created), (from(gone), true));
        assert_eq!(store.delete_board(name, gone.plus(DAY)).await, Ok(()));
        let deleted = store.delete_board(name, gone.plus(DAY)).await;
        assert_eq!(deleted, Err(DeleteBoardError::NotFound));
    }
}

pub async fn a_board_whose_time_is_over_can_be_dropped_at_once(store: OpenStore) {
    let boards = boards_with(&store, battle()).await;
    let gone = ends_at().plus(DAY);
    for board in &boards {
        let record = &board.record;
        store.drop_over(record, gone.minus(MS)).await.unwrap();
        assert!(found(&store, board).await.is_some_and(|now| now.created));
        for _ in 0..2 {
            store.drop_over(record, gone).await.unwrap();
            let left = found(&store, board).await.unwrap();
            assert_eq!((left.activity, left.created), (from(gone), false));
        }
        let item = board.points(&member("u1"), 1, gone);
        let refused = board.try_apply(&[item], gone, false).await;
        assert!(refused.is_err(), "{refused:?}");
    }
    // What it held is dropped by then.
    store.drop_expired(gone).await.unwrap();
    assert_eq!(store.orphans().await.unwrap(), []);
}

pub async fn a_name_is_closed_while_earlier_events_may_arrive(store: OpenStore) {
    let hours = gifts(|spec| {
        let hour = WindowRule {
            keep: Keep::After(DAY * 2),
            ..WindowRule::with_defaults(Period::Hour)
        };
        spec.windows = vec![hour];
    });
    let hours = store.kind(hours).await;
    let always = KindName::new("always").unwrap();
    let always = store.kind(gifts(|spec| spec.name = always.clone())).await;
    let gone = ends_at().plus(DAY);
    // The previous hour ends at the same time, except for minutes.
    let last_hour = hours.kind.as_ref().unwrap().admits_until(gone.minus(MS));
    let last_hour = last_hour.unwrap();
    assert!((gone.plus(DAY * 2)..gone.plus(DAY * 2 + HOUR)).contains(&last_hour));
    for (kind, until) in [(&hours, last_hour), (&always, gone.plus(NAME_CLOSED_MAX))] {
        let name = board_name(kind.name.as_str(), "battle");
        let settled = store.put_settings(&name, kind, within(battle()), NOW);
        let seen = Some(settled.await.unwrap().incarnation);
        store.create_board(&name, kind, seen, NOW).await.unwrap();
        store.drop_expired(gone).await.unwrap();
        store.drop_expired(until.minus(MS)).await.unwrap();
        let left = store.board(&name).await.unwrap().unwrap();
        assert_eq!((left.activity, left.created), (from(gone), false));
        store.drop_expired(until).await.unwrap();
        assert_eq!(store.board(&name).await.unwrap(), None);
    }
}

pub async fn a_name_stays_closed_when_later_boards_end(store: OpenStore) {
    let weeks = gifts(|spec| spec.windows = vec![idle(DAY * 7)]);
    let kind = store.kind(weeks).await;
    let gone = ends_at().plus(DAY);
    for outcome in ["withdrawn", "idle"] {
        let name = board_name("gifts", outcome);
        let settled = store.put_settings(&name, &kind, within(battle()), NOW);
        let seen = Some(settled.await.unwrap().incarnation);
        store.create_board(&name, &kind, seen, NOW).await.unwrap();
    }
    store.drop_expired(gone).await.unwrap();
    for outcome in ["withdrawn", "idle"] {
        let name = board_name("gifts", outcome);
        let left = store.board(&name).await.unwrap().unwrap();
        let seen = Some(left.incarnation);
        let board = Board {
            store: store.shared(),
            kind: kind.kind.clone().unwrap(),
            record: store.create_board(&name, &kind, seen, gone).await.unwrap(),
        };
        if outcome == "withdrawn" {
            store.withdraw(&board.record).await.unwrap();
        } else {
            let item = board.points(&member("u1"), 1, gone);
            board.apply(&[item], gone).await;
        }
    }
    // Each board becomes idle, or its settings expire, long before the name opens.
    let until = gone.plus(NAME_CLOSED_MAX);
    for now in [gone.plus(DAY * 2), gone.plus(DAY * 10), until.minus(MS)] {
        store.drop_expired(now).await.unwrap();
    }
    for outcome in ["withdrawn", "idle"] {
        let name = board_name("gifts", outcome);
        let left = store.board(&name).await.unwrap().unwrap();
        assert_eq!(
            (left.activity, left.created),
            (from(gone), false),
            "{outcome}"
        );
    }
    store.drop_expired(until).await.unwrap();
    for outcome in ["withdrawn", "idle"] {
        let name = board_name("gifts", outcome);
        assert_eq!(store.board(&name).await.unwrap(), None, "{outcome}");
    }
}

pub async fn a_name_is_closed_by_the_current_settings_of_its_kind(store: OpenStore) {
    let hours = |keep| {
        gifts(|spec| {
            let hour = WindowRule {
                keep: Keep::After(keep),
                ..WindowRule::with_defaults(Period::Hour)
            };
            spec.windows = vec![hour];
        })
    };
    let kind = store.kind(hours(DAY)).await;
    let name = board_name("gifts", "battle");
    let settled = store.put_settings(&name, &kind, within(battle()), NOW);
    let seen = Some(settled.await.unwrap().incarnation);
    store.create_board(&name, &kind, seen, NOW).await.unwrap();
    let longer = Arc::new(hours(DAY * 2));
    let kind = store.put_kind(longer, kind.revision, false).await.unwrap();
    let gone = ends_at().plus(DAY);
    store.drop_expired(gone).await.unwrap();
    let until = kind.kind.unwrap().admits_until(gone.minus(MS)).unwrap();
    store.drop_expired(until.minus(MS)).await.unwrap();
    let left = store.board(&name).await.unwrap().unwrap();
    assert_eq!((left.activity, left.created), (from(gone), false));
    store.drop_expired(until).await.unwrap();
    assert_eq!(store.board(&name).await.unwrap(), None);
}

pub async fn an_empty_board_keeps_its_activity(store: OpenStore) {
    let kind = gifts(|spec| {
        let hour = WindowRule {
            keep: Keep::After(DAY),
            ..WindowRule::with_defaults(Period::Hour)
        };
        spec.windows = vec![hour];
        spec.dedupe = Duration::ZERO;
    });
    let kind = store.kind(kind).await;
    let campaign = Activity::new(Some(NOW), Some(NOW.plus(DAY * 10)), None).unwrap();
    let mut records = Vec::new();
    for (subject, activity) in [("campaign", campaign), ("plain", Activity::ALWAYS)] {
        let name = board_name("gifts", subject);
        let settled = store.put_settings(&name, &kind, within(activity), NOW);
        let seen = Some(settled.await.unwrap().incarnation);
        let board = Board {
            store: store.shared(),
            kind: kind.kind.clone().unwrap(),
            record: store.create_board(&name, &kind, seen, NOW).await.unwrap(),
        };
        board
            .apply(&[board.points(&member("u1"), 1, NOW)], NOW)
            .await;
        records.push(board.record);
    }
    // After its windows have expired, contributions still belong to the same campaign.
    store.drop_expired(NOW.plus(DAY * 2)).await.unwrap();
    store.drop_expired(NOW.plus(DAY * 5)).await.unwrap();
    let board = async |index: usize| store.board(&records[index].name).await.unwrap();
    assert_eq!(board(0).await.as_ref(), Some(&records[0]));
    assert_eq!(board(1).await, None);
    let end = campaign.settings_kept_until(NOW);
    store.drop_expired(end.plus(DAY)).await.unwrap();
    assert_eq!(board(0).await, None);
}

/// An activity that starts at this time.
fn from(starts_at: Timestamp) -> Activity {
    Activity::new(Some(starts_at), None, None).unwrap()
}

pub async fn a_board_without_expiry_stays_after_its_end(store: OpenStore) {
    let activity = Activity::new(None, Some(ends_at()), None).unwrap();
    let boards = boards_with(&store, activity).await;
    store.drop_expired(ends_at().plus(DAY * 300)).await.unwrap();
    for board in &boards {
        assert_eq!(found(&store, board).await, Some(board.record.clone()));
    }
}

pub async fn settings_without_a_board_are_kept_past_the_times_they_name(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let starts_at = NOW.plus(DAY * 10);
    let last = starts_at.plus(DAY);
    let at = |at| Some(at);
    for (subject, activity, until, left) in [
        (
            "starts",
            (at(starts_at), None, None),
            starts_at.plus(SETTINGS_KEPT_MIN),
            at(starts_at),
        ),
        (
            "ends",
            (None, at(last), None),
            last.plus(SETTINGS_KEPT_MIN),
            at(last),
        ),
        (
            "expires",
            (None, at(last), Some(MINUTE)),
            last.plus(MINUTE),
            at(last.plus(MINUTE)),
        ),
    ] {
        let name = board_name("gifts", subject);
        let activity = Activity::new(activity.0, activity.1, activity.2).unwrap();
        let settled = store
            .put_settings(&name, &kind, within(activity), NOW)
            .await;
        store.drop_expired(until.minus(MS)).await.unwrap();
        assert_eq!(store.board(&name).await.unwrap(), settled.ok(), "{subject}");
        store.drop_expired(until).await.unwrap();
        let found = store.board(&name).await.unwrap();
        let found = found.map(|record| (record.activity, record.created));
        assert_eq!(found, left.map(|at| (from(at), false)), "{subject}");
    }
}
