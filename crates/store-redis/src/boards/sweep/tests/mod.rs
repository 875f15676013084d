//! What a sweep drops and ends, and how it finishes the work of a server that stopped in the middle
//! of it.

mod deleted;
mod empty;
mod freezes;
mod idle;
mod windows;

use std::time::Duration;

use board::{Calendar, Kind, Period, Window, WindowRule};
use testkit::conformance::fixtures::idle;

use super::*;
use crate::boards::fixtures::gifts::{NOW, gifts};
use crate::boards::fixtures::parts::OpenedParts;
use crate::boards::keys::{self, ShardKeys};
use shard_store::Revision;

const DAY: Duration = Duration::from_hours(24);

fn week_of_idleness() -> WindowRule {
    idle(DAY * 8)
}

fn now() -> Timestamp {
    Timestamp::from_millis(NOW)
}

struct SweptBoard {
    opened: OpenedParts,
    sweep: Sweep,
    kind: Arc<Kind>,
    record: Record,
}

impl SweptBoard {
    async fn new(windows: Vec<WindowRule>) -> Self {
        let opened = OpenedParts::plain().await;
        let kind = Arc::new(gifts(windows));
        let put = opened.registry.put_kind(kind.clone(), Revision(0), true);
        let put = put.await.unwrap();
        let name = "gifts/room 1".parse().unwrap();
        let created = opened.registry.create_board(&name, &put, None, now());
        let (record, _) = created.await.unwrap();
        Self {
            sweep: Sweep::new(&opened, Refills::new(&opened)),
            opened,
            kind,
            record,
        }
    }

    fn shards(&self) -> std::ops::Range<u16> {
        0..self.record.board.shards.get()
    }

    fn meta(&self, shard: u16, field: &str) -> Option<String> {
        let key = ShardKeys::new(&self.record.board, shard).meta();
        self.opened.field(&key, field)
    }

    fn set_meta(&self, shard: u16, field: &str, value: &str) {
        let key = ShardKeys::new(&self.record.board, shard).meta();
        let words: [&[u8]; 4] = [b"HSET", &key, field.as_bytes(), value.as_bytes()];
        self.opened.redis.command(&words).integer();
    }

    /// Puts two members on a shard, written now.
    fn put_members(&self, shard: u16, window: Window) {
        let of = ShardKeys::new(&self.record.board, shard);
        for member in ["u1", "u2"] {
            let (scores, rank) = (of.scores(window), of.rank(window));
            let words: [&[u8]; 4] = [b"HSET", &scores, member.as_bytes(), b"standing"];
            self.opened.redis.command(&words).integer();
            let words: [&[u8]; 4] = [b"ZADD", &rank, b"1", member.as_bytes()];
            self.opened.redis.command(&words).integer();
        }
        let version = format!("v:{}", keys::window_name(window));
        self.set_meta(shard, &version, "7 00000000000000aa 3");
        self.set_meta(shard, "w", &NOW.to_string());
    }

    fn holds(&self, shard: u16, window: Window) -> bool {
        let of = ShardKeys::new(&self.record.board, shard);
        let held = [of.scores(window), of.rank(window)].map(|key| self.opened.exists(&key));
        assert_eq!(held[0], held[1]);
        held[0]
    }

    /// Returns how often Redis has run this command.
    fn calls(&self, command: &str) -> i64 {
        self.opened.ran(command).cast_signed()
    }

    async fn is_there(&self) -> bool {
        let found = self.opened.registry.board(&self.record.board.name).await;
        found.unwrap().is_some()
    }
}

fn today() -> Window {
    Calendar::utc().span_at(Period::Day, now()).window
}
