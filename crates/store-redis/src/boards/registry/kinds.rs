//! Kinds: read, written, deleted.

use std::sync::Arc;

use board::limits::KINDS_MAX;
use board::{Kind, KindName};
use bytes::Bytes;

use super::kind_records::{parse, written};
use super::profiles::{ended_profiles_key, profiles_key};
use super::{Registry, failed, flag, settled_key, subjects_key, text, unread};
use crate::boards::wire::{Garbled, Unpack};
use redis_nodes::{CallError, registry_key};
use shard_store::{KindRecord, KindWriteError, Revision, StoreError};

/// The number of boards that become due in one call.
const DUE_BOARDS_MAX: usize = 1_000;

pub(super) fn kinds_key() -> Bytes {
    registry_key("kinds")
}

impl Registry {
    /// Returns every kind ever written, by name.
    pub(crate) async fn kinds(&self) -> Result<Vec<KindRecord>, StoreError> {
        let answer = self.read("kinds", vec![kinds_key()], Vec::new()).await;
        let answer = answer.map_err(failed)?;
        let mut kinds = self.parse_all(&answer).map_err(unread)?;
        kinds.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(kinds)
    }

    fn parse_all(&self, answer: &[u8]) -> Result<Vec<KindRecord>, Garbled> {
        let mut answer = Unpack::new(answer);
        let mut read = self.read.lock();
        let count = answer.array()? / 2;
        let kinds = (0..count).map(|_| {
            let name = answer.text()?;
            read.record(name, answer.text()?)
        });
        kinds.collect()
    }

    /// Returns a kind's record.
    pub(crate) async fn kind(&self, name: &KindName) -> Result<Option<KindRecord>, StoreError> {
        let answer = self.read("kind", vec![kinds_key()], vec![text(name)]).await;
        let answer = answer.map_err(failed)?;
        let held = std::str::from_utf8(&answer).map_err(|_| unread(Garbled("no UTF-8")))?;
        if held.is_empty() {
            return Ok(None);
        }
        let record = self.read.lock().record(name.as_str(), held);
        record.map(Some).map_err(unread)
    }

    /// Writes a kind whose record is at `expected`. If it keeps windows differently than before,
    /// its boards are due when this completes.
    pub(crate) async fn put_kind(
        &self,
        kind: Arc<Kind>,
        expected: Revision,
        only_without_boards: bool,
    ) -> Result<KindRecord, KindWriteError> {
        let record = KindRecord {
            name: kind.name().clone(),
            revision: Revision(expected.0 + 1),
            kind: Some(kind.clone()),
        };
        let before = self.write_kind(&record, only_without_boards).await?;
        let before = before.and_then(|record| record.kind);
        let keeps = |kind: &Kind| (kind.windows().to_vec(), kind.dedupe());
        if before.is_some_and(|before| keeps(&before) != keeps(&kind)) {
            // The kind is written, whatever the outcome: boards are visited once a day anyway.
            if let Err(error) = self.make_due(&record.name).await {
                tracing::warn!(kind = %record.name, %error, "its boards are swept by the new kind a day late");
            }
        }
        Ok(record)
    }

    /// Deletes a kind without boards whose record is at `expected`.
    pub(crate) async fn delete_kind(
        &self,
        name: &KindName,
        expected: Revision,
    ) -> Result<(), KindWriteError> {
        let record = KindRecord {
            name: name.clone(),
            revision: Revision(expected.0 + 1),
            kind: None,
        };
        self.write_kind(&record, true).await.map(drop)
    }

    /// Replaces a record, and returns the one before it.
    async fn write_kind(
        &self,
        record: &KindRecord,
        alone: bool,
    ) -> Result<Option<KindRecord>, KindWriteError> {
        let name = &record.name;
        let (call, number) = self.next_call();
        let keys = vec![
            kinds_key(),
            subjects_key(name),
            settled_key(name),
            call,
            profiles_key(),
            ended_profiles_key(),
        ];
        let args = vec![
            number,
            text(name),
            text(record.revision.0 - 1),
            written(record),
            flag(alone),
            flag(record.kind.is_none()),
            text(KINDS_MAX),
        ];
        match self.write("write_kind", keys, args).await {
            Ok(before) if before.is_empty() => Ok(None),
            Ok(before) => {
                let before = std::str::from_utf8(&before).map_err(|_| Garbled("no UTF-8"));
                let before = before.and_then(|before| parse(name.as_str(), before));
                // Only its retention matters, and a record that cannot be read was not used for
                // sweeps either.
                Ok(before.ok())
            }
            Err(CallError::Refused(refusal)) => Err(match refusal.code.as_str() {
                "STALE" => KindWriteError::Stale,
                "TOOMANY" => KindWriteError::TooMany,
                "HASBOARDS" => KindWriteError::HasBoards,
                _ => failed(CallError::Refused(refusal)).into(),
            }),
            Err(error) => Err(failed(error).into()),
        }
    }

    /// Makes all boards of a kind due.
    async fn make_due(&self, kind: &KindName) -> Result<(), StoreError> {
        let mut after = Bytes::new();
        loop {
            let keys = vec![subjects_key(kind), registry_key("due")];
            let args = vec![after, text(kind), text(DUE_BOARDS_MAX)];
            after = self.write("make_due", keys, args).await.map_err(failed)?;
            if after.is_empty() {
                return Ok(());
            }
        }
    }
}
