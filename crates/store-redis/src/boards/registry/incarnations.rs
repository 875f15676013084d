//! Incarnations of boards: which exist, when they were written to, how they end.

use board::{BoardName, Incarnation, Timestamp};
use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::time::Instant;

use super::boards::drawn;
use super::record::{self, Record, activity_text};
use super::{Registry, boards_key, failed, settled_key, subjects_key, text, unread, unread_write};
use crate::boards::wire::{Garbled, Unpack};
use redis_nodes::{Call, CallError, Effect, Refusal, registry_key};
use shard_store::{BoardRecord, BoardSettings, DeleteBoardError, StoreError};

/// The approximate number of incarnations with missing tombstones that one call returns.
const DYING_AT_ONCE: usize = 100;

/// Why a board is touched.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Touch {
    /// It is about to be written to.
    pub(crate) now: Option<Timestamp>,
    /// Something of it is past its time then.
    pub(crate) due: Option<Timestamp>,
}

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

/// Which incarnation is to end, and under which condition.
struct Only<'a> {
    record: &'a Record,
    /// Unless it was touched since then.
    touched: Option<Timestamp>,
    after: Option<After>,
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
        let keys = vec![boards_key(kind), settled_key(kind), registry_key("due")];
        let args = vec![text(name), text(name.subject()), text(board.incarnation)];
        match self.read("life", keys, args).await {
            Ok(answer) => held(name, &answer).map_err(unread),
            Err(error) => Err(dead_or_failed(error)),
        }
    }

    /// Records that a board is about to be written to, or when something of it is due;
    /// `IncarnationEnded` if this incarnation has ended.
    pub(crate) async fn touch(
        &self,
        board: &BoardRecord,
        touch: Touch,
    ) -> Result<Touched, StoreError> {
        let name = &board.name;
        let keys = vec![boards_key(name.kind()), registry_key("due")];
        let millis = |time: Option<Timestamp>| {
            time.map_or(Bytes::from_static(b"-"), |time| text(time.millis()))
        };
        let args = vec![
            text(name),
            text(name.subject()),
            text(board.incarnation),
            millis(touch.now),
            millis(touch.due),
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
                .map_err(unread_write),
            Err(CallError::Refused(Refusal { code, payload })) if code == "EMPTYING" => {
                let bound = std::str::from_utf8(&payload).map_err(|_| Garbled("no UTF-8"));
                let bound = bound.and_then(record::time).map_err(unread_write)?;
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
        let name = &record.board().name;
        let args = vec![
            text(name.subject()),
            text(record.spread.incarnation()),
            text(record.touched.millis()),
            text(bound.millis()),
        ];
        let keys = vec![boards_key(name.kind())];
        match self.write("begin_emptying", keys, args).await {
            Ok(_) => Ok(true),
            Err(CallError::Refused(refusal)) if ["TOUCHED", "DEAD"].contains(&&*refusal.code) => {
                Ok(false)
            }
            Err(error) => Err(failed(error)),
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
        let keys = vec![boards_key(board.name.kind())];
        let ended = self.write("end_emptying", keys, args).await;
        ended.map(drop).map_err(failed)
    }

    /// Ends the current incarnation of a board. Returns where its tombstones belong, unless it had
    /// settings only.
    pub(crate) async fn delete_board(
        &self,
        name: &BoardName,
    ) -> Result<Option<Record>, DeleteBoardError> {
        let until = Instant::now() + self.write_deadline;
        let answer = match self.end(name, None, until).await {
            Err(CallError::Refused(refusal)) if refusal.code == "NOTTHERE" => {
                return Err(DeleteBoardError::NotFound);
            }
            answer => answer.map_err(failed)?,
        };
        if answer.first() == Some(&b'u') {
            return Ok(None);
        }
        Ok(Record::parse_reply(name, &answer).map_err(unread_write)?)
    }

    /// Ends this incarnation of a board, before `until`, touched or not, unless its activity was changed
    /// since its record was read, and keeps settings for its name. Returns whether it did.
    pub(crate) async fn delete_incarnation(
        &self,
        record: &Record,
        after: Option<After>,
        until: Instant,
    ) -> Result<bool, StoreError> {
        let only = Only {
            record,
            touched: None,
            after,
        };
        let ended = self.end(&record.board().name, Some(only), until);
        ended_or_not(ended.await)
    }

    /// Ends this incarnation of a board, before `until`, unless it was touched or its activity was
    /// changed since its record was read, and keeps settings for its name. Returns whether it did.
    pub(crate) async fn delete_untouched(
        &self,
        record: &Record,
        after: Option<After>,
        until: Instant,
    ) -> Result<bool, StoreError> {
        let only = Only {
            record,
            touched: Some(record.touched),
            after,
        };
        let ended = self.end(&record.board().name, Some(only), until);
        ended_or_not(ended.await)
    }

    async fn end(
        &self,
        name: &BoardName,
        only: Option<Only<'_>>,
        until: Instant,
    ) -> Result<Bytes, CallError> {
        let kind = name.kind();
        let (call, number) = self.next_call();
        let keys = vec![
            boards_key(kind),
            subjects_key(kind),
            settled_key(kind),
            registry_key("due"),
            registry_key("dying"),
            call,
        ];
        // The sweep holds the shards of a board until its end is decided.
        let waits_until = only.is_some().then_some(until);
        let any = || Bytes::from_static(b"-");
        let args = vec![
            number,
            text(name),
            text(name.subject()),
            only.as_ref()
                .map_or_else(any, |only| text(only.record.spread.incarnation())),
            only.as_ref()
                .and_then(|only| only.touched)
                .map_or_else(any, |touched| text(touched.millis())),
            only.as_ref()
                .and_then(|only| only.after.as_ref())
                .map_or_else(any, |after| text(after.settled())),
            only.as_ref()
                .and_then(|only| only.after.as_ref())
                .map_or_else(any, |after| text(after.kept_until().millis())),
            only.map_or_else(Bytes::new, |only| {
                text(activity_text(&only.record.board().activity))
            }),
        ];
        let call = Call {
            function: "bury",
            keys,
            args,
            effect: Effect::Write,
            until,
            // Later the board may be written to again: the reason for keeping it has an end.
            waits_until,
            closes: Some(until),
        };
        self.call(&call).await
    }

    /// Records that all tombstones of an incarnation were put.
    pub(crate) async fn deleted(&self, incarnation: Incarnation) -> Result<(), StoreError> {
        let keys = vec![registry_key("dying")];
        let deleted = self.write("buried", keys, vec![text(incarnation)]).await;
        deleted.map(drop).map_err(failed)
    }

    /// Returns whether this incarnation has ended and tombstones of it may be missing.
    pub fn is_dying(&self, incarnation: Incarnation) -> BoxFuture<'_, Result<bool, StoreError>> {
        async move {
            let keys = vec![registry_key("dying")];
            let answer = self.read("is_dying", keys, vec![text(incarnation)]).await;
            Ok(*answer.map_err(failed)? == *b"1")
        }
        .boxed()
    }

    /// Returns some of the incarnations of which tombstones may be missing, and the cursor of the
    /// next call. All were returned when the cursor is `0`, where it begins.
    pub(crate) async fn dying(&self, cursor: &str) -> Result<(String, Vec<Record>), StoreError> {
        let keys = vec![registry_key("dying")];
        let args = vec![text(cursor), text(DYING_AT_ONCE)];
        let answer = self.read("dying", keys, args).await.map_err(failed)?;
        dying(&answer).map_err(unread)
    }
}

/// Returns whether an incarnation was ended.
fn ended_or_not(ended: Result<Bytes, CallError>) -> Result<bool, StoreError> {
    match ended {
        Ok(_) => Ok(true),
        Err(CallError::Refused(refusal)) if ["NOTTHERE", "TOUCHED"].contains(&&*refusal.code) => {
            Ok(false)
        }
        Err(error) => Err(failed(error)),
    }
}

fn dead_or_failed(error: CallError) -> StoreError {
    match error {
        CallError::Refused(refusal) if refusal.code == "DEAD" => StoreError::IncarnationEnded,
        error => failed(error),
    }
}

/// Reads `DUE b RECORD` or `DUE u INCARNATION`.
fn held(name: &BoardName, answer: &[u8]) -> Result<CurrentIncarnation, Garbled> {
    const WRONG: Garbled = Garbled("no incarnation");
    let text = std::str::from_utf8(answer).map_err(|_| WRONG)?;
    let (due, rest) = text.split_once(' ').ok_or(WRONG)?;
    let due = record::due(due)?;
    let record = match rest.split_once(' ').ok_or(WRONG)? {
        ("b", text) => Some(Record::parse(name, true, text)?),
        ("u", _) => None,
        _ => return Err(WRONG),
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
