//! A server and its twin: [`World`].

use std::collections::{BTreeMap, BTreeSet};

use end_to_end::clock::{DAY_MS, HOUR_MS, MINUTE_MS, now_ms};
use end_to_end::dice::Dice;
use end_to_end::{Launch, Server, eventually};

use super::board::Board;
use super::kind::Kind;
use super::pick;

const KINDS: usize = 10;

const SUBJECTS: [&str; 3] = ["a", "b", "c"];

/// Around a turn of the hour, and around the end of a board, it is not sure by which time a request is
/// decided.
const UNSURE_MS: i64 = 2_500;

/// One kind, its boards by subject, and whom it hides.
pub(super) struct Ruled {
    pub(super) kind: Kind,
    pub(super) boards: BTreeMap<&'static str, Board>,
    pub(super) hidden: BTreeSet<String>,
}

pub(super) struct World {
    pub(super) server: Server,
    pub(super) kinds: Vec<Ruled>,
    /// Times that contributions have: few, so that they tie.
    times: Vec<i64>,
    pub(super) step: usize,
}

impl World {
    pub(super) fn new(server: Server, dice: &mut Dice) -> Self {
        let now = now_ms();
        let kinds = (0..KINDS).map(|number| {
            let kind = Kind::drawn(number, now, dice);
            let path = format!("/v1/kinds/{}", kind.name);
            let answer = server.put(&path, &kind.settings());
            assert!(answer.status < 300, "{}: {}", kind.settings(), answer.body);
            let boards = SUBJECTS.map(|subject| (subject, Board::default()));
            Ruled {
                kind,
                boards: boards.into(),
                hidden: BTreeSet::new(),
            }
        });
        let kinds = kinds.collect();
        let whole = now / 1000 * 1000;
        let back = [
            1000,
            1000,
            1001,
            1100,
            2000,
            2001,
            90 * MINUTE_MS,
            DAY_MS,
            DAY_MS,
            3 * DAY_MS,
        ];
        let back = back.map(|by| whole - by);
        // Ahead of the clock, and by and by behind it.
        let ahead = [5_000, 20_000, 20_000, 60_000, 200_000].map(|by| whole + by);
        Self {
            server,
            kinds,
            times: back.into_iter().chain(ahead).collect(),
            step: 0,
        }
    }

    /// Kills the server, and starts it again on what it left.
    pub(super) fn killed(mut self, again: fn(Launch) -> Server) -> Self {
        self.server = again(self.server.kill());
        eventually("ready", || {
            (self.server.get("/readyz").status == 200).then_some(())
        });
        self
    }

    /// A turn of the hour is waited out.
    pub(super) fn wait_for_a_quiet_moment(&self) {
        let is_quiet = || {
            let of_hour = (now_ms() + UNSURE_MS).rem_euclid(HOUR_MS);
            let ends = self.kinds.iter().flat_map(|ruled| ruled.boards.values());
            let ends = ends.filter_map(|board| board.activity.ends_at);
            let mut ends = ends.map(|ends_at| (now_ms() - ends_at).abs());
            of_hour > 2 * UNSURE_MS && ends.all(|away| away > UNSURE_MS / 2)
        };
        eventually("a quiet moment", || is_quiet().then_some(()));
    }

    pub(super) fn any_time(&self, dice: &mut Dice) -> i64 {
        match dice.throw(60) {
            0 => now_ms() + 6 * MINUTE_MS,
            1 => now_ms() - 100 * DAY_MS,
            _ => pick(dice, &self.times),
        }
    }

    pub(super) fn any_board(dice: &mut Dice) -> (usize, &'static str) {
        (dice.throw(KINDS), pick(dice, &SUBJECTS))
    }
}

/// Names that are prefixes of others, and bytes on both sides of ASCII's end.
pub(super) fn any_member(kind: &Kind, dice: &mut Dice) -> String {
    const NAMES: [&str; 6] = ["a", "ab", "b", "~", "é", "\u{10ffff}"];
    match dice.throw(kind.members) {
        number if number < NAMES.len() => NAMES[number].to_owned(),
        number => format!("m{number}"),
    }
}
