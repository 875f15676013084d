//! The migration of slots between primaries, step by step, as `redis-cli` does it: [`Migration`].
//! Between the steps a test can check what clients see.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::node;
use super::redis_cluster::RedisCluster;
use crate::eventually::DEADLINE;
use crate::redis::reply::Reply;
use crate::redis::server::RedisServer;

/// Keys per `MIGRATE`, the default of `redis-cli`.
const KEYS_A_STEP: usize = 10;

/// A slot that is being moved: each of its keys is on one of the two nodes.
#[derive(Debug)]
#[must_use]
pub struct Migration<'a> {
    cluster: &'a RedisCluster,
    slot: String,
    /// The node that the keys leave.
    pub from: Arc<RedisServer>,
    /// The node that the keys move to.
    pub to: Arc<RedisServer>,
}

impl RedisCluster {
    /// Moves slots with all of their keys to a primary.
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

    /// Starts the migration of a slot: the old node redirects requests for keys that it does not
    /// have (`ASK`).
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
    /// Moves at most `keys_max` of the remaining keys. Returns how many were moved.
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

    /// Moves one key, which must still be on the old node.
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

    /// Assigns the slot to the new node, on that node first. All keys must have been moved.
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

    /// Cancels the migration. Keys that were moved stay on the new node.
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
