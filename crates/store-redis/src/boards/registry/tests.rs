//! The functions of the registry, called directly: as after a lost reply, a late call, or a call of
//! another server.

use std::sync::Arc;
use std::time::Duration;

use board::Timestamp;
use testkit::redis::{Pooled, RedisOptions, RedisServer};

use super::*;
use crate::boards::fixtures::gifts::{NOW, day, gifts};
use crate::boards::fixtures::parts::{OpenedParts, parts_at};
use crate::boards::keys::of_kind;
use crate::boards::retention::LINGER;
use redis_nodes::{Location, registry_key};
use shard_store::{CreateBoardError, KindRecord, Revision};

const INCARNATION: &str = "00000000000000aa";
const FAR: &str = "9999999999999";

fn now() -> Timestamp {
    Timestamp::from_millis(NOW)
}

async fn opened() -> (OpenedParts, KindRecord) {
    opened_on(RedisServer::shared()).await
}

async fn opened_on(redis: Pooled<RedisServer>) -> (OpenedParts, KindRecord) {
    let opened = OpenedParts::with(redis, RedisSettings::default()).await;
    let kind = Arc::new(gifts(vec![day()]));
    let kind = opened.registry.put_kind(kind, Revision(0), false).await;
    (opened, kind.unwrap())
}

/// Calls `create_board` of `gifts/room`, by its number.
fn create_board(opened: &OpenedParts, number: &str, deadline: &str) -> String {
    let kind = "gifts".parse().unwrap();
    let keys = [
        registry_key("kinds"),
        of_kind("boards", &kind),
        of_kind("subjects", &kind),
        of_kind("settled", &kind),
        registry_key("due"),
        registry_key(&format!("call:test:{number}")),
    ];
    let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
    let args = [
        deadline,
        number,
        "gifts",
        "1",
        "gifts/room",
        "room",
        INCARNATION,
        "4",
        "-",
        "5",
        "60005",
    ];
    opened.fcall("create_board", &keys, &args)
}

#[tokio::test]
async fn a_creation_sent_again_is_answered_and_creates_nothing() {
    let (opened, _) = opened().await;
    let name = "gifts/room".parse().unwrap();
    let created = create_board(&opened, "1", FAR);
    assert!(
        created.starts_with(&format!("R60005 c {INCARNATION} 4 ")),
        "{created}"
    );
    assert_eq!(create_board(&opened, "1", FAR), created);
    opened.registry.delete_board(&name).await.unwrap();
    // The reply was lost, and the board was deleted before the call was sent again.
    assert_eq!(create_board(&opened, "1", "0"), created);
    assert!(opened.registry.board(&name).await.unwrap().is_none());
    // So long after its deadline it is unknown whether it was applied before.
    assert_eq!(create_board(&opened, "2", "0"), "EFORGOTTEN");
    assert!(opened.registry.board(&name).await.unwrap().is_none());
}

#[tokio::test]
async fn a_kind_written_again_is_written_once() {
    let (opened, _) = opened().await;
    let kind = "gifts".parse().unwrap();
    let keys = [
        registry_key("kinds"),
        of_kind("subjects", &kind),
        of_kind("settled", &kind),
        registry_key("call:test:1"),
        registry_key("profiles"),
        registry_key("ended_profiles"),
    ];
    let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
    let write = |number, deadline| {
        let args = [deadline, number, "gifts", "1", "2 - ", "1", "1", "10000"];
        opened.fcall("write_kind", &keys, &args)
    };
    assert_eq!(write("2", "0"), "EFORGOTTEN");
    let before = write("1", FAR);
    assert!(before.starts_with("R1 "), "{before}");
    assert_eq!(write("1", "0"), before);
    assert_eq!(write("2", FAR), "ESTALE");
}

#[tokio::test]
async fn a_deletion_sent_again_is_not_a_second_one() {
    let (opened, kind) = opened().await;
    let name = "gifts/room".parse().unwrap();
    let created = opened.registry.create_board(&name, &kind, None, now());
    let (old, _) = created.await.unwrap();
    let of = name.kind();
    let keys = [
        of_kind("boards", of),
        of_kind("subjects", of),
        of_kind("settled", of),
        registry_key("due"),
        registry_key("dying"),
        registry_key("call:test:1"),
    ];
    let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
    let delete_board = |number| {
        let args = [FAR, number, "gifts/room", "room", "-", "-", "-", "-"];
        opened.fcall("delete_board", &keys, &args)
    };
    let deleted = delete_board("1");
    assert!(
        deleted.starts_with(&format!("Rc{} ", old.board.incarnation)),
        "{deleted}"
    );
    let created = opened.registry.create_board(&name, &kind, None, now());
    let (new, _) = created.await.unwrap();
    assert_eq!(delete_board("1"), deleted);
    let on = opened.registry.board(&name).await.unwrap().unwrap();
    assert_eq!(on.board.incarnation, new.board.incarnation);
    assert!(delete_board("2").starts_with("Rc"));
    assert_eq!(delete_board("3"), "ENOTTHERE");
}

#[tokio::test]
async fn what_is_due_is_claimed_by_one() {
    let (opened, kind) = opened().await;
    let registry = &opened.registry;
    let name = "gifts/room".parse().unwrap();
    let (created, _) = registry
        .create_board(&name, &kind, None, now())
        .await
        .unwrap();
    let minute = Duration::from_mins(1);
    let take = async |at: Timestamp| registry.take_due(at, 10).await.unwrap();
    assert!(take(now()).await.boards.is_empty());
    let claimed = take(now().plus(minute)).await;
    assert_eq!(claimed.boards, std::slice::from_ref(&name));
    assert!(take(now().plus(minute)).await.boards.is_empty());
    // The next due time was not reported.
    let again = take(now().plus(minute * 3)).await;
    assert_eq!(again.boards, std::slice::from_ref(&name));
    // The first was late: another server has the board now.
    let late = [(&name, None)];
    registry.set_due(&claimed, &late).await.unwrap();
    let later = take(now().plus(minute * 5)).await;
    assert_eq!(later.boards, std::slice::from_ref(&name));
    // A board that became due meanwhile stays so.
    let claimed = take(now().plus(minute * 7)).await;
    let touched = registry.touch(&created.board, None, Some(now()));
    touched.await.unwrap();
    let next = [(&name, Some(now().plus(minute * 60)))];
    registry.set_due(&claimed, &next).await.unwrap();
    let claimed = take(now()).await;
    assert_eq!(claimed.boards, std::slice::from_ref(&name));
    registry.set_due(&claimed, &next).await.unwrap();
    assert!(take(now().plus(minute * 59)).await.boards.is_empty());
}

#[tokio::test]
async fn a_take_sent_again_takes_the_same() {
    let (opened, kind) = opened().await;
    let name = "gifts/room".parse().unwrap();
    opened
        .registry
        .create_board(&name, &kind, None, now())
        .await
        .unwrap();
    let (due, call) = (registry_key("due"), registry_key("call:test:take"));
    let take = |number| {
        let at = (NOW + 60_000).to_string();
        let args = [FAR, number, &at, &format!("{at}.5"), "10"];
        opened.fcall("take_due", &[&due, &call], &args)
    };
    let taken = take("1");
    assert!(taken.contains("gifts/room"), "{taken}");
    assert_eq!(take("1"), taken);
    assert!(!take("2").contains("gifts/room"));
}

#[tokio::test]
async fn a_changed_retention_makes_the_boards_due() {
    let (opened, kind) = opened().await;
    let registry = &opened.registry;
    let boards = 2_500;
    for number in 0..boards {
        let name = format!("gifts/room {number}").parse().unwrap();
        registry
            .create_board(&name, &kind, None, now())
            .await
            .unwrap();
    }
    let due = registry_key("due");
    let at_once = || {
        let words: [&[u8]; 4] = [b"ZCOUNT", &due, b"0", b"0"];
        opened.redis.command(&words).integer()
    };
    let mut spec = gifts(vec![day()]).spec().clone();
    spec.top = 7;
    let deeper = Arc::new(Kind::new(spec).unwrap());
    registry.put_kind(deeper, Revision(1), false).await.unwrap();
    assert_eq!(at_once(), 0);
    let mut shorter = day();
    shorter.keep = board::Keep::After(Duration::from_hours(1));
    let shorter = Arc::new(gifts(vec![shorter]));
    registry
        .put_kind(shorter, Revision(2), false)
        .await
        .unwrap();
    assert_eq!(at_once(), boards);
}

/// Returns the number of writes since Redis was started.
fn writes(opened: &OpenedParts) -> u64 {
    let info = opened.redis.command(&["INFO", "persistence"]);
    let changes = info.field("rdb_changes_since_last_save").unwrap();
    changes.trim().parse().unwrap()
}

#[tokio::test]
async fn a_board_that_is_there_is_not_written_again() {
    let (opened, kind) = opened_on(RedisServer::plain().into()).await;
    let name = "gifts/room".parse().unwrap();
    let later = now().plus(Duration::from_hours(1));
    let created = opened
        .registry
        .create_board(&name, &kind, None, now())
        .await;
    let (created, due) = created.unwrap();
    assert_eq!(due, Some(now().plus(LINGER)));
    let before = writes(&opened);
    for _ in 0..3 {
        let found = opened
            .registry
            .create_board(&name, &kind, None, later)
            .await;
        let (found, due) = found.unwrap();
        assert_eq!(found.board.incarnation, created.board.incarnation);
        assert_eq!(due, Some(now().plus(LINGER)));
    }
    assert_eq!(writes(&opened), before);
    // Replicas that have to confirm it are sent it.
    let settings = RedisSettings {
        acks: 1,
        ..RedisSettings::default()
    };
    let replica = RedisOptions::new().replica_of(&opened.redis).start();
    let parts = parts_at(&opened.redis.url(), &settings).await;
    let found = parts.registry.create_board(&name, &kind, None, later).await;
    assert_eq!(
        found.unwrap().0.board.incarnation,
        created.board.incarnation
    );
    assert_eq!(writes(&opened), before + 1);
    drop(replica);
}

/// More work than a node does before a deadline.
const TOO_MUCH_BYTES: usize = 1 << 40;

#[tokio::test]
async fn where_no_node_has_time_for_a_write_no_board_is_created() {
    let nodes = [(); 2].map(|()| RedisServer::plain());
    let addresses = nodes.each_ref().map(|node| node.address().to_string());
    let url = format!("redis://{}", addresses.join(","));
    let parts = parts_at(&url, &RedisSettings::default()).await;
    let (registry, servers) = (&parts.registry, &parts.servers);
    let kind = Arc::new(gifts(vec![day()]));
    let kind = registry.put_kind(kind, Revision(0), false).await.unwrap();
    // Contributions that wait until they are a call.
    let busy = |server| {
        let server = Some(server);
        let backlog = servers.writes_backlog(Location { slot: 0, server });
        backlog.unwrap().gather(TOO_MUCH_BYTES)
    };
    let [a, b] = ["gifts/a", "gifts/b"].map(|name| name.parse().unwrap());
    let ids = servers.ids();
    let _one = busy(ids[0]);
    let other = busy(ids[1]);
    let refused = registry.create_board(&a, &kind, None, now()).await;
    let is_overloaded = matches!(
        refused,
        Err(CreateBoardError::Store(StoreError::Overloaded(_)))
    );
    assert!(is_overloaded, "{refused:?}");
    assert!(registry.board(&a).await.unwrap().is_none());
    drop(other);
    for name in [&a, &b] {
        registry
            .create_board(name, &kind, None, now())
            .await
            .unwrap();
    }
}
