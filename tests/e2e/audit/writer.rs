//! Who writes until the work ends or nobody answers: [`Writer`], in requests of every sort.

use std::thread;

use serde_json::{Value, json};
use testkit::dice::Dice;
use testkit::{Server, ndjson};

use super::item::{BOARDS, DAYS, Item, Place, Reported, Sent};
use super::tally::Tally;
use super::{BETWEEN, EAGER};

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
    /// What its ids begin with, for this incarnation of it.
    incarnation: String,
    load: Load,
    dice: Dice,
    sent: Vec<Sent>,
    /// How often its own members were given up for others: what became of the last contribution to
    /// some of them is not known, and nothing else of theirs is to be open.
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

    /// Writes until the work ends or there is no answer; all that it sent.
    pub(super) fn write(mut self, server: &Server, tally: &Tally) -> Vec<Sent> {
        for request in 0.. {
            if tally.has_ended() {
                break;
            }
            if request > EAGER {
                thread::sleep(BETWEEN);
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
            let answer = match sort {
                2 => twice(server, &items, lines, tally),
                _ => once(server, &items, lines),
            };
            if answer.was_last {
                tally.is_gone();
            } else {
                tally.answered(&items, &answer.reported);
            }
            let reported = answer.reported.iter();
            let sent = items.into_iter().zip(reported.copied());
            self.sent
                .extend(sent.map(|(item, reported)| Sent { item, reported }));
            if sort > 2 && answer.reported.contains(&Reported::Unknown) {
                self.given_up += 1;
            }
            if answer.was_last {
                break;
            }
        }
        self.sent
    }

    /// Under an id, to whoever others may give to as well.
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

    /// Without ids, each to another member: whether it counted can be seen.
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
        let place = Place {
            board: self.dice.below(BOARDS.len()),
            day: self.dice.below(DAYS),
            member,
        };
        let points = i64::try_from(1 + self.dice.below(1000)).unwrap();
        Item { place, points, id }
    }
}

/// The answer to a request: what it reports of each item.
struct Answer {
    reported: Vec<Reported>,
    /// The server is gone.
    was_last: bool,
}

/// What a receipt reports of items, and how many of them were applied just then.
struct Receipt {
    reported: Vec<Reported>,
    applied: usize,
}

/// Sends items that were never sent before.
fn once(server: &Server, items: &[Item], lines: bool) -> Answer {
    match send(server, items, lines) {
        Some(Receipt { reported, applied }) => {
            let there = reported
                .iter()
                .filter(|reported| **reported == Reported::Applied);
            // Whatever else it may have tried, the server knows of no duplicate.
            assert_eq!(applied, there.count());
            Answer {
                reported,
                was_last: false,
            }
        }
        None => Answer {
            reported: vec![Reported::Unknown; items.len()],
            was_last: true,
        },
    }
}

/// Sends items by two connections at once. A duplicate is as durable as what it is one of, so that
/// one answer is enough.
/// Of what was lost in between, both may have been the first.
fn twice(server: &Server, items: &[Item], lines: bool, tally: &Tally) -> Answer {
    let [first, second] = thread::scope(|scope| {
        let other = scope.spawn(|| send(server, items, lines));
        let first = send(server, items, lines);
        [first, other.join().unwrap()]
    });
    let was_last = first.is_none() || second.is_none();
    let silent = || vec![Reported::Unknown; items.len()];
    let of_one =
        |one: &Option<Receipt>| one.as_ref().map_or_else(silent, |one| one.reported.clone());
    let pairs = of_one(&first).into_iter().zip(of_one(&second));
    let reported = pairs.map(|pair| match pair {
        (Reported::Applied, _) | (_, Reported::Applied) => Reported::Applied,
        (Reported::Unavailable, Reported::Unavailable) => Reported::Unavailable,
        _ => Reported::Unknown,
    });
    let reported = reported.collect();
    // Asked after the answers: losses may have begun in between.
    if let (Some(first), Some(second), false) = (first, second, tally.expects_losses()) {
        let applied = first.applied + second.applied;
        assert!(applied <= items.len(), "{applied} of {}", items.len());
        let mut all = first.reported.iter().chain(&second.reported);
        if all.all(|reported| *reported == Reported::Applied) {
            assert_eq!(applied, items.len());
        }
    }
    Answer { reported, was_last }
}

/// What was reported of each item, if there was an answer.
fn send(server: &Server, items: &[Item], lines: bool) -> Option<Receipt> {
    let items: Vec<Value> = items.iter().map(Item::json).collect();
    let (form, body) = match &items[..] {
        _ if lines => ("application/x-ndjson", ndjson(&items)),
        [item] => ("application/json", item.to_string()),
        items => ("application/json", json!(items).to_string()),
    };
    let headers = [("content-type", form)];
    let answer = server.try_send("POST", "/v1/contributions", &headers, body);
    let answer = answer.ok()?;
    assert!([200, 503].contains(&answer.status), "{answer:?}");
    let receipt = answer.value();
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
