//! Events of streams: [`Event`], [`Changes`].

use std::collections::HashSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::sse::Message;
use crate::error::Error;
use crate::problem::Problem;
use crate::responses::{Entry, Envelope, MemberPosition, Moved, Top};

/// An event of a stream.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// The whole top: at first, after each reconnect, and whenever it has changed.
    Board(Top),
    /// The changes since the event before, in streams of [`changes`](crate::BoardStream::changes).
    Changes(Changes),
    /// The rank of a member, in streams with a [`member`](crate::BoardStream::member).
    Member(Box<MemberPosition>),
    /// The connection is lost, and the client reconnects. Until the next event, earlier ones may be
    /// outdated. Reported once, however many attempts there are.
    Interrupted(Error),
}

/// The changes of a top since the event before.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Changes {
    /// The board, window and time.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// True while the store is unavailable: this is the last top that was read.
    #[serde(default)]
    pub stale: bool,
    /// Entries that entered the top.
    pub entered: Vec<Moved>,
    /// Members that left the top.
    pub left: Vec<String>,
    /// Entries that climbed.
    pub up: Vec<Moved>,
    /// Entries that fell.
    pub down: Vec<Moved>,
    /// Entries with the same position and other values.
    pub changed: Vec<Moved>,
}

impl Changes {
    /// Applies the changes to the top of the event before.
    pub fn apply(&self, top: &mut Top) {
        let lists = [&self.entered, &self.up, &self.down, &self.changed];
        let mut moved: Vec<&Moved> = lists.into_iter().flatten().collect();
        moved.sort_by_key(|moved| moved.position);
        let left = self.left.iter().map(String::as_str);
        let named: HashSet<&str> = moved
            .iter()
            .map(|moved| moved.entry.member.as_str())
            .chain(left)
            .collect();
        let mut entries: Vec<Entry> = Vec::with_capacity(top.entries.len() + self.entered.len());
        let stay = |entry: &Entry| !named.contains(entry.member.as_str());
        let mut staying = std::mem::take(&mut top.entries).into_iter().filter(stay);
        for moved in moved {
            while (entries.len() as u64) + 1 < moved.position {
                match staying.next() {
                    Some(entry) => entries.push(entry),
                    None => break,
                }
            }
            entries.push(moved.entry.clone());
        }
        entries.extend(staying);
        top.entries = entries;
        top.envelope = self.envelope.clone();
        top.stale = self.stale;
    }
}

impl Event {
    /// Parses an event. Returns `None` if its type is unknown.
    pub(super) fn read(message: &Message) -> Result<Option<Self>, Error> {
        Ok(Some(match &*message.event {
            "board" => Self::Board(parsed(&message.data)?),
            "changes" => Self::Changes(parsed(&message.data)?),
            "member" => Self::Member(Box::new(parsed(&message.data)?)),
            "problem" => {
                let problem = Problem::from_event(message.data.as_bytes());
                return Err(Error::Problem(problem));
            }
            _ => return Ok(None),
        }))
    }
}

fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(Error::unreadable)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn entry(n: usize, member: &str) -> Value {
        json!({"rank": n, "member": member, "points": 100 - n, "reached_at": "2026-11-20T14:52:22.123000Z"})
    }

    fn with_envelope(version: &str, members: &Value) -> Value {
        let mut event = json!({"board": "gifts/a", "window": "all", "version": version, "members": 9,
            "as_of": "2026-11-20T14:52:22.123000Z"});
        let members = members.as_object().unwrap().clone();
        event.as_object_mut().unwrap().extend(members);
        event
    }

    #[test]
    fn changes_turn_one_top_into_the_next() {
        let entries = |members: &str| -> Vec<Value> {
            let members = members.split(' ').enumerate();
            members.map(|(n, member)| entry(n + 1, member)).collect()
        };
        let top = |version, members| -> Top {
            let event = with_envelope(version, &json!({"entries": entries(members)}));
            serde_json::from_value(event).unwrap()
        };
        let moved = |n: usize, member| {
            let mut moved = entry(n, member);
            moved["position"] = n.into();
            moved
        };
        let mut shown = top("1", "a b c d e");
        // f enters first, d climbs, a and b fall, c has other values, e leaves.
        let changes = with_envelope(
            "2",
            &json!({"entered": [moved(1, "f")], "left": ["e"], "up": [moved(2, "d")],
                "down": [moved(3, "a"), moved(4, "b")], "changed": [moved(5, "c")]}),
        );
        let changes: Changes = serde_json::from_value(changes).unwrap();
        changes.apply(&mut shown);
        assert_eq!(shown, top("2", "f d a b c"));
    }

    #[test]
    fn events_of_unknown_types_are_skipped() {
        let message = |event: &str, data: &str| Message {
            event: event.to_owned(),
            data: data.to_owned(),
        };
        assert!(Event::read(&message("fireworks", "!")).unwrap().is_none());
        assert!(Event::read(&message("board", "!")).is_err());
        let place = with_envelope("1", &json!({"rank": null, "member": "u"})).to_string();
        let Some(Event::Member(place)) = Event::read(&message("member", &place)).unwrap() else {
            panic!("no member");
        };
        assert_eq!((place.found.rank, place.position), (None, None));
    }
}
