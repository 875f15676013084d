//! A writer that sends requests of several kinds until the run ends or the server is gone:
//! [`Writer`].

use std::thread;

use serde_json::{Value, json};
use testkit::dice::Dice;
use testkit::{Server, ndjson};

use super::item::{Account, BOARDS, DAYS, Item, Reported, Sent};
use super::load::{EAGER, Load, REQUEST_PAUSE};
use super::tally::Tally;

/// The number of members that all writers contribute to.
const SHARED_MEMBERS: usize = 40;

/// A writer, on one connection.
pub(super) struct Writer {
    /// The prefix of its members.
    name: String,
    /// The prefix of its ids, unique for this round.
    incarnation: String,
    load: Load,
    dice: Dice,
    sent: Vec<Sent>,
    /// How often its own members were replaced: if the last contribution to one of them is unknown,
    /// the member can have no further ones.
    given_up: usize,
}

impl Writer {
    pub(super) fn new(round: usize, number: usize, load: Load, dice: Dice) -> Self {
        Self {
            name: format!("w{number}"),
            incarnation: format!("r{round}-w{number}"),
            load,
            dice,
            sent: Vec::new(),
            given_up: 0,
        }
    }

    /// Writes until the run ends or the server is gone. Returns all that was sent.
    pub(super) fn write(mut self, server: &Server, tally: &Tally) -> Vec<Sent> {
        for request in 0.. {
            if tally.has_ended() {
                break;
            }
            if request > EAGER {
                thread::sleep(REQUEST_PAUSE);
            }
            let lines = self.dice.below(2) == 0;
            let sort = self
                .dice
                .below(if self.load.own_members > 0 { 5 } else { 3 });
            let items = match sort {
                0 => vec![self.shared()],
                1 | 2 => {
                    let count = 1 + self.dice.below(self.load.batch_max);
                    (0..count).map(|_| self.shared()).collect()
                }
                3 => self.own(1),
                _ => self.own(self.load.own_members),
            };
            let outcomes = match sort {
                2 => twice(server, &items, lines, tally),
                _ => once(server, &items, lines),
            };
            if outcomes.server_is_gone {
                tally.record_gone();
            } else {
                tally.record(&items, &outcomes.reported);
            }
            let reported = outcomes.reported.iter();
            let sent = items.into_iter().zip(reported.copied());
            self.sent
                .extend(sent.map(|(item, reported)| Sent { item, reported }));
            if sort > 2 && outcomes.reported.contains(&Reported::Unknown) {
                self.given_up += 1;
            }
            if outcomes.server_is_gone {
                break;
            }
        }
        self.sent
    }

    /// Returns a contribution with an id, to a member that other writers may contribute to.
    fn shared(&mut self) -> Item {
        let member = format!("m{}", self.dice.below(SHARED_MEMBERS));
        let id = format!(
            "{}-{}-{}",
            self.incarnation,
            self.sent.len(),
            self.dice.below(1 << 40)
        );
        self.item(member, Some(id))
    }

    /// Returns contributions without ids, each to another member, so that the standings show which
    /// counted.
    fn own(&mut self, most: usize) -> Vec<Item> {
        let members = self.load.own_members;
        let first = self.dice.below(members);
        let count = 1 + self.dice.below(most);
        (first..first + count)
            .map(|n| {
                let member = format!("{}-own-{}-{}", self.name, n % members, self.given_up);
                self.item(member, None)
            })
            .collect()
    }

    fn item(&mut self, mut member: String, id: Option<String>) -> Item {
        while member.len() < self.load.member_bytes {
            member.push('.');
        }
        let account = Account {
            board: self.dice.below(BOARDS.len()),
            day: self.dice.below(DAYS),
            member,
        };
        let points = i64::try_from(1 + self.dice.below(1000)).unwrap();
        Item {
            account,
            points,
            id,
        }
    }
}

/// The reported outcomes of a request.
struct Outcomes {
    reported: Vec<Reported>,
    /// Whether the server is gone.
    server_is_gone: bool,
}

/// The outcomes in a receipt, and how many items were applied by this request.
struct Receipt {
    reported: Vec<Reported>,
    applied: usize,
}

/// Sends items for the first time.
fn once(server: &Server, items: &[Item], lines: bool) -> Outcomes {
    match send(server, items, lines) {
        Some(Receipt { reported, applied }) => {
            let there = reported
                .iter()
                .filter(|reported| **reported == Reported::Applied);
            // Although the client may retry, the server cannot detect a duplicate.
            assert_eq!(applied, there.count());
            Outcomes {
                reported,
                server_is_gone: false,
            }
        }
        None => Outcomes {
            reported: vec![Reported::Unknown; items.len()],
            server_is_gone: true,
        },
    }
}

/// Sends items on two connections at once. A duplicate is as durable as the original, so one
/// response is enough. If the store loses data in between, both may be applied.
fn twice(server: &Server, items: &[Item], lines: bool, tally: &Tally) -> Outcomes {
    let [first, second] = thread::scope(|scope| {
        let other = scope.spawn(|| send(server, items, lines));
        let first = send(server, items, lines);
        [first, other.join().unwrap()]
    });
    let server_is_gone = first.is_none() || second.is_none();
    let unknown = || vec![Reported::Unknown; items.len()];
    let of_one = |one: &Option<Receipt>| {
        one.as_ref()
            .map_or_else(unknown, |one| one.reported.clone())
    };
    let pairs = of_one(&first).into_iter().zip(of_one(&second));
    let reported = pairs.map(|pair| match pair {
        (Reported::Applied, _) | (_, Reported::Applied) => Reported::Applied,
        (Reported::Unavailable, Reported::Unavailable) => Reported::Unavailable,
        _ => Reported::Unknown,
    });
    let reported = reported.collect();
    // Checked after the responses, since losses may have begun in between.
    if let (Some(first), Some(second), false) = (first, second, tally.expects_losses()) {
        let applied = first.applied + second.applied;
        assert!(applied <= items.len(), "{applied} of {}", items.len());
        let mut all = first.reported.iter().chain(&second.reported);
        if all.all(|reported| *reported == Reported::Applied) {
            assert_eq!(applied, items.len());
        }
    }
    Outcomes {
        reported,
        server_is_gone,
    }
}

/// Returns the reported outcome of each item, or `None` without a response.
fn send(server: &Server, items: &[Item], lines: bool) -> Option<Receipt> {
    let items: Vec<Value> = items.iter().map(Item::json).collect();
    let (form, body) = match &items[..] {
        _ if lines => ("application/x-ndjson", ndjson(&items)),
        [item] => ("application/json", item.to_string()),
        items => ("application/json", json!(items).to_string()),
    };
    // Some wait for an unavailable store, others do not: they are in calls of their own.
    let wait = if lines { "wait=0" } else { "wait=15" };
    let headers = [("content-type", form), ("prefer", wait)];
    let response = server.try_send("POST", "/v1/contributions", &headers, body);
    let response = response.ok()?;
    assert!([200, 503].contains(&response.status), "{response:?}");
    let receipt = response.value();
    let mut reported = vec![Reported::Applied; items.len()];
    for failure in receipt["failed"].as_array().into_iter().flatten() {
        let index = usize::try_from(failure["index"].as_u64().unwrap()).unwrap();
        let before = std::mem::replace(&mut reported[index], reported_by(failure));
        assert_eq!(
            before,
            Reported::Applied,
            "{index} is reported twice: {receipt}"
        );
    }
    let there = reported
        .iter()
        .filter(|reported| **reported == Reported::Applied)
        .count();
    let counts = ["applied", "duplicates"].map(|count| receipt[count].as_u64().unwrap());
    let [applied, duplicates] = counts.map(|count| usize::try_from(count).unwrap());
    assert_eq!(applied + duplicates, there, "{receipt}");
    Some(Receipt { reported, applied })
}

fn reported_by(failure: &Value) -> Reported {
    match failure["type"].as_str() {
        Some("overloaded" | "unavailable") => Reported::Unavailable,
        Some("unknown") => Reported::Unknown,
        _ => panic!("{failure}"),
    }
}
