//! Incarnations of boards: which exist, when they were written to, how they end.

use board::{BoardName, Incarnation, Timestamp};
use bytes::Bytes;
use tokio::time::Instant;

use super::boards::drawn;
use super::record::{self, Record, activity_text};
use super::{Registry, text};
use crate::boards::keys::of_kind;
use crate::boards::wire::{Garbled, Unpack};
use redis_nodes::{Call, CallError, Effect, Refusal, registry_key};
use shard_store::{BoardRecord, BoardSettings, DeleteBoardError, StoreError};

/// The approximate number of incarnations with missing tombstones that one call returns.
const DYING_AT_ONCE: usize = 100;

/// An argument that is not given.
const NONE: Bytes = Bytes::from_static(b"-");

/// Settings that the name of a board keeps when it ends.
#[derive(Debug, Clone)]
pub(crate) struct After {
    pub(crate) settings: BoardSettings,
    /// The time as of which they were made.
    pub(crate) settled: Timestamp,
    incarnation: Incarnation,
}

impl After {
    pub(crate) fn new(settings: BoardSettings, settled: Timestamp) -> Result<Self, StoreError> {
        Ok(Self {
            settings,
            settled,
            incarnation: drawn()?,
        })
    }

    /// Returns settings as the registry stores them: `INCARNATION SHARDS AT ACTIVITY`.
    fn settled(&self) -> String {
        let (shards, at) = (self.settings.shards.get(), self.settled.millis());
        let activity = activity_text(&self.settings.activity);
        format!("{} {shards} {at} {activity}", self.incarnation)
    }

    fn kept_until(&self) -> Timestamp {
        self.settings.activity.settings_kept_until(self.settled)
    }
}

/// An incarnation that exists.
#[derive(Debug)]
pub(crate) struct CurrentIncarnation {
    /// The record of a board that was created.
    pub(crate) record: Option<Record>,
    /// When something of it is known to be past its time.
    pub(crate) due: Option<Timestamp>,
}

/// The outcome of touching a board.
#[derive(Debug)]
pub(crate) enum Touched {
    /// It exists, with this record.
    Current(CurrentIncarnation),
    /// It is idle, and what was written until then is being emptied: the touch is to be repeated
    /// after that.
    Emptying(Timestamp),
}

impl Registry {
    /// Returns this incarnation as it is now; `IncarnationEnded` if it has ended.
    pub(crate) async fn incarnation(
        &self,
        board: &BoardRecord,
    ) -> Result<CurrentIncarnation, StoreError> {
        let name = &board.name;
        let kind = name.kind();
        let (boards, settled) = (of_kind("boards", kind), of_kind("settled", kind));
        let keys = vec![boards, settled, registry_key("due")];
        let args = vec![text(name), text(name.subject()), text(board.incarnation)];
        match self.read("incarnation", keys, args).await {
            Ok(answer) => Ok(held(name, &answer)?),
            Err(error) => Err(dead_or_failed(error)),
        }
    }

    /// Records that a board is about to be written to `now`, and when something of it is past its time;
    /// `IncarnationEnded` if this incarnation has ended.
    pub(crate) async fn touch(
        &self,
        board: &BoardRecord,
        now: Option<Timestamp>,
        due: Option<Timestamp>,
    ) -> Result<Touched, StoreError> {
        let name = &board.name;
        let keys = vec![of_kind("boards", name.kind()), registry_key("due")];
        let millis = |time: Option<Timestamp>| time.map_or(NONE, |time| text(time.millis()));
        let args = vec![
            text(name),
            text(name.subject()),
            text(board.incarnation),
            millis(now),
            millis(due),
        ];
        let call = self.write_call("touch", keys, args);
        // Most callers have a shorter timeout of their own, and a touch that is given up is not repeated.
        let call = Call {
            waits_until: Some(call.until),
            ..call
        };
        match self.call(&call).await {
            Ok(answer) => held(name, &answer)
                .map(Touched::Current)
                .map_err(Garbled::in_doubt),
            Err(CallError::Refused(Refusal { code, payload })) if code == "EMPTYING" => {
                let bound = std::str::from_utf8(&payload).map_err(|_| Garbled("no UTF-8"));
                let bound = bound.and_then(record::time).map_err(Garbled::in_doubt)?;
                Ok(Touched::Emptying(bound))
            }
            Err(error) => Err(dead_or_failed(error)),
        }
    }

    /// Decides that what was written to an idle board until `bound` is emptied. Returns false if
    /// the board was touched since the record was read, or its incarnation has ended.
    pub(crate) async fn begin_emptying(
        &self,
        record: &Record,
        bound: Timestamp,
    ) -> Result<bool, StoreError> {
        let name = &record.board.name;
        let args = vec![
            text(name.subject()),
            text(record.board.incarnation),
            text(record.touched.millis()),
            text(bound.millis()),
        ];
        let keys = vec![of_kind("boards", name.kind())];
        match self.write("begin_emptying", keys, args).await {
            Ok(_) => Ok(true),
            Err(CallError::Refused(refusal)) if ["TOUCHED", "DEAD"].contains(&&*refusal.code) => {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Records that the board is empty on all shards.
    pub(crate) async fn end_emptying(
        &self,
        board: &BoardRecord,
        bound: Timestamp,
    ) -> Result<(), StoreError> {
        let args = vec![
            text(board.name.subject()),
            text(board.incarnation),
            text(bound.millis()),
        ];
        let keys = vec![of_kind("boards", board.name.kind())];
        self.write("end_emptying", keys, args).await?;
        Ok(())
    }

    /// Ends the current incarnation of a board. Returns where its tombstones belong, unless it had
    /// settings only.
    pub(crate) async fn delete_board(
        &self,
        name: &BoardName,
    ) -> Result<Option<Record>, DeleteBoardError> {
        let until = Instant::now() + self.settings.write_deadline;
        let answer = match self
            .end(name, [NONE, NONE, NONE, NONE, Bytes::new()], None, until)
            .await
        {
            Err(CallError::Refused(refusal)) if refusal.code == "NOTTHERE" => {
                return Err(DeleteBoardError::NotFound);
            }
            answer => answer.map_err(StoreError::from)?,
        };
        if answer.first() == Some(&b'u') {
            return Ok(None);
        }
        Ok(Record::parse_reply(name, &answer).map_err(Garbled::in_doubt)?)
    }

    /// Ends this incarnation of a board, before `until`, unless its activity was changed since its record was read or,
    /// with `untouched`, it was touched. Its name keeps the settings `after`. Returns whether it did.
    pub(crate) async fn end_incarnation(
        &self,
        record: &Record,
        untouched: bool,
        after: Option<After>,
        until: Instant,
    ) -> Result<bool, StoreError> {
        let touched = untouched.then(|| text(record.touched.millis()));
        let condition = [
            text(record.board.incarnation),
            touched.unwrap_or(NONE),
            after.as_ref().map_or(NONE, |after| text(after.settled())),
            after.map_or(NONE, |after| text(after.kept_until().millis())),
            text(activity_text(&record.board.activity)),
        ];
        // The sweep holds the shards of a board until its end is decided.
        let ended = self.end(&record.board.name, condition, Some(until), until);
        match ended.await {
            Ok(_) => Ok(true),
            Err(CallError::Refused(refusal))
                if ["NOTTHERE", "TOUCHED"].contains(&&*refusal.code) =>
            {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Ends an incarnation before `until`. The condition is which one, the time since which it was not touched, the
    /// settings that its name keeps and until when, and its activity.
    async fn end(
        &self,
        name: &BoardName,
        condition: [Bytes; 5],
        waits_until: Option<Instant>,
        until: Instant,
    ) -> Result<Bytes, CallError> {
        let kind = name.kind();
        let (call, number) = self.next_call();
        let keys = vec![
            of_kind("boards", kind),
            of_kind("subjects", kind),
            of_kind("settled", kind),
            registry_key("due"),
            registry_key("dying"),
            call,
        ];
        let args = [number, text(name), text(name.subject())];
        let args = args.into_iter().chain(condition).collect();
        let call = Call {
            // Later the board may be written to again: the reason for keeping it has an end.
            waits_until,
            closes: Some(until),
            ..Call::new("delete_board", Effect::Write, keys, args, until)
        };
        self.call(&call).await
    }

    /// Records that all tombstones of an incarnation were put.
    pub(crate) async fn deleted(&self, incarnation: Incarnation) -> Result<(), StoreError> {
        let keys = vec![registry_key("dying")];
        self.write("deleted", keys, vec![text(incarnation)]).await?;
        Ok(())
    }

    /// Returns whether this incarnation has ended and tombstones of it may be missing.
    pub(crate) async fn is_dying(&self, incarnation: Incarnation) -> Result<bool, StoreError> {
        let keys = vec![registry_key("dying")];
        let answer = self.read("is_dying", keys, vec![text(incarnation)]).await?;
        Ok(*answer == *b"1")
    }

    /// Returns some of the incarnations of which tombstones may be missing, and the cursor of the
    /// next call. All were returned when the cursor is `0`, where it begins.
    pub(crate) async fn dying(&self, cursor: &str) -> Result<(String, Vec<Record>), StoreError> {
        let keys = vec![registry_key("dying")];
        let args = vec![text(cursor), text(DYING_AT_ONCE)];
        let answer = self.read("dying", keys, args).await?;
        Ok(dying(&answer)?)
    }
}

fn dead_or_failed(error: CallError) -> StoreError {
    match error {
        CallError::Refused(refusal) if refusal.code == "DEAD" => StoreError::IncarnationEnded,
        error => error.into(),
    }
}

/// Reads `DUE c RECORD` or `DUE u INCARNATION`.
fn held(name: &BoardName, answer: &[u8]) -> Result<CurrentIncarnation, Garbled> {
    let (due, letter, text) = record::due_and_rest(answer)?;
    let record = match letter {
        "c" => Some(Record::parse(name, true, text)?),
        _ => None,
    };
    Ok(CurrentIncarnation { record, due })
}

/// Reads a cursor, and `RECORD KIND/SUBJECT` of each incarnation. One that cannot be read is
/// skipped: it would block all others.
fn dying(answer: &[u8]) -> Result<(String, Vec<Record>), Garbled> {
    let mut answer = Unpack::new(answer);
    let count = answer.array()?;
    let cursor = answer.text()?.to_owned();
    let mut records = Vec::new();
    for _ in 1..count {
        let text = answer.text()?;
        if let Some(record) = Record::parse_named(text) {
            records.push(record);
        } else {
            tracing::error!(text, "the registry has an incarnation that cannot be ended");
        }
    }
    Ok((cursor, records))
}
