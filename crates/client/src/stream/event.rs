//! What a stream tells: [`Event`], [`Changes`].

use std::collections::HashSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::sse::Message;
use crate::answer::{Entry, Envelope, Moved, Place, Top};
use crate::error::Error;
use crate::problem::Problem;

/// What a stream tells.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// The best of the board, whole: at once, after every reconnect, and whenever it has changed.
    Board(Top),
    /// In streams of [`changes`](super::BoardStream::changes): what moved since the event before.
    Changes(Changes),
    /// In streams with a [`member`](super::BoardStream::member): where it stands.
    Member(Box<Place>),
    /// The connection is lost, and made again: until the next event, what was told may be old. Told
    /// once, however often it has to be tried.
    Interrupted(Error),
}

/// What moved in a top since the event before.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Changes {
    /// Of which board, window and moment.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// True while the store is away: the last board that was seen.
    #[serde(default)]
    pub stale: bool,
    /// Who was not there before.
    pub entered: Vec<Moved>,
    /// Who is there no more.
    pub left: Vec<String>,
    /// Who climbed.
    pub up: Vec<Moved>,
    /// Who fell.
    pub down: Vec<Moved>,
    /// Who stands where they stood, with other values.
    pub changed: Vec<Moved>,
}

impl Changes {
    /// Makes the top of the event before the top of now.
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
    /// Reads an event; none if it is of a sort that is not known here.
    pub(super) fn read(message: &Message) -> Result<Option<Self>, Error> {
        Ok(Some(match &*message.event {
            "board" => Self::Board(parsed(&message.data)?),
            "changes" => Self::Changes(parsed(&message.data)?),
            "member" => Self::Member(Box::new(parsed(&message.data)?)),
            "problem" => {
                let problem = Problem::told(message.data.as_bytes());
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
        json!({"rank": n, "member": member, "points": 100 - n, "reached_at": "2026-11-20T14:52:22.123Z"})
    }

    fn about(version: &str, more: &Value) -> Value {
        let mut told = json!({"board": "gifts/a", "window": "all", "version": version, "members": 9,
            "as_of": "2026-11-20T14:52:22.123Z"});
        let more = more.as_object().unwrap().clone();
        told.as_object_mut().unwrap().extend(more);
        told
    }

    #[test]
    fn changes_make_one_top_the_next() {
        let entries = |members: &str| -> Vec<Value> {
            let members = members.split(' ').enumerate();
            members.map(|(n, member)| entry(n + 1, member)).collect()
        };
        let top = |version, members| -> Top {
            let told = about(version, &json!({"entries": entries(members)}));
            serde_json::from_value(told).unwrap()
        };
        let moved = |n: usize, member| {
            let mut moved = entry(n, member);
            moved["position"] = n.into();
            moved
        };
        let mut shown = top("1", "a b c d e");
        // f enters first, d climbs, a and b fall, c stays behind them with other values, e leaves.
        let changes = about(
            "2",
            &json!({"entered": [moved(1, "f")], "left": ["e"], "up": [moved(2, "d")],
                "down": [moved(3, "a"), moved(4, "b")], "changed": [moved(5, "c")]}),
        );
        let changes: Changes = serde_json::from_value(changes).unwrap();
        changes.apply(&mut shown);
        assert_eq!(shown, top("2", "f d a b c"));
    }

    #[test]
    fn sorts_that_are_not_known_are_skipped() {
        let message = |event: &str, data: &str| Message {
            event: event.to_owned(),
            data: data.to_owned(),
        };
        assert!(Event::read(&message("fireworks", "!")).unwrap().is_none());
        assert!(Event::read(&message("board", "!")).is_err());
        let place = about("1", &json!({"rank": null, "member": "u"})).to_string();
        let Some(Event::Member(place)) = Event::read(&message("member", &place)).unwrap() else {
            panic!("no member");
        };
        assert_eq!((place.found.rank, place.position), (None, None));
    }
}
