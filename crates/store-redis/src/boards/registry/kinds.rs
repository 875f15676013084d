//! Kinds: read, written, deleted.

use std::sync::Arc;

use board::limits::KINDS_MAX;
use board::{Kind, KindName};
use bytes::Bytes;
use tokio::task::yield_now;

use super::{Registry, flag, text};
use crate::boards::keys::of_kind;
use crate::boards::wire::{Garbled, Unpack};
use redis_nodes::{CallError, registry_key};
use shard_store::{KindRecord, KindWriteError, Revision, StoreError, kind_text};

/// The kinds that are parsed before other tasks get their turn: a few milliseconds.
const PARSED_AT_ONCE: usize = 256;

/// The number of boards that become due in one call.
const DUE_BOARDS_MAX: usize = 1_000;

impl Registry {
    /// Returns every kind ever written, by name.
    pub(crate) async fn kinds(&self) -> Result<Vec<KindRecord>, StoreError> {
        let keys = vec![registry_key("kinds")];
        let answer = self.read("kinds", keys, Vec::new()).await?;
        let mut answer = Unpack::new(&answer);
        let count = answer.array()? / 2;
        let mut kinds = Vec::with_capacity(count.min(KINDS_MAX));
        for index in 1..=count {
            kinds.push(parse(answer.text()?, answer.text()?)?);
            if index % PARSED_AT_ONCE == 0 {
                yield_now().await;
            }
        }
        kinds.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(kinds)
    }

    /// Returns a kind's record.
    pub(crate) async fn kind(&self, name: &KindName) -> Result<Option<KindRecord>, StoreError> {
        let keys = vec![registry_key("kinds")];
        let held = self.read("kind", keys, vec![text(name)]).await?;
        if held.is_empty() {
            return Ok(None);
        }
        let held = std::str::from_utf8(&held).map_err(|_| Garbled("no UTF-8"))?;
        Ok(Some(parse(name.as_str(), held)?))
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
            registry_key("kinds"),
            of_kind("subjects", name),
            of_kind("settled", name),
            call,
            registry_key("profiles"),
            registry_key("ended_profiles"),
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
                _ => StoreError::from(CallError::Refused(refusal)).into(),
            }),
            Err(error) => Err(StoreError::from(error).into()),
        }
    }

    /// Makes all boards of a kind due.
    async fn make_due(&self, kind: &KindName) -> Result<(), StoreError> {
        let mut after = Bytes::new();
        loop {
            let keys = vec![of_kind("subjects", kind), registry_key("due")];
            let args = vec![after, text(kind), text(DUE_BOARDS_MAX)];
            after = self.write("make_due", keys, args).await?;
            if after.is_empty() {
                return Ok(());
            }
        }
    }
}

/// Reads `REVISION MEANING JSON`, or `REVISION - ` of a deleted kind.
fn parse(name: &str, text: &str) -> Result<KindRecord, Garbled> {
    let mut words = text.splitn(3, ' ');
    let mut word = || words.next().ok_or(Garbled("no kind's record"));
    let (revision, meaning, json) = (word()?, word()?, word()?);
    let kind = if meaning == "-" {
        None
    } else {
        let kind = kind_text::decode_kind(json).map_err(|error| {
            tracing::error!(kind = name, %error, "the registry has a kind that this server cannot read");
            Garbled("a kind that this server cannot read")
        })?;
        if format!("{:016x}", kind.meaning().0) != meaning {
            return Err(Garbled("a kind that means something else here"));
        }
        Some(Arc::new(kind))
    };
    Ok(KindRecord {
        name: name.parse().map_err(|_| Garbled("no kind's name"))?,
        revision: Revision(revision.parse().map_err(|_| Garbled("no revision"))?),
        kind,
    })
}

/// Writes the text that [`parse`] reads.
fn written(record: &KindRecord) -> Bytes {
    let Some(kind) = &record.kind else {
        return format!("{} - ", record.revision.0).into();
    };
    let (revision, meaning) = (record.revision.0, kind.meaning().0);
    format!("{revision} {meaning:016x} {}", kind_text::encode_kind(kind)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_kind_text_is_refused() {
        assert!(parse("gifts", "3 - ").unwrap().kind.is_none());
        for wrong in ["", "3", "3 -", "x - ", "3 00 {}"] {
            assert!(parse("gifts", wrong).is_err(), "{wrong:?}");
        }
        assert!(parse("GIFTS", "3 - ").is_err());
    }
}
