//! Random reads, each compared with the twin.

use serde_json::{Map, Value, json};
use testkit::dice::Dice;
use testkit::{Response, Server, encoded};

use super::board::Board;
use super::compare::{Expected, those_of};
use super::kind::{Kind, Window};
use super::kind_state::KindState;
use super::possible::PossibleBoards;
use super::time::rfc3339;
use super::view::{CHANGE_MAX, View};
use super::world::{Edge, World, any_member};

/// A read of a window of a board.
struct Reading<'a> {
    world: &'a World,
    kind_index: usize,
    state: &'a KindState,
    board: &'a PossibleBoards,
    subject: &'static str,
    window: Window,
}

impl World {
    pub(super) fn read(&self, dice: &mut Dice) {
        let (kind_index, subject) = Self::any_board(dice);
        let at = self.any_time(dice).min(self.time.now());
        self.read_of(kind_index, subject, at, dice);
    }

    /// Reads what changes at an edge.
    pub(super) fn read_at(&self, edge: &Edge, dice: &mut Dice) {
        let (_, subject) = Self::any_board(dice);
        self.read_of(edge.kind_index, subject, edge.at, dice);
    }

    fn read_of(&self, kind_index: usize, subject: &'static str, at: i64, dice: &mut Dice) {
        let state = &self.kinds[kind_index];
        let windows = state.kind.windows_at(at);
        let reading = Reading {
            world: self,
            kind_index,
            state,
            board: &state.boards[subject],
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
        &self.state.kind
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
            self.state.hidden
        )
    }

    fn view<T>(&self, board: &Board, now: i64, look: impl FnOnce(&View<'_>) -> T) -> T {
        let name = self.name();
        let hidden = &self.state.hidden;
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

    /// Returns whether this holds for any possible state of the board.
    fn is_any(&self, now: i64, look: impl Fn(&View<'_>) -> bool) -> bool {
        let boards = self.board.within(self.kind(), &[now]);
        boards.iter().any(|board| self.view(board, now, &look))
    }

    /// Sends a request, and compares the response with all possible ones.
    fn holds(
        &self,
        what: &str,
        ask: impl FnOnce(&Server) -> Response,
        look: impl Fn(&View<'_>) -> Expected,
    ) -> Response {
        let (response, moments) = self.world.asked(ask);
        self.fits(what, whole(&response), &moments, look);
        response
    }

    fn fits(
        &self,
        what: &str,
        response: (u16, Value),
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
                // The retention is checked before the read.
                if !self.window.is_gone(moments[0]) {
                    expected.push(self.view(&board, *now, &look));
                    boards.push(board.clone());
                }
            }
        }
        let are = those_of(response, &expected, &self.what(what));
        let kept = boards.into_iter().zip(are).filter(|(_, is_it)| *is_it);
        self.board.keep(kept.map(|(board, _)| board));
    }

    /// Sends a `GET`, keeps its response if it is final, and returns it.
    fn got(&self, path: &str, look: impl Fn(&View<'_>) -> Expected) -> Value {
        let (response, moments) = self.world.got(path);
        self.fits(path, whole(&response), &moments, look);
        let board = (self.kind_index, self.subject);
        let value = response.value();
        self.world.keep_final(path, &value, board, &self.window);
        value
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
        let (worst, order) = Self::any_order(dice);
        let path = self.path(&format!("/range?from={from}&to={to}{order}"));
        let page = self.got(&path, |view| Ok(view.pages(from, to, worst)));
        self.continued(&page, worst, order);
    }

    fn any_order(dice: &mut Dice) -> (bool, &'static str) {
        [(false, ""), (true, "&order=worst")][dice.below(2)]
    }

    /// Reads what follows a page.
    fn continued(&self, page: &Value, worst: bool, order: &str) {
        const LIMIT: usize = 5;
        let Some(next) = page["next"].as_str() else {
            return;
        };
        let last = page["entries"]
            .as_array()
            .and_then(|entries| entries.last());
        let member = last.unwrap()["member"].as_str().unwrap();
        let path = self.path(&format!("/range?after={next}&limit={LIMIT}{order}"));
        self.got(&path, |view| Ok(view.after(member, LIMIT, worst)));
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
        let (worst, order) = Self::any_order(dice);
        let path = self.path(&format!("/range?{bounds}&limit={limit}{order}"));
        let page = self.got(&path, |view| Ok(view.range((min, max), limit, worst)));
        self.continued(&page, worst, order);
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
        let around = self.got(&self.path(&of), |view| {
            view.neighbours(&member, above, below)
        });
        self.continued(&around, false, "");
    }

    fn member(&self, dice: &mut Dice) {
        let member = any_member(self.kind(), dice);
        let is_far = |view: &View<'_>| view.first_fields_reach() >= CHANGE_MAX / 2 - 10;
        let is_near = !self.is_any(self.world.time.now(), is_far);
        let most = self.kind().keep.unwrap_or(self.kind().members);
        let target = (is_near && dice.below(3) > 0).then(|| 1 + dice.below(most));
        let query = target.map_or(String::new(), |target| format!("?target={target}"));
        let path = self.path(&format!("/members/{}{query}", encoded(&member)));
        let (response, moments) = self.world.got(&path);
        if target.is_some() && self.has_within(&moments, 0) {
            return;
        }
        self.fits(&path, whole(&response), &moments, |view| {
            view.member(&member, target)
        });
        let board = (self.kind_index, self.subject);
        self.world
            .keep_final(&path, &response.value(), board, &self.window);
    }

    /// Returns whether a standing was reached meanwhile or shortly before, so that the tie with a
    /// new one is uncertain.
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
            // A kind with another first field rejects this name; a sum defaults to 0.
            let last = values.len() - 1;
            (values[0], values[last]) = (None, Some(1));
        }
        let named = self.kind().fields.iter().zip(&values);
        let named =
            named.filter_map(|(field, value)| Some((field.name.to_owned(), json!((*value)?))));
        let body = json!({"values": Value::Object(named.collect::<Map<_, _>>())});
        let path = self.path("/rank");
        let (response, moments) = self.world.asked(|server| server.post(&path, &body));
        if self.has_within(&moments, 1_000_000) {
            return;
        }
        let what = format!("{path} {body}");
        self.fits(&what, whole(&response), &moments, |view| {
            Ok(view.rank(&values))
        });
    }

    /// Reads the tops of all boards of the kind in one request.
    fn tops(&self, dice: &mut Dice) {
        if !self.kind().is_never_stale {
            return;
        }
        let n = 1 + dice.below(self.kind().top.min(5));
        let subjects: Vec<&&str> = self.state.boards.keys().collect();
        let names: Vec<String> = subjects
            .iter()
            .map(|it| format!("{}/{it}", self.kind().name))
            .collect();
        let body = json!({"boards": names, "window": self.window.name, "n": n});
        let (response, moments) = self.world.asked(|server| server.post("/v1/top", &body));
        for (index, (subject, board)) in self.state.boards.iter().enumerate() {
            let of_one = Reading {
                subject,
                board,
                window: self.window.clone(),
                ..*self
            };
            let (status, mut shown) = whole(&response);
            if status == 200 {
                shown = shown["boards"][index].take();
            }
            let what = format!("/v1/top {body}, {subject}");
            of_one.fits(&what, (status, shown), &moments, |view| Ok(view.top(n)));
        }
    }

    /// Reads the board itself: its settings, and the number of members of each window.
    fn info(&self) {
        let path = self.path("");
        let (response, moments) = self.world.got(&path);
        let (status, mut shown) = whole(&response);
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

    /// Reads the list of boards of the kind.
    fn boards(&self) {
        let path = format!("/v1/boards?kind={}", self.kind().name);
        let (response, moments) = self.world.got(&path);
        let shown = response.ok();
        let listed = shown["boards"].as_array().unwrap();
        for (subject, board) in &self.state.boards {
            let name = format!("{}/{subject}", self.kind().name);
            let listed = listed.iter().find(|it| it["board"] == name);
            let is_possible = |board: &Board| {
                let mut shape = json!({
                    "board": name, "subject": subject,
                    "shards": board.shards.unwrap_or(self.kind().shards),
                });
                board.activity.put_into(&mut shape);
                listed == board.exists.then_some(&shape)
            };
            let mut boards = board.within(self.kind(), &moments);
            boards.retain(is_possible);
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

/// The properties of a board that are settings.
const SETTINGS: [&str; 4] = ["shards", "starts_at", "ends_at", "expires_at"];

fn whole(response: &Response) -> (u16, Value) {
    let mut value = response.value();
    // Clients pass it on as it is.
    if let Some(next) = value.get_mut("next") {
        *next = Value::Bool(true);
    }
    (response.status, value)
}
