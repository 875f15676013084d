//! What has to be there: [`Ledger`], which is settled when the trouble is over.

use std::collections::BTreeMap;
use std::thread;

use serde_json::{Value, json};
use testkit::{Server, ndjson};

use super::item::{BOARDS, DAY_WINDOWS, Item, Place, Reported, Sent};

/// How many send again side by side.
const SENDERS: usize = 4;

/// Points by place.
type Sums = BTreeMap<Place, i64>;

/// All that counts, and under which ids.
#[derive(Default)]
pub(crate) struct Ledger {
    sums: Sums,
    known: Vec<Item>,
}

impl Ledger {
    /// Has something on each board, so that all are created.
    pub(crate) fn begin(server: &Server) -> Self {
        let mut ledger = Self::default();
        for board in 0..BOARDS.len() {
            let place = Place {
                board,
                day: 0,
                member: "first".to_owned(),
            };
            let item = Item {
                place,
                points: 1,
                id: Some("first".to_owned()),
            };
            assert_eq!(receipt(server, &[item.json()]), [1, 0]);
            ledger.count(&item);
            ledger.known.push(item);
        }
        ledger
    }

    /// Holds what a server shows against what was sent before: what was applied is there, what was
    /// unavailable is not, of the rest what it knows the ids of. Then sends the rest, and what was
    /// applied once more.
    pub(crate) fn settle(&mut self, server: &Server, sent: Vec<Sent>) {
        let held = held(server);
        let (applied, rest): (Vec<Sent>, Vec<Sent>) = sent
            .into_iter()
            .partition(|sent| sent.reported == Reported::Applied);
        for Sent { item, .. } in &applied {
            self.count(item);
        }
        let (named, own): (Vec<Sent>, Vec<Sent>) =
            rest.into_iter().partition(|sent| sent.item.id.is_some());
        for Sent { item, reported } in own {
            // Nothing else of this member was open.
            if reported == Reported::Unknown && held.get(&item.place) != self.sums.get(&item.place)
            {
                self.count(&item);
            }
        }
        let mut missing = Vec::new();
        for (Sent { item, reported }, applied) in sent_again(server, named) {
            if applied {
                missing.push(item);
            } else {
                assert_eq!(reported, Reported::Unknown, "it was there: {item:?}");
                self.count(&item);
                self.known.push(item);
            }
        }
        differ_in_nothing(&held, &self.sums);
        for item in &missing {
            self.count(item);
        }
        let named = applied.into_iter().map(|sent| sent.item);
        let named: Vec<Item> = named.filter(|item| item.id.is_some()).collect();
        are_duplicates(server, &named);
        are_duplicates(server, &missing);
        self.known.extend(named);
        self.known.extend(missing);
        self.holds(server);
    }

    /// Settles where a store may have lost what it answered for: sends everything again, and answers how
    /// much of it was lost. Then each counts once. All of it has ids.
    pub(crate) fn settle_losses(&mut self, server: &Server, sent: Vec<Sent>) -> usize {
        let known = self.known.drain(..);
        let known = known.map(|item| Sent {
            item,
            reported: Reported::Applied,
        });
        let sent: Vec<Sent> = known.chain(sent).collect();
        self.sums.clear();
        let mut lost = 0;
        for (Sent { item, reported }, applied) in sent_again(server, sent) {
            assert!(item.id.is_some(), "{item:?}");
            lost += usize::from(applied && reported == Reported::Applied);
            self.count(&item);
            self.known.push(item);
        }
        self.holds(server);
        lost
    }

    /// Exactly this is there.
    pub(crate) fn holds(&self, server: &Server) {
        differ_in_nothing(&held(server), &self.sums);
    }

    /// Every id that was ever sent is remembered.
    pub(crate) fn all_are_remembered(&self, server: &Server) {
        are_duplicates(server, &self.known);
    }

    fn count(&mut self, item: &Item) {
        *self.sums.entry(item.place.clone()).or_default() += item.points;
    }
}

/// Whatever is held is due, and the other way about.
fn differ_in_nothing(held: &Sums, due: &Sums) {
    let places = held.keys().chain(due.keys());
    for place in places {
        assert_eq!(held.get(place), due.get(place), "held and due: {place:?}");
    }
}

/// Sends one by one; of each, whether it was applied only now.
fn sent_again(server: &Server, sent: Vec<Sent>) -> Vec<(Sent, bool)> {
    let part = sent.len().div_ceil(SENDERS).max(1);
    let again = |sent: &Sent| match receipt(server, &[sent.item.json()]) {
        [1, 0] => true,
        [0, 1] => false,
        other => panic!("{other:?}: {sent:?}"),
    };
    let applied: Vec<bool> = thread::scope(|scope| {
        let senders: Vec<_> = sent
            .chunks(part)
            .map(|part| scope.spawn(move || part.iter().map(again).collect::<Vec<_>>()))
            .collect();
        let senders = senders.into_iter();
        senders.flat_map(|sender| sender.join().unwrap()).collect()
    });
    sent.into_iter().zip(applied).collect()
}

fn are_duplicates(server: &Server, items: &[Item]) {
    for items in items.chunks(5_000) {
        let items: Vec<Value> = items.iter().map(Item::json).collect();
        assert_eq!(receipt(server, &items), [0, items.len()]);
    }
}

/// How many were applied, and how many duplicates.
fn receipt(server: &Server, items: &[Value]) -> [usize; 2] {
    let receipt = server.lines(&ndjson(items)).ok();
    assert_eq!(receipt["read"], json!(items.len()), "{receipt}");
    ["applied", "duplicates"]
        .map(|count| usize::try_from(receipt[count].as_u64().unwrap()).unwrap())
}

/// All that a server shows; each contribution has to count in all its windows or in none.
fn held(server: &Server) -> Sums {
    let mut sums = Sums::new();
    for (board, name) in BOARDS.into_iter().enumerate() {
        let mut whole = BTreeMap::new();
        for (day, window) in DAY_WINDOWS.into_iter().enumerate() {
            for (member, points) in standings(server, name, window) {
                *whole.entry(member.clone()).or_default() += points;
                sums.insert(Place { board, day, member }, points);
            }
        }
        assert_eq!(whole, standings(server, name, "all"), "{name}");
    }
    sums
}

fn standings(server: &Server, board: &str, window: &str) -> BTreeMap<String, i64> {
    let mut standings = BTreeMap::new();
    for from in (1..).step_by(1000) {
        let to = from + 999;
        let page = format!("/v1/boards/{board}/range?from={from}&to={to}&window={window}");
        let ranked = server.get(page).ranked();
        if ranked.is_empty() {
            break;
        }
        standings.extend(
            ranked
                .into_iter()
                .map(|(_, member, points)| (member, points)),
        );
    }
    standings
}
