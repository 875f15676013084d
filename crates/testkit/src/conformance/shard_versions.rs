//! A version identifies one content, and the versions of a shard never decrease.

use board::{Direction, FieldRule, Mode, Op, Period, Rules, Ties, Value, Values, Window};
use shard_store::{Change, ItemRejected, Outcome, Query, ShardQuery, ShardVersion, StoreError};

use crate::conformance::fixtures::{Board, HOUR, NOW, OpenStore, gifts, member, whole, window};

const ALL: Window = Window::ALL_TIME;

async fn versions(board: &Board) -> Vec<ShardVersion> {
    let mut versions = Vec::new();
    for shard in board.shards() {
        versions.push(board.version(ALL, shard).await);
    }
    versions
}

pub async fn an_unchanged_version_is_returned_without_parts(store: OpenStore) {
    let board = store.fresh(gifts(|spec| spec.shards = 1), "room-1").await;
    let u1 = member("u1");
    for points in [0, 1, 2] {
        if points > 0 {
            board.apply(&[board.points(&u1, points, NOW)], NOW).await;
        }
        let reading = board.read(0, &whole(ALL)).await;
        assert!(reading.parts.is_some());
        let same = Query {
            unless: Some(reading.version),
            ..whole(ALL)
        };
        let unchanged = board.read(0, &same).await;
        assert_eq!(unchanged.version, reading.version);
        assert_eq!(
            (unchanged.members, unchanged.parts),
            (reading.members, None)
        );
        let other = ShardVersion {
            digest: reading.version.digest ^ 1,
            ..reading.version
        };
        let other = Query {
            unless: Some(other),
            ..whole(ALL)
        };
        assert_eq!(board.read(0, &other).await, reading);
    }
}

/// Readings are in the order of the queries, and each is by its own query. One that fails fails the
/// call.
pub async fn a_call_reads_each_of_its_shards(store: OpenStore) {
    let board = store.fresh(gifts(|spec| spec.shards = 4), "room-1").await;
    for members in [0, 20, 2_000] {
        let items: Vec<_> = (0..members)
            .map(|n| board.points(&member(&format!("u{n}")), n, NOW))
            .collect();
        board.apply(&items, NOW).await;
        let known = board.version(ALL, 2).await;
        let mut queries: Vec<ShardQuery> = [3, 0, 2, 1, 3]
            .map(|shard| ShardQuery {
                shard,
                query: whole(ALL),
            })
            .into();
        queries[2].query.unless = Some(known);
        queries[4].query.window = window(Period::Day, NOW);
        let read = board.store.read(&board.record, &queries).await;
        let mut expected = Vec::new();
        for asked in &queries {
            expected.push(board.read(asked.shard, &asked.query).await);
        }
        assert_eq!(read, Ok(expected));
        assert_eq!(board.store.read(&board.record, &[]).await, Ok(Vec::new()));
    }
    board
        .store
        .delete_board(&board.record.name, NOW)
        .await
        .unwrap();
    let asked = ShardQuery {
        shard: 1,
        query: whole(ALL),
    };
    let read = board
        .store
        .read(&board.record, &[asked.clone(), asked])
        .await;
    assert_eq!(read, Err(StoreError::IncarnationEnded));
}

pub async fn changes_increase_the_version(store: OpenStore) {
    let board = store.fresh(gifts(|spec| spec.shards = 4), "room-1").await;
    let mut before = versions(&board).await;
    // Adds 400 members one by one, so that the board grows, and removes them again.
    for number in (0..400).chain(0..400) {
        let member = member(&format!("u{number}"));
        let shard = usize::from(board.shard_of(&member));
        let there = board.points_of(ALL, &member).await.is_some();
        let item = if there {
            board.item(&member, Change::Remove, NOW, NOW)
        } else {
            board.points(&member, 1, NOW)
        };
        board.apply(&[item], NOW).await;
        let after = versions(&board).await;
        assert!(before[shard].counter < after[shard].counter);
        for (before, after) in before.iter().zip(&after) {
            assert!(before.counter <= after.counter);
            assert_eq!(before.epoch, after.epoch);
        }
        before = after;
    }
    assert_eq!(board.members(ALL).await, 0);
}

pub async fn a_call_that_changes_nothing_keeps_the_version(store: OpenStore) {
    let board = store.fresh(gifts(|spec| spec.shards = 1), "room-1").await;
    let u1 = member("u1");
    let most = Value::new(board::limits::VALUE_MAX).unwrap();
    let item = board.points_by_id(&u1, 5, "evt-1", NOW);
    board.apply(std::slice::from_ref(&item), NOW).await;
    let before = board.version(ALL, 0).await;
    let nothing = [
        item,
        board.item(&u1, Change::Fold(Values::from(most)), NOW, NOW),
        board.item(&member("u2"), Change::Remove, NOW, NOW),
    ];
    let outcomes = board.apply(&nothing, NOW).await;
    assert_eq!(outcomes[0], Outcome::Duplicate(Vec::new()));
    assert!(matches!(
        outcomes[1],
        Outcome::Rejected(ItemRejected::OutOfRange(_))
    ));
    assert_eq!(
        outcomes[2],
        Outcome::Rejected(ItemRejected::NotRanked(member("u2")))
    );
    assert_eq!(board.version(ALL, 0).await, before);
}

pub async fn equally_many_other_changes_have_another_version(store: OpenStore) {
    // Two members exchange their standings: the same number of changes, another content.
    let field = FieldRule {
        name: "points".parse().unwrap(),
        order: Direction::Desc,
        op: Op::Max,
    };
    let rules = Rules::new(vec![field], Mode::Accumulate, Ties::Member).unwrap();
    let kind = gifts(|spec| {
        spec.rules = rules;
        spec.shards = 1;
    });
    let board = store.fresh(kind, "room-1").await;
    let mut seen = Vec::new();
    for (first, second) in [(1, 2), (2, 1)] {
        let name = board.record.name.clone();
        store.delete_board(&name, NOW.plus(HOUR)).await.unwrap();
        let kind = store.kinds().await.unwrap().remove(0);
        let board = store.created(&kind, "room-1", NOW).await;
        for (name, points) in [("u1", first), ("u2", second)] {
            board
                .apply(&[board.points(&member(name), points, NOW)], NOW)
                .await;
        }
        seen.push(board.version(ALL, 0).await);
    }
    assert_eq!(seen[0].counter, seen[1].counter);
    assert_ne!(seen[0], seen[1]);
}
