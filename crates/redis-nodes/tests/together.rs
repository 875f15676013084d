//! Commands that are sent together.

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

use redis_nodes::redis_link::{ConnectOptions, Connection, RedisUrl, Reply, Value};
use testkit::redis::RedisServer;
use tokio::sync::mpsc;
use tokio::task::coop::has_budget_remaining;

/// Uses up the budget of the task.
async fn use_up_budget() {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    (0..1_000).for_each(|_| sender.send(()).unwrap());
    while has_budget_remaining() {
        receiver.recv().await.unwrap();
    }
}

#[tokio::test]
async fn commands_stay_in_order_when_their_task_has_used_up_its_budget() {
    let redis = RedisServer::plain();
    let url: RedisUrl = redis.url().parse().unwrap();
    let options = ConnectOptions::default();
    let opened = Connection::open(&options, &url.addresses[0]).await;
    let connection = opened.unwrap();
    let sent = tokio::spawn(async move {
        use_up_budget().await;
        let set = ["k", "v"].map(Value::from_static_str).to_vec();
        let commands = vec![("MULTI", vec![]), ("SET", set), ("EXEC", vec![])];
        connection.send_together(commands).await
    });
    let answers = sent.await.unwrap().unwrap();
    let ended = answers.last().unwrap();
    assert!(matches!(ended, Ok(Reply::Array { .. })), "{answers:?}");
    assert_eq!(redis.command(&["GET", "k"]).text(), "v");
}
