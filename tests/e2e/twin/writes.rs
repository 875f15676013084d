//! Random writes to standings, and their expected receipts. `management` has all other writes.

use serde_json::{Map, Value, json};
use testkit::dice::Dice;
use testkit::{Response, encoded};

use super::board::{Item, Outcome, days_of_ids};
use super::kind::Kind;
use super::possible::{PossibleBoards, WriteCase};
use super::receipts::{Sent, closed};
use super::standing::VALUE_MAX;
use super::world::{Edge, World, any_member};

/// The maximum number of contributions of a request.
const BATCH_MAX: usize = 25;

/// The same for kinds with many members.
const LARGE_BATCH_MAX: usize = 200;

/// The subjects of an event.
const EVENTS: [&[&str]; 3] = [&["a", "b"], &["c", "a", "b"], &["b"]];

impl World {
    pub(super) fn write(&mut self, dice: &mut Dice) {
        match dice.below(40) {
            0 => self.delete_board(dice),
            1 | 2 => self.settle(dice),
            3 | 4 => self.hide(dice),
            5 => self.erase(dice),
            6 => self.change_ranks(dice),
            7..=9 => self.remove(dice),
            10..=12 => self.set(dice),
            13..=17 => self.contribute_one(dice),
            18..=20 => self.spread(dice),
            _ => self.contribute(dice),
        }
    }

    /// Writes what changes at an edge: a single contribution, which is decided at one time.
    pub(super) fn write_at(&self, edge: &Edge, dice: &mut Dice) {
        let subject = Self::any_board(dice).1;
        let kind = &self.kinds[edge.kind_index].kind;
        let item = self.item_of(kind, edge.at, dice);
        match dice.below(4) {
            0 => {
                let item = Item {
                    is_set: true,
                    ..item
                };
                self.set_to(edge.kind_index, subject, &item);
            }
            1 => self.remove_from(edge.kind_index, subject, dice),
            _ => self.contribute_to(edge.kind_index, subject, item, dice),
        }
    }

    fn any_item(&self, kind: &Kind, dice: &mut Dice) -> Item {
        let at = self.any_time(dice);
        self.item_of(kind, at, dice)
    }

    fn item_of(&self, kind: &Kind, at: i64, dice: &mut Dice) -> Item {
        let is_set = dice.below(12) == 0;
        let windows = kind.windows_at(at);
        let only = is_set && dice.below(3) == 0;
        Item {
            member: any_member(kind, dice),
            values: any_values(kind, dice),
            at,
            id: (dice.below(3) == 0).then(|| self.any_id(dice)),
            is_set,
            window: only.then(|| windows[dice.below(windows.len())].name.clone()),
        }
    }

    /// Returns an id of the current day, since ids are forgotten after a while.
    fn any_id(&self, dice: &mut Dice) -> String {
        let [_, of_today] = days_of_ids(self.time.now());
        format!("id{}{of_today}", dice.below(8))
    }

    /// Contributes a batch to boards of one kind.
    fn contribute(&self, dice: &mut Dice) {
        let (kind_index, _) = Self::any_board(dice);
        let kind = &self.kinds[kind_index].kind;
        let most = if kind.members > 100 {
            LARGE_BATCH_MAX
        } else {
            BATCH_MAX
        };
        let items =
            (0..=dice.below(most)).map(|_| (Self::any_board(dice).1, self.any_item(kind, dice)));
        let items: Vec<(&'static str, Item)> = items.collect();
        let shapes = items.iter().map(|(subject, item)| {
            shape(
                kind,
                item,
                ("board", json!(format!("{}/{subject}", kind.name))),
            )
        });
        let shapes: Vec<Value> = shapes.collect();
        let is_lines = dice.below(3) == 0;
        let items = items.into_iter().enumerate();
        let items = items.map(|(index, (subject, item))| (index, subject, item));
        let sent = Sent {
            kind_index,
            items: items.collect(),
            text: Value::Array(shapes.clone()),
            returned: None,
        };
        self.send(&sent, |server| {
            if is_lines {
                server.lines(&testkit::ndjson(&shapes))
            } else {
                server.contribute(&sent.text)
            }
        });
    }

    /// Contributes an event to several boards.
    fn spread(&self, dice: &mut Dice) {
        let (kind_index, _) = Self::any_board(dice);
        let kind = &self.kinds[kind_index].kind;
        let mut item = self.any_item(kind, dice);
        item.id = Some(self.any_id(dice));
        let subjects = *dice.pick(&EVENTS);
        let names: Vec<String> = subjects
            .iter()
            .map(|it| format!("{}/{it}", kind.name))
            .collect();
        let items = subjects.iter().map(|subject| (0, *subject, item.clone()));
        let sent = Sent {
            kind_index,
            items: items.collect(),
            text: json!([shape(kind, &item, ("boards", json!(names)))]),
            returned: None,
        };
        self.send(&sent, |server| server.contribute(&sent.text));
    }

    /// Contributes a single item, with its standing in the receipt.
    fn contribute_one(&self, dice: &mut Dice) {
        let (kind_index, subject) = Self::any_board(dice);
        let item = self.any_item(&self.kinds[kind_index].kind, dice);
        self.contribute_to(kind_index, subject, item, dice);
    }

    fn contribute_to(&self, kind_index: usize, subject: &'static str, item: Item, dice: &mut Dice) {
        let kind = &self.kinds[kind_index].kind;
        let name = format!("{}/{subject}", kind.name);
        let ranks = dice.below(2) == 0;
        let wanted = if ranks { "ranks" } else { "standings" };
        let sent = Sent {
            kind_index,
            text: json!([shape(kind, &item, ("board", json!(name)))]),
            items: vec![(0, subject, item)],
            returned: Some(ranks),
        };
        let path = format!("/v1/contributions?return={wanted}");
        self.send(&sent, |server| server.post(path, &sent.text));
    }

    fn set(&self, dice: &mut Dice) {
        let (kind_index, subject) = Self::any_board(dice);
        let item = Item {
            is_set: true,
            ..self.any_item(&self.kinds[kind_index].kind, dice)
        };
        self.set_to(kind_index, subject, &item);
    }

    fn set_to(&self, kind_index: usize, subject: &'static str, item: &Item) {
        let state = &self.kinds[kind_index];
        let kind = &state.kind;
        let mut body = shape(kind, item, ("board", Value::Null));
        for name in ["board", "member", "set", "window"] {
            body.as_object_mut().unwrap().remove(name);
        }
        let member = encoded(&item.member);
        let mut path = format!("/v1/boards/{}/{subject}/members/{member}", kind.name);
        if let Some(window) = &item.window {
            path = format!("{path}?window={}", encoded(window));
        }
        let (response, moments) = self.asked(|server| server.put(&path, &body));
        let board = &state.boards[subject];
        let cases = board.cases(kind, &moments, |board, now| {
            // The path is checked before the body.
            if item.names_what_is_gone(kind, now) {
                Outcome::Rejected("window-closed")
            } else {
                board.contribute(kind, item, now)
            }
        });
        let shown = response.value();
        if shown["failed_count"] == 1 && self.may_be_late(&moments) {
            board.keep(board.within(kind, &moments));
            return;
        }
        self.keep_fitting(
            board,
            cases,
            &format!("{path} {body}"),
            &response,
            |outcome| {
                let is = |name: &str| response.status == 200 && shown[name] == 1;
                let is_type =
                    |word: &str| closed(shown["type"].as_str().unwrap_or_default()) == word;
                match outcome {
                    Outcome::Rejected(word) => response.status != 200 && is_type(word),
                    Outcome::Applied => is("applied") && shown["partial_count"].is_null(),
                    Outcome::Partial => is("applied") && shown["partial_count"] == 1,
                    Outcome::Duplicate => is("duplicates"),
                }
            },
        );
    }

    fn remove(&self, dice: &mut Dice) {
        let (kind_index, subject) = Self::any_board(dice);
        self.remove_from(kind_index, subject, dice);
    }

    fn remove_from(&self, kind_index: usize, subject: &'static str, dice: &mut Dice) {
        let state = &self.kinds[kind_index];
        let member = any_member(&state.kind, dice);
        let windows = state.kind.windows_at(self.time.now());
        let window = (dice.below(3) == 0).then(|| dice.pick(&windows).name.clone());
        let query = window
            .as_ref()
            .map(|window| format!("?window={}", encoded(window)));
        let path = format!(
            "/v1/boards/{}/{subject}/members/{}{}",
            state.kind.name,
            encoded(&member),
            query.unwrap_or_default()
        );
        let (response, moments) = self.asked(|server| server.delete(&path));
        let board = &state.boards[subject];
        if response.status == 410 || response.status == 503 && self.may_be_late(&moments) {
            board.keep(board.within(&state.kind, &moments));
            return;
        }
        let cases = [false, true].into_iter().flat_map(|linger| {
            board.cases(&state.kind, &moments, |board, now| {
                board.remove(&member, window.as_deref(), now, linger)
            })
        });
        let cases = cases.collect();
        let shown = response.value();
        if shown["removed"] == 1 {
            // Also in closed windows.
            board.changes.update(|changes| changes + 1);
        }
        self.keep_fitting(board, cases, &path, &response, |outcome| match outcome {
            Outcome::Rejected("not-ranked") => shown["removed"] == 0,
            Outcome::Rejected(word) => shown["type"] == *word,
            _ => shown["removed"] == 1,
        });
    }

    /// Keeps the states of a board that agree with a response.
    #[track_caller]
    pub(super) fn keep_fitting<T: std::fmt::Debug + PartialEq>(
        &self,
        board: &PossibleBoards,
        mut cases: Vec<WriteCase<T>>,
        what: &str,
        response: &Response,
        fits: impl Fn(&T) -> bool,
    ) {
        let first = format!("{:?}", cases[0].outcome);
        cases.retain(|case| fits(&case.outcome));
        let answered = (response.status, &response.body);
        self.log(&format!("{what}: {answered:?}"));
        assert!(
            !cases.is_empty(),
            "step {}: {what}\nresponse {answered:?}\nexpected {first}",
            self.step
        );
        board.keep(cases.into_iter().map(|case| case.board));
    }
}

fn any_values(kind: &Kind, dice: &mut Dice) -> Vec<Option<i64>> {
    let values = kind.fields.iter().map(|_| {
        let is_named = dice.below(if kind.mode == "accumulate" { 4 } else { 40 }) > 0;
        is_named.then(|| match dice.below(400) {
            0 if kind.packed.is_none() => *dice.pick(&[VALUE_MAX, -VALUE_MAX]),
            1 => 17,
            _ => {
                let number = i64::try_from(dice.below(7)).unwrap();
                if kind.packed.is_some() && dice.below(3) > 0 {
                    number
                } else {
                    number - 3
                }
            }
        })
    });
    values.collect()
}

/// Returns the contribution as in a request.
fn shape(kind: &Kind, item: &Item, (key, boards): (&str, Value)) -> Value {
    let mut shape = json!({"member": item.member, "at": item.at, key: boards});
    let named = kind.fields.iter().zip(&item.values);
    let named = named.filter_map(|(field, value)| Some((field.name.to_owned(), json!((*value)?))));
    let named: Map<String, Value> = named.collect();
    match named.get("points") {
        Some(points) if kind.is_by_points() => shape["points"] = points.clone(),
        _ => shape["values"] = Value::Object(named),
    }
    if let Some(id) = &item.id {
        shape["id"] = json!(id);
    }
    if item.is_set {
        shape["set"] = json!(true);
    }
    if let Some(window) = &item.window {
        shape["window"] = json!(window);
    }
    shape
}
