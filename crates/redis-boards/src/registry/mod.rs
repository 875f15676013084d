//! Kinds and boards: which boards exist, which have ended, what is due. One slot, so that each call is atomic.
//!
//! [`Registry`] makes the calls; `kinds`, `boards`, `incarnations` and `due` have a file of Lua each beside
//! them. A call that would do more when it is sent again is remembered under its session and number,
//! and answered again. What the sweep does with incarnations that end, and writers with those that are on, is
//! not here.

mod boards;
mod due;
mod incarnations;
mod kind_records;
mod kinds;
mod record;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use board::{Kind, KindName, Meaning};
use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::call_error::{failed, unread};
use super::keys;
use super::session::Session;
use super::settings::RedisSettings;
use super::wire::Garbled;
pub(super) use due::Claimed;
pub(super) use incarnations::{After, CurrentIncarnation, Touch, Touched};
use kind_records::ReadKinds;
pub use record::Record;
use redis_nodes::{Call, CallError, Effect, Nodes, registry_key};
use shard_store::{BoardRecord, StoreError};

/// The registry of a store, and the kinds that were seen in it.
#[derive(Debug)]
pub struct Registry {
    servers: Arc<Nodes>,
    session: Arc<Session>,
    read_deadline: Duration,
    write_deadline: Duration,
    /// Whether replicas have to confirm what is written.
    has_acks: bool,
    seen: ArcSwap<HashMap<Meaning, Arc<Kind>>>,
    read: Mutex<ReadKinds>,
    epoch: AtomicU64,
    /// Calls that take what is due, one at a time: only the last is remembered.
    taking: tokio::sync::Mutex<()>,
}

impl Registry {
    /// The registry on these nodes, of which no kind was read yet.
    #[must_use]
    pub fn new(servers: Arc<Nodes>, session: Arc<Session>, settings: &RedisSettings) -> Self {
        Self {
            servers,
            session,
            read_deadline: settings.read_deadline,
            write_deadline: settings.write_deadline,
            has_acks: settings.acks > 0,
            seen: ArcSwap::default(),
            read: Mutex::default(),
            epoch: AtomicU64::new(0),
            taking: tokio::sync::Mutex::default(),
        }
    }

    /// The epoch of the process that has the registry, or had it last: when it changes, what was
    /// decided there may be lost.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        let now = self.servers.epoch(self.servers.registry());
        now.unwrap_or_else(|| self.epoch.load(Ordering::Acquire))
    }

    /// A kind that means what the board's standings mean, and may be of another name. `StaleKind`
    /// where the board's kind has become another.
    pub async fn kind_of(&self, board: &BoardRecord) -> Result<Arc<Kind>, StoreError> {
        if let Some(kind) = self.seen.load().get(&board.meaning) {
            return Ok(kind.clone());
        }
        self.read_kind_of(board).await
    }

    fn read_kind_of<'a>(
        &'a self,
        board: &'a BoardRecord,
    ) -> BoxFuture<'a, Result<Arc<Kind>, StoreError>> {
        async move {
            let record = self.kind(board.name.kind()).await?;
            let kind = record.and_then(|record| record.kind);
            let kind = kind.filter(|kind| kind.meaning() == board.meaning);
            let kind = kind.ok_or(StoreError::StaleKind)?;
            self.see(&kind);
            Ok(kind)
        }
        .boxed()
    }

    /// Keeps a kind at hand.
    pub fn see(&self, kind: &Arc<Kind>) {
        let meaning = kind.meaning();
        if !self.seen.load().contains_key(&meaning) {
            self.seen.rcu(|seen| {
                let mut seen = HashMap::clone(seen);
                seen.insert(meaning, kind.clone());
                seen
            });
        }
    }

    async fn read(
        &self,
        function: &'static str,
        keys: Vec<Bytes>,
        args: Vec<Bytes>,
    ) -> Result<Bytes, CallError> {
        let until = Instant::now() + self.read_deadline;
        let call = Call {
            function,
            keys,
            args,
            effect: Effect::Read,
            until,
            closes: None,
        };
        self.call(&call).await
    }

    async fn write(
        &self,
        function: &'static str,
        keys: Vec<Bytes>,
        args: Vec<Bytes>,
    ) -> Result<Bytes, CallError> {
        let until = Instant::now() + self.write_deadline;
        let call = Call {
            function,
            keys,
            args,
            effect: Effect::Write,
            until,
            closes: None,
        };
        self.call(&call).await
    }

    async fn call(&self, call: &Call) -> Result<Bytes, CallError> {
        let answer = self.servers.call(self.servers.registry(), call).await?;
        self.epoch.store(answer.epoch, Ordering::Release);
        Ok(answer.payload)
    }

    /// The key that a call is remembered under, and its number.
    fn next_call(&self) -> (Bytes, Bytes) {
        let number = self.session.next_call().to_string();
        let name = format!("call:{}:{number}", self.session.name());
        (registry_key(&name), number.into())
    }
}

/// Keys of the registry about one kind.
fn boards_key(kind: &KindName) -> Bytes {
    keys::of_kind("boards", kind)
}

fn subjects_key(kind: &KindName) -> Bytes {
    keys::of_kind("subjects", kind)
}

fn settled_key(kind: &KindName) -> Bytes {
    keys::of_kind("settled", kind)
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

/// An answer that cannot be read, to a call that may have changed something.
fn unread_write(error: Garbled) -> StoreError {
    StoreError::Unknown(error.to_string())
}
