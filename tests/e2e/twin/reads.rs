//! Reads at random, each held against the twin.

use serde_json::{Map, Value, json};
use testkit::clock::rfc3339;
use testkit::dice::Dice;
use testkit::{Answer, Server, encoded};

use super::board::Board;
use super::compare::{Expected, those_of};
use super::kind::{Kind, Window};
use super::possible::Possible;
use super::view::{CHANGE_MAX, View};
use super::world::{Edge, Ruled, World, any_member};

/// One read: a board, and one of its windows.
struct Reading<'a> {
    world: &'a World,
    place: usize,
    ruled: &'a Ruled,
    board: &'a Possible,
    subject: &'static str,
    window: Window,
}

impl World {
    pub(super) fn read(&self, dice: &mut Dice) {
        let (place, subject) = Self::any_board(dice);
        let at = self.any_time(dice).min(self.time.now());
        self.read_of(place, subject, at, dice);
    }

    /// Reads what an edge is about.
    pub(super) fn read_at(&self, edge: &Edge, dice: &mut Dice) {
        let (_, subject) = Self::any_board(dice);
        self.read_of(edge.ruled, subject, edge.at, dice);
    }

    fn read_of(&self, place: usize, subject: &'static str, at: i64, dice: &mut Dice) {
        let ruled = &self.kinds[place];
        let windows = ruled.kind.windows_at(at);
        let reading = Reading {
            world: self,
            place,
            ruled,
            board: &ruled.boards[subject],
            subject,
            window: windows[dice.below(windows.len())].clone(),
        };
        match dice.below(12) {
            0 => reading.boards(),
            1 => reading.info(),
            2 => reading.tops(dice),
            3 => reading.lookup(dice),
            4 => reading.around(dice),
            5 | 6 => reading.member(dice),
            7 => reading.rank(dice),
            8 => reading.count(dice),
            9 => reading.range(dice),
            10 => reading.pages(dice),
            _ => reading.top(dice),
        }
    }
}

impl Reading<'_> {
    fn kind(&self) -> &Kind {
        &self.ruled.kind
    }

    fn name(&self) -> String {
        format!("{}/{}", self.kind().name, self.subject)
    }

    fn path(&self, of: &str) -> String {
        let mark = if of.contains('?') { '&' } else { '?' };
        let window = encoded(&self.window.name);
        format!("/v1/boards/{}{of}{mark}window={window}", self.name())
    }

    fn what(&self, path: &str) -> String {
        let (step, kind) = (self.world.step, self.kind());
        let settings = kind.settings();
        format!(
            "step {step}: {path}\nof {settings}, hiding {:?}",
            self.ruled.hidden
        )
    }

    fn view<T>(&self, board: &Board, now: i64, look: impl FnOnce(&View<'_>) -> T) -> T {
        let name = self.name();
        let hidden = &self.ruled.hidden;
        let board = board.visible(now);
        look(&View::of(
            self.kind(),
            &board,
            &name,
            &self.window,
            hidden,
            now,
        ))
    }

    /// Whether this is so of all that the board may be.
    fn is_any(&self, now: i64, look: impl Fn(&View<'_>) -> bool) -> bool {
        let boards = self.board.within(self.kind(), &[now]);
        boards.iter().any(|board| self.view(board, now, &look))
    }

    /// Asks, and holds what is answered against all that it may be.
    fn holds(
        &self,
        what: &str,
        ask: impl FnOnce(&Server) -> Answer,
        look: impl Fn(&View<'_>) -> Expected,
    ) -> Answer {
        let (answer, moments) = self.world.asked(ask);
        self.fits(what, whole(&answer), &moments, look);
        answer
    }

    fn fits(
        &self,
        what: &str,
        answer: (u16, Value),
        moments: &[i64],
        look: impl Fn(&View<'_>) -> Expected,
    ) {
        let mut boards = Vec::new();
        let mut expected = Vec::new();
        for board in self.board.within(self.kind(), moments) {
            for now in moments {
                if self.window.is_gone(*now) {
                    expected.push(Err("window-gone"));
                    boards.push(board.clone());
                }
                // It is asked for first, and looked at then.
                if !self.window.is_gone(moments[0]) {
                    expected.push(self.view(&board, *now, &look));
                    boards.push(board.clone());
                }
            }
        }
        let are = those_of(answer, &expected, &self.what(what));
        let kept = boards.into_iter().zip(are).filter(|(_, is_it)| *is_it);
        self.board.keep(kept.map(|(board, _)| board));
    }

    /// `GET`, kept where it is final.
    fn got(&self, path: &str, look: impl Fn(&View<'_>) -> Expected) {
        let answer = self.holds(path, |server| server.get(path), look);
        let board = (self.place, self.subject);
        self.world
            .note_final(path, &answer.value(), board, &self.window);
    }

    fn top(&self, dice: &mut Dice) {
        let n = 1 + dice.below(self.kind().top.min(20));
        let is_fresh = !self.kind().is_never_stale || dice.below(2) == 0;
        let fresh = if is_fresh { "&fresh=true" } else { "" };
        self.got(&self.path(&format!("/top?n={n}{fresh}")), |view| {
            Ok(view.top(n))
        });
    }

    fn pages(&self, dice: &mut Dice) {
        let from = 1 + dice.below(self.kind().members);
        let to = from + dice.below(20);
        let path = self.path(&format!("/range?from={from}&to={to}"));
        self.got(&path, |view| Ok(view.pages(from, to)));
    }

    fn any_bounds(dice: &mut Dice) -> (Option<i64>, Option<i64>, String) {
        let any = |dice: &mut Dice| i64::try_from(dice.below(15)).unwrap() - 5;
        let (a, b) = (any(dice), any(dice));
        let (least, most) = (a.min(b), a.max(b));
        match dice.below(3) {
            0 => (Some(least), None, format!("min={least}")),
            1 => (None, Some(most), format!("max={most}")),
            _ => (Some(least), Some(most), format!("min={least}&max={most}")),
        }
    }

    fn range(&self, dice: &mut Dice) {
        let (min, max, bounds) = Self::any_bounds(dice);
        let limit = 1 + dice.below(30);
        let path = self.path(&format!("/range?{bounds}&limit={limit}"));
        self.got(&path, |view| Ok(view.range(min, max, limit)));
    }

    fn count(&self, dice: &mut Dice) {
        let (min, max, bounds) = Self::any_bounds(dice);
        self.got(&self.path(&format!("/count?{bounds}")), |view| {
            Ok(view.count(min, max))
        });
    }

    fn around(&self, dice: &mut Dice) {
        let (above, below) = (dice.below(4), dice.below(4));
        let member = any_member(self.kind(), dice);
        let of = format!(
            "/members/{}/around?above={above}&below={below}",
            encoded(&member)
        );
        self.got(&self.path(&of), |view| {
            view.neighbours(&member, above, below)
        });
    }

    fn member(&self, dice: &mut Dice) {
        let member = any_member(self.kind(), dice);
        let is_far = |view: &View<'_>| view.first_fields_reach() >= CHANGE_MAX / 2 - 10;
        let is_near = !self.is_any(self.world.time.now(), is_far);
        let most = self.kind().keep.unwrap_or(self.kind().members);
        let target = (is_near && dice.below(3) > 0).then(|| 1 + dice.below(most));
        let query = target.map_or(String::new(), |target| format!("?target={target}"));
        let path = self.path(&format!("/members/{}{query}", encoded(&member)));
        let (answer, moments) = self.world.asked(|server| server.get(&path));
        if target.is_some() && self.has_within(&moments, 0) {
            return;
        }
        self.fits(&path, whole(&answer), &moments, |view| {
            view.member(&member, target)
        });
        let board = (self.place, self.subject);
        self.world
            .note_final(&path, &answer.value(), board, &self.window);
    }

    /// Whether a standing came to be meanwhile, or so long before, so that what is reached then is not sure.
    fn has_within(&self, moments: &[i64], before: i64) -> bool {
        let (from, to) = (moments[0] - before, moments[moments.len() - 1]);
        self.is_any(to, |view| view.has_within(from, to))
    }

    fn lookup(&self, dice: &mut Dice) {
        let members = (0..dice.below(8)).map(|_| any_member(self.kind(), dice));
        let members: Vec<String> = members.collect();
        let path = self.path("/lookup");
        let body = json!({"members": members});
        let what = format!("{path} {body}");
        self.holds(
            &what,
            |server| server.post(&path, &body),
            |view| Ok(view.lookup(&members)),
        );
    }

    fn rank(&self, dice: &mut Dice) {
        let is_accumulated = self.kind().mode == "accumulate";
        let below_0 = i64::from(self.kind().packed.is_none()) * 3;
        let mut values: Vec<Option<i64>> = Vec::new();
        for _ in &self.kind().fields {
            let is_named = !is_accumulated || values.is_empty() || dice.below(3) > 0;
            values.push(is_named.then(|| i64::try_from(dice.below(8)).unwrap() - below_0));
        }
        if is_accumulated && self.kind().fields.len() > 1 && dice.below(4) == 0 {
            // Another names the first's place, which a sum takes for 0.
            let last = values.len() - 1;
            (values[0], values[last]) = (None, Some(1));
        }
        let named = self.kind().fields.iter().zip(&values);
        let named =
            named.filter_map(|(field, value)| Some((field.name.to_owned(), json!((*value)?))));
        let body = json!({"values": Value::Object(named.collect::<Map<_, _>>())});
        let path = self.path("/rank");
        let (answer, moments) = self.world.asked(|server| server.post(&path, &body));
        if self.has_within(&moments, 1000) {
            return;
        }
        let what = format!("{path} {body}");
        self.fits(&what, whole(&answer), &moments, |view| {
            Ok(view.rank(&values))
        });
    }

    /// The tops of all boards of the kind at once.
    fn tops(&self, dice: &mut Dice) {
        if !self.kind().is_never_stale {
            return;
        }
        let n = 1 + dice.below(self.kind().top.min(5));
        let subjects: Vec<&&str> = self.ruled.boards.keys().collect();
        let names: Vec<String> = subjects
            .iter()
            .map(|it| format!("{}/{it}", self.kind().name))
            .collect();
        let body = json!({"boards": names, "window": self.window.name, "n": n});
        let (answer, moments) = self.world.asked(|server| server.post("/v1/top", &body));
        for (place, (subject, board)) in self.ruled.boards.iter().enumerate() {
            let of_one = Reading {
                subject,
                board,
                window: self.window.clone(),
                ..*self
            };
            let (status, mut shown) = whole(&answer);
            if status == 200 {
                shown = shown["boards"][place].take();
            }
            let what = format!("/v1/top {body}, {subject}");
            of_one.fits(&what, (status, shown), &moments, |view| Ok(view.top(n)));
        }
    }

    /// The board itself: its settings, and how many are in each window.
    fn info(&self) {
        let path = self.path("");
        let (answer, moments) = self.world.asked(|server| server.get(&path));
        let (status, mut shown) = whole(&answer);
        if status == 200 {
            let windows = shown["windows"].as_array().unwrap().iter();
            let windows = windows.filter(|it| it["members"] != 0);
            let windows = windows.map(|it| (it["window"].clone(), it["members"].clone()));
            let mut windows: Vec<_> = windows.collect();
            windows.sort_by_key(|(window, _)| window.to_string());
            let settings = SETTINGS.map(|name| shown[name].clone());
            shown = json!({"windows": windows, "settings": settings});
        }
        self.fits(&path, (status, shown), &moments, |view| {
            let board = view.board;
            let windows = board.windows().filter(|window| !window.is_gone(view.now));
            let windows = windows.map(|window| {
                let view = View::of(view.kind, board, view.name, window, view.hidden, view.now);
                (window.name.clone(), view.members())
            });
            let windows: Vec<_> = windows.filter(|(_, members)| *members > 0).collect();
            let shards = board.shards.unwrap_or(view.kind.shards);
            let mut settings = json!({"shards": shards});
            board.activity.put_into(&mut settings);
            if let Some(at) = board.activity.expires_at() {
                settings["expires_at"] = json!(rfc3339(at));
            }
            let settings = SETTINGS.map(|name| settings[name].clone());
            Ok(json!({"windows": windows, "settings": settings}))
        });
    }

    /// The boards of the kind, by subject.
    fn boards(&self) {
        let path = format!("/v1/boards?kind={}", self.kind().name);
        let (answer, moments) = self.world.asked(|server| server.get(&path));
        let shown = answer.ok();
        let told = shown["boards"].as_array().unwrap();
        for (subject, board) in &self.ruled.boards {
            let name = format!("{}/{subject}", self.kind().name);
            let told = told.iter().find(|it| it["board"] == name);
            let is_told = |board: &Board| {
                let mut shape = json!({
                    "board": name, "subject": subject,
                    "shards": board.shards.unwrap_or(self.kind().shards),
                });
                board.activity.put_into(&mut shape);
                told == board.exists.then_some(&shape)
            };
            let mut boards = board.within(self.kind(), &moments);
            boards.retain(is_told);
            assert!(
                !boards.is_empty(),
                "{}, {subject}: {shown}",
                self.what(&path)
            );
            board.keep(boards);
        }
        assert_eq!(shown["next"], Value::Null, "{shown}");
    }
}

/// What `GET` of a board says of its settings.
const SETTINGS: [&str; 4] = ["shards", "starts_at", "ends_at", "expires_at"];

fn whole(answer: &Answer) -> (u16, Value) {
    (answer.status, answer.value())
}
