//! `?changes=true`: events with the moves, from which a client updates its top.

use std::collections::BTreeMap;

use serde_json::Value;
use testkit::dice::Dice;
use testkit::{Event, Events, Server};

/// A top updated by the events of a stream.
#[derive(Default)]
struct Kept(BTreeMap<u64, Value>);

/// The streams of a test: each is sent so many entries.
const SHOWN: [usize; 4] = [10, 3, 30, 1];

impl Kept {
    fn take(&mut self, event: &Event) {
        if event.name == "board" {
            let entries = event.entries().iter().cloned();
            self.0 = (1..).zip(entries).collect();
            return;
        }
        assert_eq!(event.name, "changes");
        let list = |name: &str| event.value[name].as_array().unwrap().clone();
        let moved = ["entered", "up", "down", "changed"].map(list).concat();
        let gone = list("left");
        let names = moved.iter().map(|entry| &entry["member"]);
        let names: Vec<&Value> = names.chain(&gone).collect();
        self.0.retain(|_, entry| !names.contains(&&entry["member"]));
        for mut entry in moved {
            let entry_map = entry.as_object_mut().unwrap();
            let position = entry_map.remove("position").unwrap().as_u64().unwrap();
            entry_map.remove("was");
            let there = self.0.insert(position, entry);
            assert!(there.is_none(), "two entries at {position}: {event:?}");
        }
    }

    fn entries(&self) -> Vec<Value> {
        let positions: Vec<u64> = self.0.keys().copied().collect();
        assert_eq!(positions, (1..=positions.len() as u64).collect::<Vec<_>>());
        self.0.values().cloned().collect()
    }
}

#[test]
fn applying_the_moves_gives_the_top() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\nmax_staleness = \"20ms\"\n");
    let mut dice = Dice::of_this_run();
    let mut streams = SHOWN.map(|n| {
        let path = format!("/v1/boards/gifts/a/stream?n={n}&changes=true");
        let mut events = Events::of(&server, &path);
        let mut kept = Kept::default();
        let first = events.event();
        assert_eq!(first.name, "board");
        kept.take(&first);
        (n, events, kept)
    });
    let mut changes = [0; SHOWN.len()];
    for _ in 0..150 {
        let member = format!("u{}", dice.below(30));
        let path = format!("/v1/boards/gifts/a/members/{member}");
        let ranked = server.get(&path).status == 200;
        if ranked && dice.below(6) == 0 {
            server.delete(&path).ok();
        } else {
            let points = i64::try_from(dice.below(40)).unwrap() - 10;
            server.give("gifts/a", &[(&member, points)]);
        }
        let now = server.get("/v1/boards/gifts/a/top?n=30&fresh=true").ok();
        let now = now["entries"].as_array().unwrap();
        for ((n, events, kept), changes) in streams.iter_mut().zip(&mut changes) {
            // A contribution of 0 changes nothing.
            while kept.entries() != now[..now.len().min(*n)] {
                let event = events.event();
                *changes += usize::from(event.name == "changes");
                kept.take(&event);
            }
        }
    }
    assert!(
        changes[..3].iter().all(|changes| *changes > 50),
        "{changes:?} `changes` events"
    );
}
