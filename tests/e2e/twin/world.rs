//! A server and its twin: [`World`].

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use testkit::clock::{DAY_MS, HOUR_MS, MINUTE_MS, rfc3339};
use testkit::dice::Dice;
use testkit::{Launch, Server, eventually};

use super::finals::Finals;
use super::kind::Kind;
use super::possible::Possible;
use super::time::{Time, UNSURE_MS};
use super::{AROUND_MAX, pick};

const KINDS: usize = 10;

const SUBJECTS: [&str; 3] = ["a", "b", "c"];

/// Times that contributions have, at most: few, so that they tie.
const TIMES_MAX: usize = 60;

/// How far a server may be off in what it takes the clock of a node for.
const LATE_MS: i64 = 200;

/// One kind, its boards by subject, and whom it hides.
pub(super) struct Ruled {
    pub(super) kind: Kind,
    pub(super) boards: BTreeMap<&'static str, Possible>,
    pub(super) hidden: BTreeSet<String>,
    /// Counts what may change an answer that is final, of all boards.
    pub(super) changes: Cell<u64>,
}

impl Ruled {
    /// How often something may have changed answers of a board that are final.
    pub(super) fn changes_of(&self, subject: &str) -> u64 {
        self.changes.get() + self.boards[subject].changes.get()
    }
}

pub(super) struct World {
    pub(super) server: Server,
    pub(super) time: Time,
    pub(super) kinds: Vec<Ruled>,
    /// Times that contributions have, the latest last.
    times: Vec<i64>,
    /// When the windows of these times become others.
    ends: Vec<Edge>,
    pub(super) step: usize,
    pub(super) finals: RefCell<Finals>,
}

/// A moment at which something ends: which kind it is of, and what counts there until then.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) when: i64,
    pub(super) ruled: usize,
    pub(super) at: i64,
}

impl World {
    pub(super) fn new(server: Server, time: Time, dice: &mut Dice) -> Self {
        let now = time.now();
        let kinds = (0..KINDS).map(|number| {
            let kind = Kind::drawn(number, now, time.final_late_ms, dice);
            let path = format!("/v1/kinds/{}", kind.name);
            let answer = server.put(&path, &kind.settings());
            assert!(answer.status < 300, "{}: {}", kind.settings(), answer.body);
            let boards = SUBJECTS.map(|subject| (subject, Possible::new()));
            Ruled {
                kind,
                boards: boards.into(),
                hidden: BTreeSet::new(),
                changes: Cell::new(0),
            }
        });
        let kinds = kinds.collect();
        let mut world = Self {
            server,
            time,
            kinds,
            times: Vec::new(),
            ends: Vec::new(),
            step: 0,
            finals: RefCell::default(),
        };
        world.add_times();
        world
    }

    /// Times around this moment, on both sides of it.
    fn add_times(&mut self) {
        let whole = self.time.now() / 1000 * 1000;
        let back = [
            3 * DAY_MS,
            DAY_MS,
            DAY_MS,
            90 * MINUTE_MS,
            2001,
            2000,
            1100,
            1001,
            1000,
            1000,
        ];
        self.times.extend(back.map(|by| whole - by));
        // Ahead of the clock, and by and by behind it.
        let ahead = [5_000, 20_000, 20_000, 60_000, 200_000];
        self.times.extend(ahead.map(|by| whole + by));
        self.times
            .drain(..self.times.len().saturating_sub(TIMES_MAX));
        self.ends.clear();
        for (ruled, of) in self.kinds.iter().enumerate() {
            for at in &self.times {
                let windows = of.kind.windows_at(*at).into_iter();
                let ends = windows.flat_map(|window| [window.closes_at, window.gone_at]);
                let ends = ends.flatten();
                self.ends.extend(ends.map(|when| Edge {
                    when,
                    ruled,
                    at: *at,
                }));
            }
        }
        self.ends.sort_by_key(|edge| edge.when);
        self.ends.dedup_by_key(|edge| (edge.when, edge.ruled));
    }

    /// Shown if the run fails.
    pub(super) fn log(&self, what: &str) {
        println!("step {}, {}: {what}", self.step, rfc3339(self.time.now()));
    }

    /// Kills the server, and starts it again on what it left.
    pub(super) fn killed(mut self, again: fn(Launch) -> Server) -> Self {
        self.log("killed");
        self.server = again(self.server.kill());
        eventually("ready", || {
            (self.server.get("/readyz").status == 200).then_some(())
        });
        self
    }

    /// Sets the clock ahead: a little, over the next edges, or far.
    pub(super) fn jump(&mut self, dice: &mut Dice) {
        let far = self.time.far_ms();
        let most = pick(dice, &[MINUTE_MS, HOUR_MS, far, far]);
        let by = dice.below(usize::try_from(most).unwrap() + 1);
        self.time.advance(i64::try_from(by).unwrap());
        self.add_times();
    }

    /// Goes to shortly before the next edge, if the clock gets there.
    pub(super) fn approach(&mut self, dice: &mut Dice) -> Option<Edge> {
        let now = self.time.now();
        let edges = self.edges().filter(|edge| edge.when > now + UNSURE_MS);
        let edge = edges.min_by_key(|edge| edge.when)?;
        let before = i64::try_from(dice.below(30)).unwrap();
        if !self.time.advance(edge.when - before - now) {
            return None;
        }
        self.add_times();
        Some(edge)
    }

    /// Writes and reads around the next edge, what the edge is about.
    pub(super) fn goes_over_an_edge(&mut self, dice: &mut Dice) {
        let Some(edge) = self.approach(dice) else {
            return;
        };
        for _ in 0..AROUND_MAX {
            if dice.below(2) == 0 {
                self.write_at(&edge, dice);
            } else {
                self.read_at(&edge, dice);
            }
            if self.time.now() > edge.when + self.time.final_late_ms {
                return;
            }
        }
    }

    /// The sweep ends what has expired, and lists it no more.
    pub(super) fn boards_that_have_expired_go(&self) {
        for of in &self.kinds {
            let path = format!("/v1/boards?kind={}", of.kind.name);
            for (subject, board) in &of.boards {
                let now = self.time.now();
                let boards = board.within(&of.kind, &[]);
                if !boards.iter().all(|board| board.has_expired(now)) {
                    continue;
                }
                eventually("what has expired is gone", || {
                    let listed = self.server.get(&path).ok();
                    let mut listed = listed["boards"].as_array().unwrap().iter();
                    let is_listed = listed.any(|it| it["subject"] == *subject);
                    (!is_listed).then_some(())
                });
            }
        }
    }

    /// Edges are gone past: around one it is not sure by which time a request is decided.
    pub(super) fn go_to_a_quiet_moment(&self) {
        loop {
            let now = self.time.now();
            let edges = self.edges().map(|edge| edge.when);
            let near = edges.filter(|edge| (edge - UNSURE_MS..edge + UNSURE_MS / 2).contains(&now));
            let Some(last) = near.max() else {
                return;
            };
            self.time.go_past(last + UNSURE_MS / 2);
        }
    }

    /// All moments, past and to come, at which windows and boards of the kinds become others.
    fn edges(&self) -> impl Iterator<Item = Edge> {
        let now = self.time.now();
        let kinds = self.kinds.iter().enumerate();
        let of_boards = kinds.flat_map(move |(ruled, of)| {
            let ends = of.boards.values().flat_map(Possible::edges);
            ends.map(move |when| Edge {
                when,
                ruled,
                at: when.min(now) - 1,
            })
        });
        self.ends.iter().copied().chain(of_boards)
    }

    /// The times by which a request may be decided that was under way in between: the first and the last of
    /// them, and those at which something ended.
    pub(super) fn moments(&self, before: i64, after: i64) -> Vec<i64> {
        let late = self.time.final_late_ms;
        let edges = self.edges().flat_map(|edge| [edge.when, edge.when + late]);
        let edges = edges.filter(|when| (before..=after).contains(when));
        let mut moments: Vec<i64> = edges.chain([before, after]).collect();
        moments.sort_unstable();
        moments.dedup();
        moments
    }

    /// Whether a write may be refused for now, since what it counts in ends: by the clock of a node, which is
    /// not the server's, it is over a moment sooner.
    pub(super) fn may_be_late(&self, moments: &[i64]) -> bool {
        let near = moments[0] - LATE_MS..=moments[moments.len() - 1] + LATE_MS;
        self.time.final_late_ms > 0 && self.edges().any(|edge| near.contains(&edge.when))
    }

    /// Asks something, and says by which times it may be decided.
    pub(super) fn asked<T>(&self, ask: impl FnOnce(&Server) -> T) -> (T, Vec<i64>) {
        let before = self.time.now() - 1;
        let answer = ask(&self.server);
        let after = self.time.now() + 1;
        (answer, self.moments(before, after))
    }

    pub(super) fn any_time(&self, dice: &mut Dice) -> i64 {
        let now = self.time.now();
        match dice.below(60) {
            0 => now + 6 * MINUTE_MS,
            1 => now - 100 * DAY_MS,
            2..30 => {
                let latest = &self.times[self.times.len() - 15..];
                pick(dice, latest)
            }
            _ => pick(dice, &self.times),
        }
    }

    pub(super) fn any_board(dice: &mut Dice) -> (usize, &'static str) {
        (dice.below(KINDS), pick(dice, &SUBJECTS))
    }
}

/// Names that are prefixes of others, and bytes on both sides of ASCII's end.
pub(super) fn any_member(kind: &Kind, dice: &mut Dice) -> String {
    const NAMES: [&str; 6] = ["a", "ab", "b", "~", "é", "\u{10ffff}"];
    match dice.below(kind.members) {
        number if number < NAMES.len() => NAMES[number].to_owned(),
        number => format!("m{number}"),
    }
}
