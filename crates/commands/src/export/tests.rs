//! Exports of windows that change meanwhile, compared with the members that must be in them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Mutex;

use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::output::Output;
use super::page::{Page, PageEntry};
use super::seen::SeenMembers;
use super::window::{Order, PASSES_MAX, Pages, export};
use super::{Counts, Export};
use crate::delivery::{Halt, Stop};
use crate::reads::Reads;
use crate::runtime::Runtime;
use crate::scripted::{Reply, TestServer};

const PAGE: usize = 1_000;

/// A board in memory that `change` modifies before each page.
struct Live<F> {
    points: BTreeMap<String, i64>,
    version: u64,
    pages: u64,
    change: F,
}

impl<F: FnMut(&mut BTreeMap<String, i64>, u64) -> bool> Pages for Live<F> {
    fn page<T>(
        &mut self,
        order: Order,
        after: Option<&str>,
        visit: impl FnOnce(&Page<'_>) -> Result<T, Halt>,
    ) -> Result<T, Halt> {
        self.pages += 1;
        self.version += u64::from((self.change)(&mut self.points, self.pages));
        let mut keys: Vec<(i64, &str)> =
            self.points.iter().map(|(m, p)| (-*p, m.as_str())).collect();
        keys.sort_unstable();
        if order == Order::WorstFirst {
            keys.reverse();
        }
        if let Some((points, member)) = after.and_then(|after| after.split_once(' ')) {
            let last = (points.parse().unwrap(), member);
            keys.retain(|key| match order {
                Order::BestFirst => *key > last,
                Order::WorstFirst => *key < last,
            });
        }
        let has_more = keys.len() > PAGE;
        keys.truncate(PAGE);
        let next = keys.last().filter(|_| has_more);
        let next = next.map(|(points, member)| format!("{points} {member}"));
        let entries = keys.iter().map(
            |(points, member)| json!({"member": member, "points": -points, "reached_at": "t"}),
        );
        let entries: Vec<Value> = entries.collect();
        let text = json!({"board": "k/s", "window": "all", "version": self.version.to_string(),
            "members": self.points.len(), "entries": entries, "next": next})
        .to_string();
        visit(&serde_json::from_str(&text).unwrap())
    }
}

/// Exports a board. Returns the written members and points, and the number of members that the last pass found.
fn run<F: FnMut(&mut BTreeMap<String, i64>, u64) -> bool>(
    live: &mut Live<F>,
) -> (HashMap<String, i64>, u64) {
    let mut written = HashMap::new();
    let mut write = |_: &Page<'_>, entry: &PageEntry<'_>| {
        let member: String = serde_json::from_str(entry.member.get()).unwrap();
        let points = entry.points.unwrap().get().parse().unwrap();
        assert_eq!(written.insert(member, points), None, "twice");
        Ok(())
    };
    let found_last = export(live, &mut SeenMembers::new(100_000), &mut write).unwrap();
    (written, found_last)
}

fn board(members: u64) -> BTreeMap<String, i64> {
    (0..members)
        .map(|n| (format!("m{n:05}"), i64::try_from(n).unwrap() * 10))
        .collect()
}

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn member(&mut self, members: u64) -> String {
        format!("m{:05}", self.below(members))
    }
}

#[test]
fn an_unchanged_board_is_read_once() {
    for (members, pages) in [(0, 1), (1, 1), (1_000, 1), (1_001, 2), (5_000, 5)] {
        let points = board(members);
        let mut live = Live {
            points: points.clone(),
            version: 0,
            pages: 0,
            change: |_: &mut _, _| false,
        };
        assert_eq!(run(&mut live), (points.into_iter().collect(), 0));
        assert_eq!(live.pages, pages, "{members}");
    }
}

#[test]
fn members_that_climb_or_fall_are_exported_once() {
    for seed in 1..=40 {
        for direction in [1, -1] {
            let points = board(5_000);
            let mut random = Random(seed);
            let mut live = Live {
                points: points.clone(),
                version: 0,
                pages: 0,
                // Twenty members cross the board between two pages, and two are new.
                change: |points: &mut BTreeMap<String, i64>, page| {
                    for n in 0..2 {
                        points.insert(format!("new-{page}-{n}"), 25_000);
                    }
                    for _ in 0..20 {
                        *points.get_mut(&random.member(5_000)).unwrap() += direction * 60_000;
                    }
                    true
                },
            };
            let (written, _) = run(&mut live);
            let missed: Vec<_> = points
                .keys()
                .filter(|m| !written.contains_key(*m))
                .collect();
            assert_eq!(missed, [""; 0], "seed {seed}, {direction}");
        }
    }
}

#[test]
fn only_members_that_climb_and_fall_may_be_missing() {
    for seed in 1..=40 {
        let points = board(3_000);
        let mut random = Random(seed);
        let (mut climbed, mut fell) = (BTreeSet::new(), BTreeSet::new());
        let mut live = Live {
            points: points.clone(),
            version: 0,
            pages: 0,
            change: |points: &mut BTreeMap<String, i64>, _| {
                for _ in 0..40 {
                    let (up, down) = (random.member(3_000), random.member(3_000));
                    *points.get_mut(&up).unwrap() += 40_000;
                    *points.get_mut(&down).unwrap() -= 40_000;
                    climbed.insert(up);
                    fell.insert(down);
                }
                true
            },
        };
        let (written, _) = run(&mut live);
        for member in points.keys().filter(|m| !written.contains_key(*m)) {
            assert!(
                climbed.contains(member) && fell.contains(member),
                "{member}"
            );
        }
    }
}

#[test]
fn the_export_ends_after_a_pass_without_new_members() {
    let mut live = Live {
        points: board(5_000),
        version: 0,
        pages: 0,
        change: |points: &mut BTreeMap<String, i64>, page| {
            if page == 3 {
                // Two pages were read; an unread member climbs above them.
                points.insert("m00000".to_owned(), 1_000_000);
            }
            page == 3
        },
    };
    let (written, found_last) = run(&mut live);
    assert_eq!((written["m00000"], written.len()), (1_000_000, 5_000));
    // The second pass finds the member, and all its pages have the same version.
    assert_eq!((found_last, live.pages), (0, 5 + 5));
}

#[test]
fn new_members_in_each_pass_are_reported_and_end() {
    let mut live = Live {
        points: board(3_000),
        version: 0,
        pages: 0,
        change: |points: &mut BTreeMap<String, i64>, page| {
            points.insert(format!("best{page}"), 40_000);
            points.insert(format!("worst{page}"), -1);
            true
        },
    };
    let (written, found_last) = run(&mut live);
    assert!(written.len() > 3_000 && found_last > 0, "{found_last}");
    assert_eq!(live.pages, 4 * u64::from(PASSES_MAX));
}

#[test]
fn a_window_with_too_many_members_is_an_error() {
    let mut live = Live {
        points: board(2_000),
        version: 0,
        pages: 0,
        change: |_: &mut _, _| false,
    };
    let outcome = export(&mut live, &mut SeenMembers::new(1_500), &mut |_, _| Ok(()));
    assert_eq!(
        outcome,
        Err(Halt::Failed(
            "more than 1500 members in one window".to_owned()
        ))
    );
}

#[test]
fn a_window_that_is_deleted_during_the_export_is_reported() {
    let server = TestServer::start(|before, _| {
        let windows = json!({"board": "k/s", "window": "hour:a", "version": "7.a.1", "members": 1, "shards": 1,
            "as_of": "2026-11-20T14:52:22Z", "store": "memory",
            "windows": [{"window": "hour:a", "members": 1}, {"window": "all", "members": 1}]});
        let page = |window: &str, members: u32, next: Option<&str>| {
            json!({"board": "k/s", "window": window, "version": "7.a.1", "members": members, "next": next,
                "entries": [{"member": "u", "points": 1, "reached_at": "t"}]})
        };
        match before {
            0 => Reply::ok(windows.to_string()),
            1 => Reply::ok(page("hour:a", 2_000, Some("x")).to_string()),
            2 => Reply::Answer(410, "", json!({"title": "Gone"}).to_string()),
            _ => Reply::ok(page("all", 1, None).to_string()),
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.ndjson");
    let said = Mutex::new(Vec::new());
    let runtime = Runtime::start().unwrap();
    let mut export = Export {
        reads: Reads {
            runtime: &runtime,
            client: &server.args().client().unwrap(),
            stop: &Stop::default(),
            say: &|message| said.lock().unwrap().push(message),
        },
        output: Output::open(Some(&path)).unwrap(),
        progress: &ProgressBar::hidden(),
        counts: Counts::default(),
    };
    let board = "k/s".parse().unwrap();
    assert_eq!(export.board(&board, &[]), Ok(()));
    assert_eq!((export.counts.windows, export.counts.standings), (1, 2));
    export.output.finish().unwrap();
    let expected = "k/s hour:a: reached the end of its retention while it was read, after 1 of its \
                    standings";
    assert_eq!(*said.lock().unwrap(), [expected]);
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
}
