//! Encodes events as records.

use board::{Incarnation, KindName, Timestamp, Window};

use super::super::bytes::{
    put_activity, put_name, put_profile, put_time, put_u16, put_u64, put_varint, put_window,
};
use super::{Type, applied};
use engine::Event;
use shard_store::kind_text;
use shard_store::{BoardRecord, ProfileChange};

/// The time to which the starts of windows are relative in records without a time of their own.
pub(super) const EPOCH: Timestamp = Timestamp::from_millis(0);

/// Appends an event's record.
pub fn encode(event: &Event<'_>, out: &mut Vec<u8>) {
    match event {
        Event::KindWritten {
            record,
            without_boards,
        } => {
            out.push(Type::KindWritten as u8);
            out.push(u8::from(*without_boards));
            kind_text::encode_record(out, record);
        }
        Event::BoardMade { record, at } => board_made(out, record, *at),
        Event::BoardCreated { incarnation, at } => {
            begin(out, Type::BoardCreated, *incarnation);
            put_time(out, *at);
        }
        Event::ActivityChanged {
            incarnation,
            activity,
        } => {
            begin(out, Type::ActivityChanged, *incarnation);
            put_activity(out, activity);
        }
        Event::Applied(applied_batch) => {
            begin(out, Type::Applied, applied_batch.incarnation);
            applied::put(out, applied_batch);
        }
        Event::WindowsDropped {
            incarnation,
            shard,
            windows,
        } => windows_dropped(out, *incarnation, *shard, windows),
        Event::BoardEmptied { incarnation } => begin(out, Type::BoardEmptied, *incarnation),
        Event::BoardSplit { incarnation } => begin(out, Type::BoardSplit, *incarnation),
        Event::BoardEnded { incarnation } => begin(out, Type::BoardEnded, *incarnation),
        Event::ProfileChanged { kind, change } => profile_changed(out, kind, change),
    }
}

fn profile_changed(out: &mut Vec<u8>, kind: &KindName, change: &ProfileChange) {
    let of = match change.profile {
        Some(_) => Type::ProfilePut,
        None => Type::ProfileDeleted,
    };
    out.push(of as u8);
    put_name(out, kind.as_bytes());
    put_name(out, change.member.as_bytes());
    if let Some(profile) = &change.profile {
        put_profile(out, profile);
    }
}

fn begin(out: &mut Vec<u8>, of: Type, incarnation: Incarnation) {
    out.push(of as u8);
    put_u64(out, incarnation.0);
}

fn board_made(out: &mut Vec<u8>, record: &BoardRecord, at: Timestamp) {
    begin(out, Type::BoardMade, record.incarnation);
    put_time(out, at);
    out.push(u8::from(record.created));
    put_u16(out, record.shards.get());
    put_u64(out, record.meaning.0);
    put_name(out, record.name.kind().as_bytes());
    put_name(out, record.name.subject().as_bytes());
    put_activity(out, &record.activity);
}

fn windows_dropped(out: &mut Vec<u8>, incarnation: Incarnation, shard: u16, windows: &[Window]) {
    begin(out, Type::WindowsDropped, incarnation);
    put_u16(out, shard);
    put_varint(out, windows.len() as u64);
    for window in windows {
        put_window(out, *window, EPOCH);
    }
}
