//! What the registry is asked, counted at a proxy before it.

use std::sync::Arc;

use board::{Period, Timestamp, WindowRule};
use end_to_end::redis::{FaultProxy, RedisServer};
use futures::FutureExt as _;
use futures::future::join_all;

use crate::contract::{BoardRecord, KindRecord, Revision, ShardStore, StoreError};
use crate::redis::opened::Opened;
use crate::redis::settings::RedisSettings;
use crate::redis::store::RedisStore;
use crate::redis::sweep::tests::{NOW, gifts};

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

/// Asks all shards of a board for something, at once.
async fn ask_all(store: &RedisStore, board: &BoardRecord) {
    let shards = 0..board.shards.get();
    let asked = join_all(shards.map(|shard| store.windows(board, shard))).await;
    assert!(asked.iter().all(Result::is_ok), "{asked:?}");
}

#[tokio::test]
async fn the_answer_that_created_a_board_says_where_its_shards_are() {
    let redis = RedisServer::plain();
    let proxy = FaultProxy::before(&redis);
    let store = open(&proxy).await;
    let kind = kind(&store).await;
    let name = "gifts/room".parse().unwrap();
    let board = store.birth(&name, &kind, None, now()).await.unwrap();
    ask_all(&store, &board).await;
    assert_eq!(proxy.calls_of("_life_"), 0, "{:?}", proxy.functions());
    // Another server finds it there, and needs no more.
    let other = open(&proxy).await;
    let found = other.birth(&name, &kind, None, now()).await.unwrap();
    assert_eq!(found, board);
    ask_all(&other, &found).await;
    assert_eq!(proxy.calls_of("_life_"), 0, "{:?}", proxy.functions());
    assert_eq!(proxy.calls_of("_birth_"), 2);
}

#[tokio::test]
async fn a_look_up_that_panics_fails_who_waits_and_no_later_one() {
    let opened = Opened::plain().await;
    let lives = &opened.lives;
    let kind = Arc::new(gifts(vec![WindowRule::with_defaults(Period::All)]));
    let put = opened.registry.put_kind(kind, Revision(0), true);
    let (name, put) = ("gifts/room".parse().unwrap(), put.await.unwrap());
    let created = opened.registry.birth(&name, &put, None, now()).await;
    let board = created.unwrap().0.board().clone();
    let panics = || lives.join_look_up(board.incarnation, async { panic!("of the test") }.boxed());
    let failed = join_all([panics(), panics()]).await;
    let is_unavailable =
        |failed: &Result<_, StoreError>| matches!(failed, Err(StoreError::Unavailable(_)));
    assert!(failed.iter().all(is_unavailable), "{failed:?}");
    assert!(lives.place(&board, 0).await.is_ok());
}

#[tokio::test]
async fn one_caller_asks_for_all() {
    let redis = RedisServer::plain();
    let proxy = FaultProxy::before(&redis);
    let store = open(&proxy).await;
    let kind = kind(&store).await;
    let name = "gifts/room".parse().unwrap();
    store.birth(&name, &kind, None, now()).await.unwrap();
    let other = open(&proxy).await;
    let board = other.board(&name).await.unwrap().unwrap();
    ask_all(&other, &board).await;
    assert_eq!(proxy.calls_of("_life_"), 1, "{:?}", proxy.functions());
}
