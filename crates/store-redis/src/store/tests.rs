//! The calls of a whole store to the registry, counted by a proxy.

use std::sync::Arc;

use board::{Period, Timestamp, WindowRule};
use futures::future::join_all;
use testkit::redis::{FaultProxy, RedisServer};

use super::*;
use crate::boards::fixtures::gifts::{NOW, gifts};

const fn now() -> Timestamp {
    Timestamp::from_millis(NOW)
}

async fn open(proxy: &FaultProxy) -> RedisStore {
    let url = proxy.url().parse().unwrap();
    let opened = RedisStore::open(&url, &RedisSettings::default()).await;
    opened.unwrap()
}

async fn kind(store: &RedisStore) -> KindRecord {
    let kind = Arc::new(gifts(vec![WindowRule::with_defaults(Period::All)]));
    let put = store.put_kind(kind, Revision(0), true).await;
    put.unwrap()
}

/// Reads all shards of a board at once.
async fn ask_all(store: &RedisStore, board: &BoardRecord) {
    let shards = 0..board.shards.get();
    let asked = join_all(shards.map(|shard| store.windows(board, shard))).await;
    assert!(asked.iter().all(Result::is_ok), "{asked:?}");
}

#[tokio::test]
async fn the_answer_that_created_a_board_says_where_its_shards_are() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let store = open(&proxy).await;
    let kind = kind(&store).await;
    let name = "gifts/room".parse().unwrap();
    let board = store.create_board(&name, &kind, None, now()).await.unwrap();
    ask_all(&store, &board).await;
    assert_eq!(
        proxy.calls_of("_incarnation_"),
        0,
        "{:?}",
        proxy.functions()
    );
    // Another server finds it there, and needs no more.
    let other = open(&proxy).await;
    let found = other.create_board(&name, &kind, None, now()).await.unwrap();
    assert_eq!(found, board);
    ask_all(&other, &found).await;
    assert_eq!(
        proxy.calls_of("_incarnation_"),
        0,
        "{:?}",
        proxy.functions()
    );
    assert_eq!(proxy.calls_of("_create_board_"), 2);
}

#[tokio::test]
async fn one_caller_asks_for_all() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let store = open(&proxy).await;
    let kind = kind(&store).await;
    let name = "gifts/room".parse().unwrap();
    store.create_board(&name, &kind, None, now()).await.unwrap();
    let other = open(&proxy).await;
    let board = other.board(&name).await.unwrap().unwrap();
    ask_all(&other, &board).await;
    assert_eq!(
        proxy.calls_of("_incarnation_"),
        1,
        "{:?}",
        proxy.functions()
    );
}
