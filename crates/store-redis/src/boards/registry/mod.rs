//! Kinds and boards: which boards exist, which have ended, what is due. All in one slot, so that
//! each call is atomic.
//!
//! [`Registry`] makes the calls; `kinds`, `profiles`, `boards`, `incarnations` and `due` each have a file of
//! Lua beside them. A call that must not be applied twice is remembered under its session and
//! number; if it is sent again, it gets the same reply. What the sweep does with incarnations that
//! end, and writers with those that exist, is not here.

mod boards;
mod due;
mod incarnations;
mod kinds;
mod profiles;
mod record;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use board::{Kind, Meaning};
use bytes::Bytes;
use futures::FutureExt as _;
use parking_lot::RwLock;
use tokio::time::Instant;

use super::session::Session;
pub(super) use due::Claimed;
pub(super) use incarnations::{After, CurrentIncarnation, Touched};
pub(crate) use record::{Record, activity_text};
use redis_nodes::{Call, CallError, Effect, Nodes, RedisSettings, registry_key};
use shard_store::{BoardRecord, StoreError};

/// The registry of a store, and the kinds that were seen in it.
#[derive(Debug)]
pub(crate) struct Registry {
    servers: Arc<Nodes>,
    session: Arc<Session>,
    settings: Arc<RedisSettings>,
    seen: RwLock<HashMap<Meaning, Arc<Kind>>>,
    epoch: AtomicU64,
    /// Serializes calls that claim boards: only the last is remembered.
    taking: tokio::sync::Mutex<()>,
}

impl Registry {
    /// Creates the registry on these nodes; no kind was read yet.
    pub(crate) fn new(
        servers: Arc<Nodes>,
        session: Arc<Session>,
        settings: Arc<RedisSettings>,
    ) -> Self {
        Self {
            servers,
            session,
            settings,
            seen: RwLock::default(),
            epoch: AtomicU64::new(0),
            taking: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the epoch of the process that has the registry, or had it last: when it changes, its
    /// last writes may be lost.
    pub(crate) fn epoch(&self) -> u64 {
        let now = self.servers.epoch(self.servers.registry());
        now.unwrap_or_else(|| self.epoch.load(Ordering::Acquire))
    }

    /// Returns a kind with the same meaning as the board's standings, which may have another name.
    /// `StaleKind` if the board's kind was replaced.
    pub(crate) async fn kind_of(&self, board: &BoardRecord) -> Result<Arc<Kind>, StoreError> {
        let seen = self.seen.read().get(&board.meaning).cloned();
        if let Some(kind) = seen {
            return Ok(kind);
        }
        // Boxed because it is rare and large: it would enlarge every future that contains it.
        let record = self.kind(board.name.kind()).boxed().await?;
        let kind = record.and_then(|record| record.kind);
        let kind = kind.filter(|kind| kind.meaning() == board.meaning);
        let kind = kind.ok_or(StoreError::StaleKind)?;
        self.see(&kind);
        Ok(kind)
    }

    /// Caches a kind by its meaning.
    pub(crate) fn see(&self, kind: &Arc<Kind>) {
        let meaning = kind.meaning();
        if !self.seen.read().contains_key(&meaning) {
            self.seen.write().insert(meaning, kind.clone());
        }
    }

    async fn read(
        &self,
        function: &'static str,
        keys: Vec<Bytes>,
        args: Vec<Bytes>,
    ) -> Result<Bytes, CallError> {
        let until = Instant::now() + self.settings.read_deadline;
        self.call(&Call::new(function, Effect::Read, keys, args, until))
            .await
    }

    async fn write(
        &self,
        function: &'static str,
        keys: Vec<Bytes>,
        args: Vec<Bytes>,
    ) -> Result<Bytes, CallError> {
        self.call(&self.write_call(function, keys, args)).await
    }

    fn write_call(&self, function: &'static str, keys: Vec<Bytes>, args: Vec<Bytes>) -> Call {
        let until = Instant::now() + self.settings.write_deadline;
        Call::new(function, Effect::Write, keys, args, until)
    }

    async fn call(&self, call: &Call) -> Result<Bytes, CallError> {
        let answer = self.servers.call(self.servers.registry(), call).await?;
        self.epoch.store(answer.epoch, Ordering::Release);
        Ok(answer.payload)
    }

    /// Returns the key under which a call is remembered, and its number.
    fn next_call(&self) -> (Bytes, Bytes) {
        let number = self.session.next_call().to_string();
        let name = format!("call:{}:{number}", self.session.name());
        (registry_key(&name), number.into())
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "what is shown is mostly made for it"
)]
fn text(shown: impl ToString) -> Bytes {
    shown.to_string().into()
}

fn flag(truth: bool) -> Bytes {
    Bytes::from_static(if truth { b"1" } else { b"0" })
}
