//! Commands that are sent together.

use end_to_end::redis::RedisServer;
use fred::types::{Resp3Frame, Value};
use tokio::sync::mpsc;
use tokio::task::coop::has_budget_remaining;

use super::super::connection::Connection;
use super::super::dial::Dial;
use crate::redis::settings::RedisSettings;
use crate::redis::url::RedisUrl;

/// Has the task do as much in a row as it may.
async fn use_up_budget() {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    (0..1_000).for_each(|_| sender.send(()).unwrap());
    while has_budget_remaining() {
        receiver.recv().await.unwrap();
    }
}

#[tokio::test]
async fn they_are_in_order_whatever_their_task_has_done_before() {
    let redis = RedisServer::plain();
    let url: RedisUrl = redis.url().parse().unwrap();
    let dial = Dial::new(&url, &RedisSettings::default()).unwrap();
    let (connection, _ended) = Connection::open(&dial, &url.addresses[0]).await.unwrap();
    let sent = tokio::spawn(async move {
        use_up_budget().await;
        let set = ["k", "v"].map(Value::from_static_str).to_vec();
        let commands = vec![("MULTI", vec![]), ("SET", set), ("EXEC", vec![])];
        connection.send_together(commands).await
    });
    let answers = sent.await.unwrap().unwrap();
    let ended = answers.last().unwrap();
    assert!(matches!(ended, Ok(Resp3Frame::Array { .. })), "{answers:?}");
    assert_eq!(redis.command(&["GET", "k"]).text(), "v");
}
