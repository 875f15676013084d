//! Reads at random, each held against the twin.

use end_to_end::clock::now_ms;
use end_to_end::dice::Dice;
use end_to_end::encoded;
use serde_json::{Map, Value, json};

use super::board::Board;
use super::compare;
use super::kind::{Kind, Window};
use super::view::{CHANGE_MAX, View};
use super::world::{Ruled, World, any_member};

/// One read: a board, one of its windows, and when it was asked at the earliest.
struct Reading<'a> {
    world: &'a World,
    ruled: &'a Ruled,
    board: &'a Board,
    subject: &'static str,
    window: Window,
}

impl World {
    pub(super) fn read(&self, dice: &mut Dice) {
        let (ruled, subject) = Self::any_board(dice);
        let ruled = &self.kinds[ruled];
        let windows = ruled.kind.windows_at(self.any_time(dice).min(now_ms()));
        let reading = Reading {
            world: self,
            ruled,
            board: &ruled.boards[subject],
            subject,
            window: windows[dice.throw(windows.len())].clone(),
        };
        match dice.throw(12) {
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

    fn view<T>(&self, now: i64, look: impl FnOnce(&View<'_>) -> T) -> T {
        let name = self.name();
        let hidden = &self.ruled.hidden;
        look(&View::of(
            self.kind(),
            self.board,
            &name,
            &self.window,
            hidden,
            now,
        ))
    }

    /// What has to be answered, by the time before the request and by that after it.
    fn holds(&self, path: &str, look: impl Fn(&View<'_>) -> Value) {
        let before = now_ms();
        let answer = self.world.server.get(path);
        let expected = [before, now_ms()].map(|now| self.view(now, &look));
        compare::is_one_of(&answer, &expected, &self.what(path));
    }

    fn top(&self, dice: &mut Dice) {
        let n = 1 + dice.throw(self.kind().top.min(20));
        let is_fresh = !self.kind().is_never_stale || dice.throw(2) == 0;
        let fresh = if is_fresh { "&fresh=true" } else { "" };
        self.holds(&self.path(&format!("/top?n={n}{fresh}")), |view| {
            view.top(n)
        });
    }

    fn pages(&self, dice: &mut Dice) {
        let from = 1 + dice.throw(self.kind().members);
        let to = from + dice.throw(20);
        let path = self.path(&format!("/range?from={from}&to={to}"));
        self.holds(&path, |view| view.pages(from, to));
    }

    fn any_bounds(dice: &mut Dice) -> (Option<i64>, Option<i64>, String) {
        let any = |dice: &mut Dice| i64::try_from(dice.throw(15)).unwrap() - 5;
        let (a, b) = (any(dice), any(dice));
        let (least, most) = (a.min(b), a.max(b));
        match dice.throw(3) {
            0 => (Some(least), None, format!("min={least}")),
            1 => (None, Some(most), format!("max={most}")),
            _ => (Some(least), Some(most), format!("min={least}&max={most}")),
        }
    }

    fn range(&self, dice: &mut Dice) {
        let (min, max, bounds) = Self::any_bounds(dice);
        let limit = 1 + dice.throw(30);
        let path = self.path(&format!("/range?{bounds}&limit={limit}"));
        self.holds(&path, |view| view.range(min, max, limit));
    }

    fn count(&self, dice: &mut Dice) {
        let (min, max, bounds) = Self::any_bounds(dice);
        self.holds(&self.path(&format!("/count?{bounds}")), |view| {
            view.count(min, max)
        });
    }

    fn around(&self, dice: &mut Dice) {
        let (above, below) = (dice.throw(4), dice.throw(4));
        let member = any_member(self.kind(), dice);
        let of = format!(
            "/members/{}/around?above={above}&below={below}",
            encoded(&member)
        );
        let path = self.path(&of);
        let before = now_ms();
        let answer = self.world.server.get(&path);
        let expected = [before, now_ms()];
        let expected =
            expected.map(|now| self.view(now, |view| view.neighbours(&member, above, below)));
        compare::is_found(&answer, &expected, &self.what(&path));
    }

    fn member(&self, dice: &mut Dice) {
        let member = any_member(self.kind(), dice);
        let is_near = self.view(now_ms(), |view| {
            view.first_fields_reach() < CHANGE_MAX / 2 - 10
        });
        let most = self.kind().keep.unwrap_or(self.kind().members);
        let target = (is_near && dice.throw(3) > 0).then(|| 1 + dice.throw(most));
        let query = target.map_or(String::new(), |target| format!("?target={target}"));
        let path = self.path(&format!("/members/{}{query}", encoded(&member)));
        let before = now_ms();
        let answer = self.world.server.get(&path);
        let after = now_ms();
        if target.is_some() && self.view(after, |view| view.has_within(before, after)) {
            return;
        }
        let expected =
            [before, after].map(|now| self.view(now, |view| view.member(&member, target)));
        compare::is_found(&answer, &expected, &self.what(&path));
    }

    fn lookup(&self, dice: &mut Dice) {
        let members = (0..dice.throw(8)).map(|_| any_member(self.kind(), dice));
        let members: Vec<String> = members.collect();
        let path = self.path("/lookup");
        let before = now_ms();
        let answer = self.world.server.post(&path, &json!({"members": members}));
        let expected = [before, now_ms()].map(|now| self.view(now, |view| view.lookup(&members)));
        compare::is_one_of(
            &answer,
            &expected,
            &self.what(&format!("{path} {members:?}")),
        );
    }

    fn rank(&self, dice: &mut Dice) {
        let is_accumulated = self.kind().mode == "accumulate";
        let below_0 = i64::from(self.kind().packed.is_none()) * 3;
        let mut values: Vec<Option<i64>> = Vec::new();
        for _ in &self.kind().fields {
            let is_named = !is_accumulated || values.is_empty() || dice.throw(3) > 0;
            values.push(is_named.then(|| i64::try_from(dice.throw(8)).unwrap() - below_0));
        }
        if is_accumulated && self.kind().fields.len() > 1 && dice.throw(4) == 0 {
            // Another names the first's place, which a sum takes for 0.
            let last = values.len() - 1;
            (values[0], values[last]) = (None, Some(1));
        }
        let named = self.kind().fields.iter().zip(&values);
        let named =
            named.filter_map(|(field, value)| Some((field.name.to_owned(), json!((*value)?))));
        let body = json!({"values": Value::Object(named.collect::<Map<_, _>>())});
        let path = self.path("/rank");
        let before = now_ms();
        let answer = self.world.server.post(&path, &body);
        let after = now_ms();
        if self.view(after, |view| view.has_within(before - 1000, after)) {
            return;
        }
        let expected = [before, after].map(|now| self.view(now, |view| view.rank(&values)));
        compare::is_one_of(&answer, &expected, &self.what(&format!("{path} {body}")));
    }

    /// The tops of all boards of the kind at once.
    fn tops(&self, dice: &mut Dice) {
        if !self.kind().is_never_stale {
            return;
        }
        let n = 1 + dice.throw(self.kind().top.min(5));
        let subjects: Vec<&&str> = self.ruled.boards.keys().collect();
        let names: Vec<String> = subjects
            .iter()
            .map(|it| format!("{}/{it}", self.kind().name))
            .collect();
        let body = json!({"boards": names, "window": self.window.name, "n": n});
        let before = now_ms();
        let answer = self.world.server.post("/v1/top", &body);
        let expected = [before, now_ms()].map(|now| {
            let boards = subjects.iter().zip(&names).map(|(subject, name)| {
                let (board, hidden) = (&self.ruled.boards[**subject], &self.ruled.hidden);
                View::of(self.kind(), board, name, &self.window, hidden, now).top(n)
            });
            json!({"boards": boards.collect::<Value>()})
        });
        compare::is_one_of(&answer, &expected, &self.what(&format!("/v1/top {body}")));
    }

    /// The board itself: its settings, and how many are in each window.
    fn info(&self) {
        let path = self.path("");
        let now = now_ms();
        let answer = self.world.server.get(&path).ok();
        let what = self.what(&path);
        let shards = self.board.shards.unwrap_or(self.kind().shards);
        assert_eq!(answer["shards"], shards, "{what}: {answer}");
        let told = answer["windows"].as_array().unwrap().iter();
        let told = told.map(|it| {
            (
                it["window"].as_str().unwrap().to_owned(),
                it["members"].as_u64().unwrap(),
            )
        });
        let mut told: Vec<(String, u64)> = told.filter(|(_, members)| *members > 0).collect();
        told.sort();
        let name = self.name();
        let counts = self.board.windows().map(|window| {
            let window = Window {
                name: window.clone(),
                end: None,
                close_ms: None,
            };
            let view = View::of(
                self.kind(),
                self.board,
                &name,
                &window,
                &self.ruled.hidden,
                now,
            );
            (window.name.clone(), view.members() as u64)
        });
        let counts: Vec<(String, u64)> = counts.filter(|(_, members)| *members > 0).collect();
        assert_eq!(told, counts, "{what}: {answer}");
    }

    /// The boards of the kind, by subject.
    fn boards(&self) {
        let path = format!("/v1/boards?kind={}", self.kind().name);
        let answer = self.world.server.get(&path).ok();
        let boards = self.ruled.boards.iter();
        let told = answer["boards"].as_array().unwrap();
        let is_told = |name: &str| told.iter().find(|it| it["board"] == name);
        for (subject, board) in boards {
            let name = format!("{}/{subject}", self.kind().name);
            let mut shape = json!({
                "board": name, "subject": subject,
                "shards": board.shards.unwrap_or(self.kind().shards),
            });
            board.activity.put_into(&mut shape);
            let expected = board.exists.then_some(&shape);
            assert_eq!(is_told(&name), expected, "{}: {answer}", self.what(&path));
        }
        assert_eq!(answer["next"], Value::Null, "{answer}");
    }
}
