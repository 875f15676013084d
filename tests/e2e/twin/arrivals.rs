//! Contributions without a time, whose order is that in which they were sent: [`Arrivals`].
//!
//! A member joins with the points of all others, and stays behind those before it; or takes another value, the latest of
//! which stays. Whatever the clock does meanwhile, and across kills.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use testkit::dice::Dice;
use testkit::{Server, ndjson};

/// The maximum of contributions in one request.
const BATCH_MAX: usize = 40;

/// The members of a board in the order in which they joined, and the last value of each of another board.
#[derive(Default)]
pub(super) struct Arrivals {
    joined: Vec<String>,
    values: BTreeMap<String, i64>,
}

impl Arrivals {
    /// Puts the kinds, and returns no members yet.
    pub(super) fn new(server: &Server) -> Self {
        for mode in ["accumulate", "latest"] {
            let settings =
                json!({"mode": mode, "windows": ["all"], "shards": 4, "max_staleness": "0s"});
            let response = server.put(format!("/v1/kinds/in-{mode}"), &settings);
            assert!(response.status < 300, "{}", response.body);
        }
        Self::default()
    }

    /// Sends some contributions, in one request or one after the other.
    pub(super) fn write(&mut self, server: &Server, dice: &mut Dice) {
        let items: Vec<Value> = (0..=dice.below(BATCH_MAX))
            .map(|_| self.item(dice))
            .collect();
        let applied = match dice.below(3) {
            0 => server.contribute(&items.clone().into()).ok()["applied"].clone(),
            1 => server.lines(&ndjson(&items)).ok()["applied"].clone(),
            _ => {
                for item in &items {
                    server.contribute(item).ok();
                }
                items.len().into()
            }
        };
        assert_eq!(applied, items.len());
    }

    fn item(&mut self, dice: &mut Dice) -> Value {
        if dice.below(2) == 0 {
            // In neither order of names.
            let name = format!("{}-{}", dice.below(1_000), self.joined.len());
            self.joined.push(name.clone());
            return json!({"board": "in-accumulate/a", "member": name, "points": 7});
        }
        let name = format!("m{}", dice.below(5));
        let points = i64::try_from(dice.below(100)).unwrap();
        self.values.insert(name.clone(), points);
        json!({"board": "in-latest/a", "member": name, "points": points})
    }

    /// Compares the last of those that joined, and all values.
    pub(super) fn check(&self, server: &Server) {
        let len = self.joined.len();
        if len > 0 {
            let from = len.saturating_sub(1_000) + 1;
            let path = format!("/v1/boards/in-accumulate/a/range?from={from}&to={len}");
            let entries = server.get(path).entries();
            let names = entries
                .iter()
                .map(|entry| entry["member"].as_str().unwrap());
            assert!(
                names.eq(self.joined[from - 1..].iter()),
                "the order of arrival"
            );
        }
        for (name, points) in &self.values {
            let shown = server
                .get(format!("/v1/boards/in-latest/a/members/{name}"))
                .ok();
            assert_eq!(shown["points"], *points, "the latest value of {name}");
        }
    }
}
