//! Boards: look-ups, lists, settings, creation.

use board::{Activity, BoardName, Incarnation, KindName, Subject, Timestamp};
use bytes::Bytes;
use tokio::time::Instant;

use super::record::{Record, activity_text, due_and_rest, servers_text};
use super::{Registry, flag, text};
use crate::boards::keys::of_kind;
use crate::boards::retention::LINGER;
use crate::boards::wire::{Garbled, Unpack};
use redis_nodes::{Call, CallError, Effect, registry_key};
use shard_store::{
    BoardRecord, BoardSettings, ChangeActivityError, CreateBoardError, KindRecord,
    PutSettingsError, StoreError,
};

impl Registry {
    /// Returns the record of a board, created or not.
    pub(crate) async fn board(&self, name: &BoardName) -> Result<Option<Record>, StoreError> {
        let kind = name.kind();
        let (boards, settled) = (of_kind("boards", kind), of_kind("settled", kind));
        let keys = vec![registry_key("kinds"), boards, settled];
        let args = vec![text(kind), text(name.subject())];
        let answer = self.read("board", keys, args).await?;
        Ok(Record::parse_reply(name, &answer)?)
    }

    /// Returns the created boards of a kind whose subjects begin with `prefix`, by the bytes of their subjects.
    pub(crate) async fn boards(
        &self,
        kind: &KindName,
        prefix: &str,
        after: Option<&Subject>,
        limit: usize,
    ) -> Result<Vec<BoardRecord>, StoreError> {
        let keys = vec![of_kind("boards", kind), of_kind("subjects", kind)];
        let (from, to) = subject_range(prefix, after);
        let args = vec![from, to, text(limit)];
        let answer = self.read("boards", keys, args).await?;
        Ok(listed(kind, &answer)?)
    }

    /// Creates a board's record, or one of its settings, or returns the existing one, with the time
    /// when the board is known to be due.
    pub(crate) async fn create_board(
        &self,
        name: &BoardName,
        kind: &KindRecord,
        seen: Option<Incarnation>,
        now: Timestamp,
    ) -> Result<(Record, Option<Timestamp>), CreateBoardError> {
        let current = kind.kind.as_ref().ok_or(CreateBoardError::StaleKind)?;
        // Otherwise the creation would overtake contributions that wait, and the board would
        // stay without its own.
        let until = Instant::now() + self.settings.write_deadline;
        let checked = self.servers.check_backlogs(until);
        checked.map_err(StoreError::Overloaded)?;
        let of = name.kind();
        let (call, number) = self.next_call();
        let keys = vec![
            registry_key("kinds"),
            of_kind("boards", of),
            of_kind("subjects", of),
            of_kind("settled", of),
            registry_key("due"),
            call,
        ];
        let args = vec![
            number,
            text(&kind.name),
            text(kind.revision.0),
            text(name),
            text(name.subject()),
            text(drawn()?),
            text(current.shards().get()),
            text(servers_text(&self.servers.ids())),
            text(now.millis()),
            text(now.plus(LINGER).millis()),
            seen.map_or(Bytes::from_static(b"-"), text),
            flag(self.settings.acks > 0),
        ];
        let answer = match self.write("create_board", keys, args).await {
            Err(CallError::Refused(refusal)) if refusal.code == "STALE" => {
                return Err(CreateBoardError::StaleKind);
            }
            answer => answer.map_err(StoreError::from)?,
        };
        let (due, record) = due_and_rest(&answer)
            .and_then(|(due, letter, record)| {
                Ok((due, Record::parse(name, letter == "c", record)?))
            })
            .map_err(Garbled::in_doubt)?;
        if record.board.created {
            Ok((record, due))
        } else {
            Err(CreateBoardError::SettingsUnseen(Box::new(record.board)))
        }
    }

    /// Stores settings for a board not yet created.
    pub(crate) async fn put_settings(
        &self,
        name: &BoardName,
        kind: &KindRecord,
        settings: BoardSettings,
        now: Timestamp,
    ) -> Result<Record, PutSettingsError> {
        let of = name.kind();
        let (call, number) = self.next_call();
        let keys = vec![
            registry_key("kinds"),
            of_kind("boards", of),
            of_kind("settled", of),
            registry_key("due"),
            call,
        ];
        let args = vec![
            number,
            text(&kind.name),
            text(kind.revision.0),
            text(name),
            text(name.subject()),
            text(drawn()?),
            text(settings.shards.get()),
            text(now.millis()),
            text(settings.activity.settings_kept_until(now).millis()),
            text(activity_text(&settings.activity)),
        ];
        let answer = match self.write("put_settings", keys, args).await {
            Err(CallError::Refused(refusal)) => match refusal.code.as_str() {
                "STALE" => return Err(PutSettingsError::StaleKind),
                "CREATED" => return Err(PutSettingsError::AlreadyCreated),
                _ => return Err(StoreError::from(CallError::Refused(refusal)).into()),
            },
            answer => answer.map_err(StoreError::from)?,
        };
        Ok(made(name, &answer)?)
    }

    /// Changes the activity of a created board from that of `board`, before `until`.
    pub(crate) async fn change_activity(
        &self,
        board: &BoardRecord,
        activity: Activity,
        until: Instant,
    ) -> Result<Record, ChangeActivityError> {
        let name = &board.name;
        let (call, number) = self.next_call();
        let keys = vec![of_kind("boards", name.kind()), registry_key("due"), call];
        let args = vec![
            number,
            text(name),
            text(name.subject()),
            text(board.incarnation),
            text(activity_text(&board.activity)),
            text(activity_text(&activity)),
        ];
        let call = Call {
            // Later the shards may be written to again, or the board has ended.
            waits_until: Some(until),
            closes: Some(until),
            ..Call::new("change_activity", Effect::Write, keys, args, until)
        };
        match self.call(&call).await {
            Ok(answer) => Ok(made(name, &answer)?),
            Err(CallError::Refused(refusal)) if ["DEAD", "CHANGED"].contains(&&*refusal.code) => {
                Err(ChangeActivityError::Stale)
            }
            Err(error) => Err(StoreError::from(error).into()),
        }
    }
}

/// Returns the bounds of `ZRANGEBYLEX` for the subjects that begin with `prefix` and are behind `after`.
fn subject_range(prefix: &str, after: Option<&Subject>) -> (Bytes, Bytes) {
    let bound = |parts: &[&[u8]]| Bytes::from(parts.concat());
    let from = match after.map(Subject::as_str) {
        Some(after) if after >= prefix => bound(&[b"(", after.as_bytes()]),
        _ if prefix.is_empty() => bound(&[b"-"]),
        _ => bound(&[b"[", prefix.as_bytes()]),
    };
    let to = if prefix.is_empty() {
        bound(&[b"+"])
    } else {
        // UTF-8 does not have this byte, and all that it has is less.
        bound(&[b"(", prefix.as_bytes(), b"\xff"])
    };
    (from, to)
}

/// Returns a new incarnation.
pub(super) fn drawn() -> Result<Incarnation, StoreError> {
    let drawn = getrandom::u64().map(Incarnation);
    drawn.map_err(|error| StoreError::Unavailable(format!("no random numbers: {error}")))
}

fn made(name: &BoardName, answer: &[u8]) -> Result<Record, StoreError> {
    let made = Record::parse_reply(name, answer).and_then(|made| made.ok_or(Garbled("no board")));
    made.map_err(Garbled::in_doubt)
}

fn listed(kind: &KindName, answer: &[u8]) -> Result<Vec<BoardRecord>, Garbled> {
    let mut answer = Unpack::new(answer);
    let count = answer.array()? / 2;
    let boards = (0..count).map(|_| {
        let subject = Subject::new(answer.text()?).map_err(|_| Garbled("no subject"))?;
        let name = BoardName::new(kind.clone(), subject);
        Ok(Record::parse(&name, true, answer.text()?)?.board)
    });
    boards.collect()
}
