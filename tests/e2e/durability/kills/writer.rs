//! Who writes until nobody answers: [`Writer`], in requests of every sort.

use std::sync::atomic::{AtomicUsize, Ordering};

use end_to_end::dice::Dice;
use end_to_end::{Server, ndjson};
use serde_json::{Value, json};

use super::item::{BOARDS, DAYS, Item, Place, Sent};

/// Members that all writers give to.
const SHARED_MEMBERS: usize = 40;

/// Members of a writer's own, on each board.
const OWN_MEMBERS: usize = 30;

/// Contributions of a batch, at most.
const BATCH_MAX: usize = 50;

/// One connection's worth of requests.
pub(super) struct Writer {
    /// What its members and ids begin with.
    name: String,
    /// What its ids begin with, for this life of it.
    life: String,
    dice: Dice,
    sent: Vec<Sent>,
}

impl Writer {
    pub(super) fn new(round: usize, number: usize, dice: Dice) -> Self {
        Self {
            name: format!("w{number}"),
            life: format!("r{round}-w{number}"),
            dice,
            sent: Vec::new(),
        }
    }

    /// Writes until there is no answer; all that it sent.
    pub(super) fn write(mut self, server: &Server, answers: &AtomicUsize) -> Vec<Sent> {
        loop {
            let lines = self.dice.throw(2) == 0;
            let items = match self.dice.throw(4) {
                0 => vec![self.shared()],
                1 => (0..=self.dice.throw(BATCH_MAX))
                    .map(|_| self.shared())
                    .collect(),
                2 => self.own(1),
                _ => self.own(OWN_MEMBERS),
            };
            let answered = send(server, &items, lines);
            let sent = items.into_iter().map(|item| Sent { item, answered });
            self.sent.extend(sent);
            if !answered {
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
        let first = self.dice.throw(OWN_MEMBERS);
        let count = 1 + self.dice.throw(most);
        (first..first + count)
            .map(|n| {
                let member = format!("{}-own-{}", self.name, n % OWN_MEMBERS);
                self.item(member, None)
            })
            .collect()
    }

    fn item(&mut self, member: String, id: Option<String>) -> Item {
        let place = Place {
            board: self.dice.throw(BOARDS.len()),
            day: self.dice.throw(DAYS),
            member,
        };
        let points = i64::try_from(1 + self.dice.throw(1000)).unwrap();
        Item { place, points, id }
    }
}

/// Sends items that were never sent before; false when no answer came.
fn send(server: &Server, items: &[Item], lines: bool) -> bool {
    let items: Vec<Value> = items.iter().map(Item::json).collect();
    let (form, body) = match &items[..] {
        _ if lines => ("application/x-ndjson", ndjson(&items)),
        [item] => ("application/json", item.to_string()),
        items => ("application/json", json!(items).to_string()),
    };
    let headers = [("content-type", form)];
    let Ok(answer) = server.try_send("POST", "/v1/contributions", &headers, body) else {
        return false;
    };
    // Whoever is answered at all is told that all of it was applied: nothing here can be refused.
    let receipt = answer.ok();
    let counts = (&receipt["applied"], &receipt["duplicates"]);
    assert_eq!(counts, (&json!(items.len()), &json!(0)), "{receipt}");
    true
}
