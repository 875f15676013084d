//! Slots on their way from one primary to another, as `redis-cli` moves them: [`Migration`], which a
//! test takes step by step, and looks between the steps at what clients see.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::{RedisCluster, node};
use crate::eventually::DEADLINE;
use crate::redis::{RedisServer, Reply};

/// Keys that are moved at a time when nobody says how many; what `redis-cli` does.
const KEYS_A_STEP: usize = 10;

/// A slot that is on its way: each of its keys is in the one place or the other.
#[derive(Debug)]
#[must_use]
pub struct Migration<'a> {
    cluster: &'a RedisCluster,
    slot: String,
    /// Where the slot's keys come from.
    pub from: Arc<RedisServer>,
    /// Where they go.
    pub to: Arc<RedisServer>,
}

impl RedisCluster {
    /// Moves slots and all of their keys to a primary.
    #[track_caller]
    pub fn move_slots(&self, slots: RangeInclusive<u16>, to: &Arc<RedisServer>) {
        for slot in slots {
            if self.primary_of(slot).port() == to.port() {
                continue;
            }
            let migration = self.begin_migration(slot, to);
            while migration.move_keys(KEYS_A_STEP) > 0 {}
            migration.end();
        }
        self.wait_until_settled();
    }

    /// Lets a slot set out: who asks for a key that its old place does not have is sent on (`ASK`).
    #[track_caller]
    pub fn begin_migration(&self, slot: u16, to: &Arc<RedisServer>) -> Migration<'_> {
        let migration = Migration {
            cluster: self,
            slot: slot.to_string(),
            from: self.primary_of(slot),
            to: Arc::clone(to),
        };
        let (from, to) = (&migration.from, &migration.to);
        migration.set(to, &["IMPORTING", &node::id(from)]);
        migration.set(from, &["MIGRATING", &node::id(to)]);
        migration
    }
}

impl Migration<'_> {
    /// Moves at most so many of the keys that are left, and says how many those were.
    #[track_caller]
    pub fn move_keys(&self, keys_max: usize) -> usize {
        let keys_max = keys_max.to_string();
        let keys = ["CLUSTER", "GETKEYSINSLOT", &self.slot, &keys_max];
        let keys = self.from.command(&keys);
        let keys: Vec<&[u8]> = keys.items().iter().map(bytes).collect();
        if !keys.is_empty() {
            self.migrate(&keys);
        }
        keys.len()
    }

    /// Moves this key, which has to be there still.
    #[track_caller]
    pub fn move_key(&self, key: impl AsRef<[u8]>) {
        self.migrate(&[key.as_ref()]);
    }

    #[track_caller]
    fn migrate(&self, keys: &[&[u8]]) {
        let (port, timeout_ms) = (self.to.port().to_string(), DEADLINE.as_millis().to_string());
        let command = ["MIGRATE", "127.0.0.1", &port, "", "0", &timeout_ms];
        let mut command: Vec<&[u8]> = command.iter().map(|word| word.as_bytes()).collect();
        if let Some(login) = &self.to.options().admin {
            let words = login.words();
            command.push(if words.len() == 2 { b"AUTH" } else { b"AUTH2" });
            command.extend(words[1..].iter().map(|word| word.as_bytes()));
        }
        command.push(b"KEYS");
        command.extend(keys);
        self.from.command(&command).ok();
    }

    /// Says who serves the slot from now on, to the new one first; all of its keys have to be there.
    #[track_caller]
    pub fn end(self) {
        let id = node::id(&self.to);
        self.set(&self.to, &["NODE", &id]);
        self.set(&self.from, &["NODE", &id]);
        for other in self.cluster.primaries() {
            if ![self.to.port(), self.from.port()].contains(&other.port()) {
                self.set(&other, &["NODE", &id]);
            }
        }
    }

    /// Leaves the slot where it was; keys that were moved stay where they went.
    #[track_caller]
    pub fn abandon(self) {
        self.set(&self.from, &["STABLE"]);
        self.set(&self.to, &["STABLE"]);
    }

    #[track_caller]
    fn set(&self, node: &RedisServer, state: &[&str]) {
        let command = [&["CLUSTER", "SETSLOT", &self.slot], state].concat();
        node.command(&command).ok();
    }
}

fn bytes(key: &Reply) -> &[u8] {
    match key {
        Reply::Bulk(bytes) => bytes,
        other => panic!("not a key: {other:?}"),
    }
}
