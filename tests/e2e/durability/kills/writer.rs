//! Who writes until nobody answers: [`Writer`], in requests of every sort.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use end_to_end::dice::Dice;
use end_to_end::{Server, ndjson};
use serde_json::{Value, json};

use super::item::{BOARDS, DAYS, Item, Place, Sent};

/// Members that all writers give to.
const SHARED_MEMBERS: usize = 40;

/// How much is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Contributions of a batch under ids, at most.
    pub(crate) batch_max: usize,
    /// Members of a writer's own, and contributions of a batch without ids, at most.
    pub(crate) own_members: usize,
    /// The length of a member's name.
    pub(crate) member_bytes: usize,
}

/// One connection's worth of requests.
pub(super) struct Writer {
    /// What its members and ids begin with.
    name: String,
    /// What its ids begin with, for this life of it.
    life: String,
    load: Load,
    dice: Dice,
    sent: Vec<Sent>,
}

impl Writer {
    pub(super) fn new(round: usize, number: usize, load: Load, dice: Dice) -> Self {
        Self {
            name: format!("w{number}"),
            life: format!("r{round}-w{number}"),
            load,
            dice,
            sent: Vec::new(),
        }
    }

    /// Writes until there is no answer; all that it sent.
    pub(super) fn write(mut self, server: &Server, answers: &AtomicUsize) -> Vec<Sent> {
        loop {
            let lines = self.dice.throw(2) == 0;
            let sort = self.dice.throw(5);
            let items = match sort {
                0 => vec![self.shared()],
                1 | 2 => {
                    let count = 1 + self.dice.throw(self.load.batch_max);
                    (0..count).map(|_| self.shared()).collect()
                }
                3 => self.own(1),
                _ => self.own(self.load.own_members),
            };
            let told = match sort {
                2 => twice(server, &items, lines),
                _ => once(server, &items, lines),
            };
            let answered = told != Told::Nothing;
            let sent = items.into_iter().map(|item| Sent { item, answered });
            self.sent.extend(sent);
            if told != Told::Whole {
                return self.sent;
            }
            answers.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Under an id, to whoever others may give to as well.
    fn shared(&mut self) -> Item {
        let member = format!("m{}", self.dice.throw(SHARED_MEMBERS));
        let id = format!(
            "{}-{}-{}",
            self.life,
            self.sent.len(),
            self.dice.throw(1 << 40)
        );
        self.item(member, Some(id))
    }

    /// Without ids, each to another member: whether it counted can be seen.
    fn own(&mut self, most: usize) -> Vec<Item> {
        let members = self.load.own_members;
        let first = self.dice.throw(members);
        let count = 1 + self.dice.throw(most);
        (first..first + count)
            .map(|n| {
                let member = format!("{}-own-{}", self.name, n % members);
                self.item(member, None)
            })
            .collect()
    }

    fn item(&mut self, mut member: String, id: Option<String>) -> Item {
        while member.len() < self.load.member_bytes {
            member.push('.');
        }
        let place = Place {
            board: self.dice.throw(BOARDS.len()),
            day: self.dice.throw(DAYS),
            member,
        };
        let points = i64::try_from(1 + self.dice.throw(1000)).unwrap();
        Item { place, points, id }
    }
}

/// What a writer was told of a request.
#[derive(PartialEq, Eq)]
enum Told {
    /// All is there, and the server as well.
    Whole,
    /// All is there, and the server is gone.
    Last,
    /// The server is gone.
    Nothing,
}

/// Sends items that were never sent before.
fn once(server: &Server, items: &[Item], lines: bool) -> Told {
    match send(server, items, lines) {
        Some(counts) => {
            assert_eq!(counts, [items.len(), 0]);
            Told::Whole
        }
        None => Told::Nothing,
    }
}

/// Sends items by two connections at once. A duplicate is as durable as what it is one of, so that
/// one answer is enough.
fn twice(server: &Server, items: &[Item], lines: bool) -> Told {
    let [first, second] = thread::scope(|scope| {
        let other = scope.spawn(|| send(server, items, lines));
        let first = send(server, items, lines);
        [first, other.join().unwrap()]
    });
    match (first, second) {
        (None, None) => Told::Nothing,
        (Some(first), Some(second)) => {
            assert_eq!(first[0] + second[0], items.len());
            Told::Whole
        }
        _ => Told::Last,
    }
}

/// How many were applied and how many duplicates, if that was answered. Whoever is answered at all is
/// told of all: nothing here can be refused.
fn send(server: &Server, items: &[Item], lines: bool) -> Option<[usize; 2]> {
    let items: Vec<Value> = items.iter().map(Item::json).collect();
    let (form, body) = match &items[..] {
        _ if lines => ("application/x-ndjson", ndjson(&items)),
        [item] => ("application/json", item.to_string()),
        items => ("application/json", json!(items).to_string()),
    };
    let headers = [("content-type", form)];
    let answer = server.try_send("POST", "/v1/contributions", &headers, body);
    let receipt = answer.ok()?.ok();
    let counts = ["applied", "duplicates"].map(|count| receipt[count].as_u64().unwrap());
    let counts = counts.map(|count| usize::try_from(count).unwrap());
    assert_eq!(counts[0] + counts[1], items.len(), "{receipt}");
    Some(counts)
}
