//! How long callers wait for shards that a server froze before it was killed.

use super::*;
use crate::boards::shards::Freeze;

#[tokio::test]
async fn shards_of_a_change_that_nobody_finishes_are_open_after_two_seconds() {
    let room = SweptBoard::new(vec![week_of_idleness()]).await;
    let decided = Instant::now() + DAY;
    let token = "token".into();
    let held = room
        .sweep
        .hold(&room.record, &token, decided, Freeze::SHORT);
    held.await.unwrap();
    let time = room.opened.redis.command(&["TIME"]);
    let [seconds, micros] = [0, 1].map(|part| time.items()[part].text().parse::<i64>().unwrap());
    for shard in room.shards() {
        let freeze = room.meta(shard, "f").unwrap();
        let until_ms: i64 = freeze.strip_prefix("token ").unwrap().parse().unwrap();
        let left_ms = until_ms - (1_000 * seconds + micros / 1_000);
        assert!(left_ms <= 2_000, "{left_ms}");
        // A reader asks the registry afterwards, and thaws the shard by what it has.
        room.set_meta(shard, "f", &format!("token {}", until_ms - 2_000 - left_ms));
        let board = &room.record.board;
        room.opened.incarnations.thaw(board, shard).await.unwrap();
        assert_eq!(room.meta(shard, "f"), None);
        assert_ne!(room.meta(shard, "a").as_deref(), Some("?"));
    }
}
