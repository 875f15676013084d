//! A server and its twin: [`World`].

use std::cell::RefCell;

use serde_json::Value;
use testkit::dice::Dice;
use testkit::{Launch, Response, Server, eventually};

use super::finals::Finals;
use super::kind::{Kind, Window};
use super::kind_state::KindState;
use super::possible::PossibleBoards;
use super::tags::Tags;
use super::time::{DAY_US, HOUR_US, MINUTE_US, Time, UNSURE_US, rfc3339};

const KINDS: usize = 10;

const SUBJECTS: [&str; 3] = ["a", "b", "c"];

/// The number of different times of contributions: few, so that they tie.
const TIMES_MAX: usize = 60;

/// How far a server's estimate of a node's clock may be off.
const LATE_US: i64 = 200_000;

pub(super) struct World {
    pub(super) server: Server,
    pub(super) time: Time,
    pub(super) kinds: Vec<KindState>,
    /// Times of contributions, the latest last.
    times: Vec<i64>,
    /// The edges of the windows of these times.
    ends: Vec<Edge>,
    pub(super) step: usize,
    finals: RefCell<Finals>,
    tags: RefCell<Tags>,
}

/// A time at which something ends, its kind, and a time that it contains.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) when: i64,
    pub(super) kind_index: usize,
    pub(super) at: i64,
}

impl World {
    pub(super) fn new(server: Server, time: Time, dice: &mut Dice) -> Self {
        let now = time.now();
        let kinds = (0..KINDS).map(|number| {
            let kind = Kind::drawn(number, now, time.final_late_us, dice);
            let path = format!("/v1/kinds/{}", kind.name);
            let response = server.put(&path, &kind.settings());
            assert!(
                response.status < 300,
                "{}: {}",
                kind.settings(),
                response.body
            );
            KindState::new(kind, SUBJECTS)
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
            tags: RefCell::default(),
        };
        world.add_times();
        world
    }

    /// Adds times before and after the current time.
    fn add_times(&mut self) {
        let whole = self.time.now() / 1_000_000 * 1_000_000;
        let back = [
            3 * DAY_US,
            DAY_US,
            DAY_US,
            90 * MINUTE_US,
            2_000_001,
            2_000_000,
            1_100_000,
            1_001_000,
            1_000_001,
            1_000_000,
        ];
        self.times.extend(back.map(|by| whole - by));
        // Ahead of the clock, which passes them later.
        let ahead = [5_000_000, 20_000_000, 20_000_000, 60_000_000, 200_000_000];
        self.times.extend(ahead.map(|by| whole + by));
        self.times
            .drain(..self.times.len().saturating_sub(TIMES_MAX));
        self.ends.clear();
        for (kind_index, of) in self.kinds.iter().enumerate() {
            for at in &self.times {
                let windows = of.kind.windows_at(*at).into_iter();
                let ends = windows.flat_map(|window| [window.closes_at, window.gone_at]);
                let ends = ends.flatten();
                self.ends.extend(ends.map(|when| Edge {
                    when,
                    kind_index,
                    at: *at,
                }));
            }
        }
        self.ends.sort_by_key(|edge| edge.when);
        self.ends.dedup_by_key(|edge| (edge.when, edge.kind_index));
    }

    /// Prints a line, shown if the run fails.
    pub(super) fn log(&self, what: &str) {
        println!("step {}, {}: {what}", self.step, rfc3339(self.time.now()));
    }

    /// Kills the server and restarts it.
    pub(super) fn restarted(mut self, again: fn(Launch) -> Server) -> Self {
        self.log("killed");
        self.server = again(self.server.kill());
        eventually("the server is ready", || {
            (self.server.get("/readyz").status == 200).then_some(())
        });
        self
    }

    /// Sets the clock forward: a little, across the next edges, or far.
    pub(super) fn jump(&mut self, dice: &mut Dice) {
        let far = self.time.far_us();
        let most = *dice.pick(&[MINUTE_US, HOUR_US, far, far]);
        let by = dice.below(usize::try_from(most).unwrap() + 1);
        self.time.advance(i64::try_from(by).unwrap());
        self.add_times();
    }

    /// Goes to shortly before the next edge, if the clock can be set that far.
    pub(super) fn approach(&mut self, dice: &mut Dice) -> Option<Edge> {
        let now = self.time.now();
        let edges = self.edges().filter(|edge| edge.when > now + UNSURE_US);
        let edge = edges.min_by_key(|edge| edge.when)?;
        let before = i64::try_from(dice.below(30)).unwrap();
        if !self.time.advance(edge.when - before - now) {
            return None;
        }
        self.add_times();
        Some(edge)
    }

    /// Sends a `GET`, in any coding, as [`asked`](Self::asked) does, and checks the tag of the response.
    pub(super) fn got(&self, path: &str) -> (Response, Vec<i64>) {
        let mut tags = self.tags.borrow_mut();
        let (response, moments) = self.asked(|server| tags.get(server, path));
        tags.check(&self.server, path, &response);
        (response, moments)
    }

    /// Keeps a response if it is final.
    pub(super) fn keep_final(
        &self,
        path: &str,
        body: &Value,
        board: (usize, &'static str),
        window: &Window,
    ) {
        let mut finals = self.finals.borrow_mut();
        finals.add((&self.kinds, self.time.now()), (path, body), board, window);
    }

    /// Requests all final responses again. Returns how many could still be compared.
    pub(super) fn read_finals_again(&self) -> usize {
        let finals = self.finals.borrow();
        finals.read_again(&self.server, &self.kinds, &self.time)
    }

    /// Waits until sweeps have deleted all expired boards.
    pub(super) fn wait_for_expired_boards(&self) {
        for of in &self.kinds {
            let path = format!("/v1/boards?kind={}", of.kind.name);
            for (subject, board) in &of.boards {
                let now = self.time.now();
                let boards = board.within(&of.kind, &[]);
                if !boards.iter().all(|board| board.has_expired(now)) {
                    continue;
                }
                eventually("the expired board is deleted", || {
                    let listed = self.server.get(&path).ok();
                    let mut listed = listed["boards"].as_array().unwrap().iter();
                    let is_listed = listed.any(|it| it["subject"] == *subject);
                    (!is_listed).then_some(())
                });
            }
        }
    }

    /// Leaves the vicinity of an edge, where it is uncertain by which time a request is decided.
    pub(super) fn leave_edges(&self) {
        loop {
            let now = self.time.now();
            let edges = self.edges().map(|edge| edge.when);
            let near = edges.filter(|edge| (edge - UNSURE_US..edge + UNSURE_US / 2).contains(&now));
            let Some(last) = near.max() else {
                return;
            };
            self.time.go_past(last + UNSURE_US / 2);
        }
    }

    /// Returns all edges of windows and boards, past and future.
    fn edges(&self) -> impl Iterator<Item = Edge> {
        let now = self.time.now();
        let kinds = self.kinds.iter().enumerate();
        let of_boards = kinds.flat_map(move |(kind_index, of)| {
            let ends = of.boards.values().flat_map(PossibleBoards::edges);
            ends.map(move |when| Edge {
                when,
                kind_index,
                at: when.min(now) - 1,
            })
        });
        self.ends.iter().copied().chain(of_boards)
    }

    /// Returns the times by which a request in this interval may be decided: its start and end, and
    /// the edges in between.
    pub(super) fn moments(&self, before: i64, after: i64) -> Vec<i64> {
        let late = self.time.final_late_us;
        let edges = self.edges().flat_map(|edge| [edge.when, edge.when + late]);
        let edges = edges.filter(|when| (before..=after).contains(when));
        let mut moments: Vec<i64> = edges.chain([before, after]).collect();
        moments.sort_unstable();
        moments.dedup();
        moments
    }

    /// Returns whether a write may be refused with 503 because its window or board ends: by the
    /// clock of a node, which differs from the server's, it may have ended already.
    pub(super) fn may_be_late(&self, moments: &[i64]) -> bool {
        let near = moments[0] - LATE_US..=moments[moments.len() - 1] + LATE_US;
        self.time.final_late_us > 0 && self.edges().any(|edge| near.contains(&edge.when))
    }

    /// Sends a request. Returns its response, and the times by which it may be decided.
    pub(super) fn asked<T>(&self, ask: impl FnOnce(&Server) -> T) -> (T, Vec<i64>) {
        let before = self.time.now() - 1_000;
        let response = ask(&self.server);
        let after = self.time.now() + 1_000;
        (response, self.moments(before, after))
    }

    pub(super) fn any_time(&self, dice: &mut Dice) -> i64 {
        let now = self.time.now();
        match dice.below(60) {
            0 => now + 6 * MINUTE_US,
            1 => now - 100 * DAY_US,
            2..30 => {
                let latest = &self.times[self.times.len() - 15..];
                *dice.pick(latest)
            }
            _ => *dice.pick(&self.times),
        }
    }

    pub(super) fn any_board(dice: &mut Dice) -> (usize, &'static str) {
        (dice.below(KINDS), *dice.pick(&SUBJECTS))
    }
}

/// Returns a name; some are prefixes of others, or have bytes beyond ASCII.
pub(super) fn any_member(kind: &Kind, dice: &mut Dice) -> String {
    const NAMES: [&str; 6] = ["a", "ab", "b", "~", "é", "\u{10ffff}"];
    match dice.below(kind.members) {
        number if number < NAMES.len() => NAMES[number].to_owned(),
        number => format!("m{number}"),
    }
}
