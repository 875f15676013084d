//! The contributions that must count: [`Ledger`], settled after a failure.

use std::collections::BTreeMap;
use std::thread;

use serde_json::{Value, json};
use testkit::{Server, ndjson};

use super::item::{Account, BOARDS, DAY_WINDOWS, Item, Reported, Sent};

/// The number of concurrent senders.
const SENDERS: usize = 4;

/// Points by account.
type Sums = BTreeMap<Account, i64>;

/// All contributions that count, and their ids.
#[derive(Default)]
pub(crate) struct Ledger {
    sums: Sums,
    known: Vec<Item>,
}

impl Ledger {
    /// Contributes to each board, so that all are created.
    pub(crate) fn begin(server: &Server) -> Self {
        let mut ledger = Self::default();
        for board in 0..BOARDS.len() {
            let account = Account {
                board,
                day: 0,
                member: "first".to_owned(),
            };
            let item = Item {
                account,
                points: 1,
                id: Some("first".to_owned()),
            };
            assert_eq!(receipt(server, &[item.json()]), [1, 0]);
            ledger.count(&item);
            ledger.known.push(item);
        }
        ledger
    }

    /// Compares what a server shows with what was sent: applied contributions are there,
    /// unavailable ones are not, and of unknown ones the ids tell. Then sends the unknown ones, and
    /// the applied ones once more.
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
            // No other contribution of this member was under way.
            if reported == Reported::Unknown
                && held.get(&item.account) != self.sums.get(&item.account)
            {
                self.count(&item);
            }
        }
        let mut missing = Vec::new();
        for (Sent { item, reported }, applied) in sent_again(server, named) {
            if applied {
                missing.push(item);
            } else {
                assert_eq!(
                    reported,
                    Reported::Unknown,
                    "reported as unavailable, but counted: {item:?}"
                );
                self.count(&item);
                self.known.push(item);
            }
        }
        assert_same_sums(&held, &self.sums);
        for item in &missing {
            self.count(item);
        }
        let named = applied.into_iter().map(|sent| sent.item);
        let named: Vec<Item> = named.filter(|item| item.id.is_some()).collect();
        assert_duplicates(server, &named);
        assert_duplicates(server, &missing);
        self.known.extend(named);
        self.known.extend(missing);
        self.assert_matches(server);
    }

    /// Settles after the store may have lost contributions that it answered. Sends everything again
    /// and returns how many were lost; then each counts once. All must have ids.
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
        self.assert_matches(server);
        lost
    }

    /// Asserts that the server has exactly this.
    pub(crate) fn assert_matches(&self, server: &Server) {
        assert_same_sums(&held(server), &self.sums);
    }

    /// Asserts that every id that was sent is remembered.
    pub(crate) fn assert_all_remembered(&self, server: &Server) {
        assert_duplicates(server, &self.known);
    }

    fn count(&mut self, item: &Item) {
        *self.sums.entry(item.account.clone()).or_default() += item.points;
    }
}

/// Asserts that both have the same points.
fn assert_same_sums(held: &Sums, due: &Sums) {
    let accounts = held.keys().chain(due.keys());
    for account in accounts {
        assert_eq!(
            held.get(account),
            due.get(account),
            "held and due: {account:?}"
        );
    }
}

/// Sends contributions one by one. Returns each with whether it was applied only now.
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

fn assert_duplicates(server: &Server, items: &[Item]) {
    for items in items.chunks(5_000) {
        let items: Vec<Value> = items.iter().map(Item::json).collect();
        assert_eq!(receipt(server, &items), [0, items.len()]);
    }
}

/// Returns how many were applied, and how many were duplicates.
fn receipt(server: &Server, items: &[Value]) -> [usize; 2] {
    let receipt = server.lines(&ndjson(items)).ok();
    assert_eq!(receipt["read"], json!(items.len()), "{receipt}");
    ["applied", "duplicates"]
        .map(|count| usize::try_from(receipt[count].as_u64().unwrap()).unwrap())
}

/// Returns all points that a server shows. Each contribution must count in all of its windows or in
/// none.
fn held(server: &Server) -> Sums {
    let mut sums = Sums::new();
    for (board, name) in BOARDS.into_iter().enumerate() {
        let mut whole = BTreeMap::new();
        for (day, window) in DAY_WINDOWS.into_iter().enumerate() {
            for (member, points) in standings(server, name, window) {
                *whole.entry(member.clone()).or_default() += points;
                sums.insert(Account { board, day, member }, points);
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
