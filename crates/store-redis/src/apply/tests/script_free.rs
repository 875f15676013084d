//! Without scripts: as exact as functions, with concurrent writers and lost replies, and the cost.

use std::sync::Arc;

use board::{Period, Window, WindowRule};
use futures::future::join_all;
use testkit::redis::{FaultProxy, Matching, RedisOptions, RedisServer};
use tokio::time::Instant;

use super::applier::{APPLIED, ApplierOnRedis, Board, DUPLICATE, MS, NOW, gifts};
use crate::apply::Applier;
use crate::boards::parts::Parts;
use crate::read::Reader;
use redis_nodes::{Nodes, RedisSettings, Writes};
use shard_store::{Anchor, Batch, Groups, Query, RangeAsk, StoreError};

const ALL: Window = Window::ALL_TIME;

/// The minimum number of calls of each writer; they continue until some have met.
const ROUNDS: i64 = 100;

const MEMBERS: i64 = 7;

fn settings(writes: Writes) -> RedisSettings {
    RedisSettings {
        writes,
        ..RedisSettings::default()
    }
}

/// Contributes a point per call to one member after the other until it is over; returns how many.
async fn write(board: &Board<'_>, applier: &Applier, is_over: impl Fn(i64) -> bool) -> i64 {
    let mut setup = 0;
    while !is_over(setup) {
        let name = format!("u{}", setup % MEMBERS);
        let items = [board.points(&name, 1, NOW)];
        let outcomes = board.try_apply(applier, &items, NOW, false).await;
        assert_eq!(outcomes.unwrap(), [APPLIED]);
        setup += 1;
    }
    setup
}

/// Two servers write to one shard: everything counts, in scores, order and version.
async fn all_counts_beside(other: Writes) {
    let setup = ApplierOnRedis::with(&settings(Writes::ScriptFree)).await;
    let board = setup.board(gifts(|_| ())).await;
    let (far, far_servers) = setup.far(&settings(other)).await;
    let end = Instant::now() + MS * 30_000;
    let conflicts = || setup.servers.spent().0 + far_servers.spent().0;
    let is_over = |count| {
        assert!(Instant::now() < end, "{} conflicts", conflicts());
        count >= ROUNDS && conflicts() > 0
    };
    let (near, far) = tokio::join!(
        write(&board, &setup.applier, is_over),
        write(&board, &far, is_over)
    );
    println!(
        "beside {other:?}: {near} and {far} calls met {} times",
        conflicts()
    );
    let points = |number: i64| board.points_of(ALL, &format!("u{number}")).unwrap();
    assert_eq!((0..MEMBERS).map(points).sum::<i64>(), near + far);
    let of_one = |setup: i64, number: i64| (setup + MEMBERS - 1 - number) / MEMBERS;
    for number in 0..MEMBERS {
        assert_eq!(points(number), of_one(near, number) + of_one(far, number));
    }
    assert_eq!(i64::try_from(board.version(ALL).0).unwrap(), near + far);
    let mut ranked: Vec<i64> = board
        .kept(ALL)
        .rank
        .iter()
        .map(|(score, _)| *score)
        .collect();
    let mut kept: Vec<i64> = (0..MEMBERS).map(points).collect();
    ranked.sort_unstable();
    kept.sort_unstable();
    assert_eq!(ranked, kept);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_servers_that_write_to_one_shard_lose_nothing() {
    for other in [Writes::ScriptFree, Writes::Function] {
        all_counts_beside(other).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_whose_answer_was_lost_counts_once() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let settings = settings(Writes::ScriptFree);
    let setup = ApplierOnRedis::over(redis, proxy.url(), &settings).await;
    let board = setup.board(gifts(|_| ())).await;
    for round in 1..=5 {
        // Each has an id, so that all that a shard remembers is written.
        let item = board.by_id("u1", 1, &format!("id-{round}"), NOW);
        proxy.lose_reply_of(&Matching::command("EXEC"), 1);
        assert_eq!(
            board.apply(std::slice::from_ref(&item), NOW).await,
            [APPLIED]
        );
        assert_eq!(proxy.losses_to_come(), 0);
        assert_eq!(board.points_of(ALL, "u1"), Some(2 * round - 1));
        proxy.lose_request(&Matching::command("EXEC"), 1);
        assert_eq!(
            board.apply(&[board.points("u1", 1, NOW)], NOW).await,
            [APPLIED]
        );
        assert_eq!(board.points_of(ALL, "u1"), Some(2 * round));
        assert_eq!(board.apply(&[item], NOW).await, [DUPLICATE]);
    }
    assert_eq!(board.version(ALL).0, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_whose_answer_was_lost_past_its_deadline_is_asked_about() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let settings = RedisSettings {
        write_deadline: MS * 1_000,
        ..settings(Writes::ScriptFree)
    };
    let setup = ApplierOnRedis::over(redis, proxy.url(), &settings).await;
    let board = setup.board(gifts(|_| ())).await;
    let items = [board.points("u1", 1, NOW)];
    assert_eq!(board.apply(&items, NOW).await, [APPLIED]);
    let before = setup.ran("exec");
    proxy.delay_replies_of(&Matching::command("EXEC"), MS * 60_000);
    let lost = async {
        while setup.ran("exec") == before {
            tokio::time::sleep(MS).await;
        }
        tokio::time::sleep(settings.write_deadline).await;
        proxy.heal();
        proxy.end_connections();
    };
    let (outcomes, ()) = tokio::join!(board.apply(&items, NOW), lost);
    assert_eq!(outcomes, [APPLIED]);
    assert_eq!(board.points_of(ALL, "u1"), Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_lost_before_the_transaction_were_definitely_not_applied() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let settings = RedisSettings {
        write_deadline: MS * 300,
        ..settings(Writes::ScriptFree)
    };
    let setup = ApplierOnRedis::over(redis, proxy.url(), &settings).await;
    let board = setup.board(gifts(|_| ())).await;
    let items = [board.points("u1", 1, NOW)];
    assert_eq!(board.apply(&items, NOW).await, [APPLIED]);
    let matching = Matching::command("HMGET");
    proxy.delay_replies_of(&matching, MS * 10_000);
    let failed = board.try_apply(&setup.applier, &items, NOW, false).await;
    let failed = failed.unwrap_err();
    let is_unavailable = matches!(failed, StoreError::Unavailable(_));
    assert!(is_unavailable, "{failed:?}");
    proxy.heal();
    assert_eq!(board.points_of(ALL, "u1"), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_comes_when_its_window_has_closed_writes_nothing() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let settings = RedisSettings {
        write_deadline: MS * 2_000,
        ..settings(Writes::ScriptFree)
    };
    let setup = ApplierOnRedis::over(redis, proxy.url(), &settings).await;
    let board = setup.board(gifts(|_| ())).await;
    let items = [board.points("u1", 1, NOW)];
    let apply = async |closes_at: Instant| {
        let batch = Batch {
            kind: &board.kind,
            now: NOW,
            until: Some(closes_at.into_std().into()),
            waits_until: None,
            report: false,
            items: &items,
        };
        setup.applier.apply(&board.record, 0, batch).await
    };
    // Before the deadline of any call, and after it.
    for (round, closes_in) in (1..).zip([MS * 1_000, MS * 3_000]) {
        let later = Instant::now() + MS * 60_000;
        assert_eq!(apply(later).await.unwrap(), [APPLIED]);
        proxy.hold(&Matching::command("MULTI"));
        let closes_at = Instant::now() + closes_in;
        let failed = apply(closes_at).await.unwrap_err();
        assert!(matches!(failed, StoreError::Unknown(_)), "{failed:?}");
        let held = u64::try_from(proxy.held()).unwrap();
        assert!(held > 0);
        // Closings are rounded up.
        tokio::time::sleep_until(closes_at + MS * 200).await;
        let come = setup.ran("exec") + held;
        proxy.heal();
        while setup.ran("exec") < come {
            tokio::time::sleep(MS).await;
        }
        assert_eq!(board.points_of(ALL, "u1"), Some(round));
    }
    let left = setup.redis.command(&["KEYS", "megaboard:*:until:*"]);
    assert_eq!(
        left.items().len(),
        2,
        "of what closes in a minute: {left:?}"
    );
}

/// Returns how often a call waits for a reply, without conflicts.
async fn round_trips(servers: &Nodes, call: impl Future) -> u64 {
    let before = servers.spent().1;
    call.await;
    servers.spent().1 - before
}

#[tokio::test]
async fn a_call_takes_so_many_round_trips() {
    let settings = settings(Writes::ScriptFree);
    let setup = ApplierOnRedis::with(&settings).await;
    let servers = &setup.servers;
    for windows in 1..=2 {
        let periods = [Period::All, Period::Day];
        let rules = periods
            .into_iter()
            .take(windows)
            .map(WindowRule::with_defaults);
        let kind = gifts(|spec| spec.windows = rules.clone().collect());
        let board = setup.board(kind).await;
        let item = |id: &str| [board.by_id("u1", 1, id, NOW)];
        // The first one finds out whether the board exists, and begins its memory of ids.
        board.apply(&item("1"), NOW).await;
        let (plain, named) = ([board.points("u1", 1, NOW)], item("2"));
        let plain = round_trips(servers, board.apply(&plain, NOW)).await;
        let named = round_trips(servers, board.apply(&named, NOW)).await;
        // The shard, the scores of each window, the transaction.
        assert_eq!(plain, 2 + windows as u64);
        // How many ids there are in two generations, and which in each.
        assert_eq!(named, plain + 4);
    }
    let board = setup.board(gifts(|_| ())).await;
    board.apply(&[board.points("u1", 1, NOW)], NOW).await;
    let reader = reader(servers, &board, &settings);
    let query = top();
    let mut read = 0;
    for _ in 0..2 {
        let look = Box::pin(reader.read_one(&board.record, 0, &query));
        read = round_trips(servers, look).await;
    }
    assert_eq!(read, 4, "version, members, entries, and whether they hold");
    assert_eq!(setup.calls(), 0);
}

/// Some of them wait for a session; others have one and wait for the replica.
const LANES: usize = 6;

/// The number of concurrent writes on one node.
const WRITES_AT_ONCE: usize = 4;

#[tokio::test(flavor = "multi_thread")]
async fn writes_that_wait_for_a_replica_hold_up_no_read() {
    let settings = RedisSettings {
        acks: 1,
        write_deadline: MS * 30_000,
        read_deadline: MS * 2_000,
        ..settings(Writes::ScriptFree)
    };
    let setup = ApplierOnRedis::alone(&settings).await;
    let replica = RedisOptions::new().replica_of(&setup.redis).start();
    let mut boards = Vec::new();
    for _ in 0..LANES {
        let board = setup.board(gifts(|_| ())).await;
        board.apply(&[board.points("u1", 1, NOW)], NOW).await;
        boards.push(board);
    }
    let reader = reader(&setup.servers, &boards[0], &settings);
    replica.pause();
    let writes = boards.iter().map(async |board| {
        let items = [board.points("u1", 1, NOW)];
        board.apply(&items, NOW).await
    });
    let reads = async {
        let is_written = |board: &&Board<'_>| board.points_of(ALL, "u1") == Some(2);
        let end = Instant::now() + MS * 15_000;
        while boards.iter().filter(is_written).count() < WRITES_AT_ONCE {
            assert!(Instant::now() < end, "writes that never came");
            tokio::time::sleep(MS * 5).await;
        }
        for board in &boards {
            reader.read_one(&board.record, 0, &top()).await.unwrap();
        }
        replica.resume();
    };
    let (written, ()) = tokio::join!(join_all(writes), reads);
    assert_eq!(written, vec![[APPLIED]; LANES]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_of_a_slow_node_ends_at_its_deadline() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let settings = RedisSettings {
        read_deadline: MS * 300,
        ..settings(Writes::ScriptFree)
    };
    let setup = ApplierOnRedis::over(redis, proxy.url(), &settings).await;
    let board = setup.board(gifts(|_| ())).await;
    board.apply(&[board.points("u1", 1, NOW)], NOW).await;
    let (reader, query) = (reader(&setup.servers, &board, &settings), top());
    reader.read_one(&board.record, 0, &query).await.unwrap();
    // Not so long that the connection is ended.
    proxy.delay_replies_of(&Matching::command("HMGET"), MS * 1_500);
    let failed = reader.read_one(&board.record, 0, &query).await.unwrap_err();
    assert!(matches!(failed, StoreError::Unavailable(_)), "{failed:?}");
}

fn top() -> Query {
    Query {
        window: ALL,
        unless: None,
        groups: Groups::None,
        ranges: [RangeAsk {
            anchor: Anchor::Rank(0),
            before: 0,
            after: 10,
        }]
        .into(),
    }
}

fn reader(servers: &Arc<Nodes>, board: &Board<'_>, settings: &RedisSettings) -> Reader {
    Reader::new(&Parts {
        registry: board.setup.registry.clone(),
        ..Parts::over(servers.clone(), settings).unwrap()
    })
}
