//! Writes at random, and what their receipts have to say.

use end_to_end::clock::{DAY_MS, now_ms, rfc3339};
use end_to_end::dice::Dice;
use end_to_end::{Answer, encoded};
use serde_json::{Map, Value, json};

use super::board::{Activity, Board, Item, Outcome};
use super::kind::Kind;
use super::standing::VALUE_MAX;
use super::view::View;
use super::world::{World, any_member};
use super::{compare, pick};

/// Contributions of one request.
const BATCH_MAX: usize = 25;

/// Of a kind with many members they come in so many more.
const CROWD_BATCH_MAX: usize = 200;

/// Subjects of one event.
const SPREADS: [&[&str]; 3] = [&["a", "b"], &["c", "a", "b"], &["b"]];

impl World {
    pub(super) fn write(&mut self, dice: &mut Dice) {
        match dice.throw(40) {
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

    fn any_item(&self, kind: &Kind, dice: &mut Dice) -> Item {
        let at = self.any_time(dice);
        let is_set = dice.throw(12) == 0;
        let windows = kind.windows_at(at);
        let only = is_set && dice.throw(3) == 0;
        Item {
            member: any_member(kind, dice),
            values: any_values(kind, dice),
            at,
            id: (dice.throw(3) == 0).then(|| format!("id{}", dice.throw(8))),
            is_set,
            window: only.then(|| windows[dice.throw(windows.len())].name.clone()),
        }
    }

    /// A batch on the boards of one kind.
    fn contribute(&mut self, dice: &mut Dice) {
        let (ruled, _) = Self::any_board(dice);
        let kind = self.kinds[ruled].kind.clone();
        let most = if kind.members > 100 {
            CROWD_BATCH_MAX
        } else {
            BATCH_MAX
        };
        let items =
            (0..=dice.throw(most)).map(|_| (Self::any_board(dice).1, self.any_item(&kind, dice)));
        let items: Vec<(&'static str, Item)> = items.collect();
        let shapes = items.iter().map(|(subject, item)| {
            shape(
                &kind,
                item,
                ("board", json!(format!("{}/{subject}", kind.name))),
            )
        });
        let shapes: Vec<Value> = shapes.collect();
        let now = now_ms();
        let answer = if dice.throw(3) == 0 {
            self.server.lines(&end_to_end::ndjson(&shapes))
        } else {
            self.server.contribute(&Value::Array(shapes.clone()))
        };
        let outcomes = items.iter().enumerate().map(|(index, (subject, item))| {
            let board = self.kinds[ruled].boards.get_mut(subject).unwrap();
            (
                index,
                format!("{}/{subject}", kind.name),
                board.contribute(&kind, item, now),
            )
        });
        let outcomes: Vec<_> = outcomes.collect();
        self.receipt(&answer, &outcomes, &Value::Array(shapes));
    }

    /// One event on several boards.
    fn spread(&mut self, dice: &mut Dice) {
        let (ruled, _) = Self::any_board(dice);
        let kind = self.kinds[ruled].kind.clone();
        let mut item = self.any_item(&kind, dice);
        item.id = Some(format!("id{}", dice.throw(8)));
        let subjects = pick(dice, &SPREADS);
        let names: Vec<String> = subjects
            .iter()
            .map(|it| format!("{}/{it}", kind.name))
            .collect();
        let shape = shape(&kind, &item, ("boards", json!(names)));
        let now = now_ms();
        let answer = self.server.contribute(&json!([shape]));
        let outcomes = subjects.iter().zip(names).map(|(subject, name)| {
            let board = self.kinds[ruled].boards.get_mut(subject).unwrap();
            (0, name, board.contribute(&kind, &item, now))
        });
        let outcomes: Vec<_> = outcomes.collect();
        self.receipt(&answer, &outcomes, &shape);
    }

    /// One contribution, and the standing that it comes to.
    fn contribute_one(&mut self, dice: &mut Dice) {
        let (ruled, subject) = Self::any_board(dice);
        let kind = self.kinds[ruled].kind.clone();
        let item = self.any_item(&kind, dice);
        let name = format!("{}/{subject}", kind.name);
        let shape = shape(&kind, &item, ("board", json!(name)));
        let ranks = dice.throw(2) == 0;
        let wanted = if ranks { "ranks" } else { "standings" };
        let now = now_ms();
        let path = format!("/v1/contributions?return={wanted}");
        let answer = self.server.post(path, &json!([shape]));
        let ruled = &mut self.kinds[ruled];
        let board = ruled.boards.get_mut(subject).unwrap();
        let outcome = board.contribute(&kind, &item, now);
        let expected = match outcome {
            Outcome::Rejected(_) => json!([]),
            Outcome::Applied | Outcome::Duplicate => {
                let mut windows = kind.windows_at(item.at);
                windows.retain(|window| {
                    let is_meant = item.window.as_ref().is_none_or(|name| *name == window.name);
                    is_meant
                        && !window.is_closed(now)
                        && board.history(&window.name, &item.member).is_some()
                });
                let windows = windows.iter().map(|window| {
                    let view = View::of(&kind, board, &name, window, &ruled.hidden, now);
                    view.written(&item.member, ranks)
                });
                json!([{"index": 0, "board": name, "member": item.member, "windows": windows.collect::<Value>()}])
            }
        };
        self.receipt(&answer, &[(0, name, outcome)], &shape);
        let told = answer.value()["standings"].take();
        let told = if told.is_null() { json!([]) } else { told };
        assert_eq!(
            told, expected,
            "step {}: {shape}: {}",
            self.step, answer.body
        );
    }

    #[track_caller]
    fn receipt(&self, answer: &Answer, outcomes: &[(usize, String, Outcome)], sent: &Value) {
        let step = self.step;
        assert_eq!(answer.status, 200, "step {step}: {sent}: {}", answer.body);
        let shown = answer.value();
        let count = |wanted: Outcome| outcomes.iter().filter(|(.., it)| *it == wanted).count();
        let rejected = outcomes
            .iter()
            .filter_map(|(index, board, outcome)| match outcome {
                Outcome::Rejected(word) => Some((*index, board.clone(), *word)),
                _ => None,
            });
        let mut rejected: Vec<_> = rejected.collect();
        rejected.sort();
        let told = shown["rejected"].as_array().unwrap().iter().map(|item| {
            let word = item["type"].as_str().unwrap();
            let board = item["board"].as_str().unwrap_or_default();
            let index = usize::try_from(item["index"].as_u64().unwrap()).unwrap();
            (index, board.to_owned(), word)
        });
        let mut told: Vec<_> = told.collect();
        told.sort();
        let counts = (
            &shown["applied"],
            &shown["duplicates"],
            &shown["rejected_count"],
            &shown["failed_count"],
        );
        let expected = (
            &json!(count(Outcome::Applied)),
            &json!(count(Outcome::Duplicate)),
            &json!(rejected.len()),
            &json!(0),
        );
        assert_eq!(
            (counts, told),
            (expected, rejected),
            "step {step}: {sent}: {shown}"
        );
    }

    fn set(&mut self, dice: &mut Dice) {
        let (ruled, subject) = Self::any_board(dice);
        let kind = self.kinds[ruled].kind.clone();
        let item = Item {
            is_set: true,
            ..self.any_item(&kind, dice)
        };
        let mut body = shape(&kind, &item, ("board", Value::Null));
        for name in ["board", "member", "set", "window"] {
            body.as_object_mut().unwrap().remove(name);
        }
        let mut path = format!(
            "/v1/boards/{}/{subject}/members/{}",
            kind.name,
            encoded(&item.member)
        );
        if let Some(window) = &item.window {
            path = format!("{path}?window={}", encoded(window));
        }
        let now = now_ms();
        let answer = self.server.put(&path, &body);
        let board = self.kinds[ruled].boards.get_mut(subject).unwrap();
        let outcome = board.contribute(&kind, &item, now);
        match outcome {
            Outcome::Rejected(word) => {
                assert_eq!(
                    answer.value()["type"],
                    word,
                    "step {}: {path} {body}",
                    self.step
                );
            }
            _ => self.receipt(&answer, &[(0, String::new(), outcome)], &body),
        }
    }

    fn remove(&mut self, dice: &mut Dice) {
        let (ruled, subject) = Self::any_board(dice);
        let ruled = &mut self.kinds[ruled];
        let member = any_member(&ruled.kind, dice);
        let path = format!(
            "/v1/boards/{}/{subject}/members/{}",
            ruled.kind.name,
            encoded(&member)
        );
        let now = now_ms();
        let answer = self.server.delete(&path);
        match ruled.boards.get_mut(subject).unwrap().remove(&member, now) {
            Outcome::Rejected(word) => {
                assert_eq!(answer.value()["type"], word, "step {}: {path}", self.step);
            }
            _ => assert_eq!(
                answer.status, 204,
                "step {}: {path}: {}",
                self.step, answer.body
            ),
        }
    }

    fn hide(&mut self, dice: &mut Dice) {
        let (ruled, _) = Self::any_board(dice);
        let ruled = &mut self.kinds[ruled];
        let (member, kind) = (any_member(&ruled.kind, dice), &ruled.kind.name);
        let path = format!("/v1/members/{}/hidden?kind={kind}", encoded(&member));
        let hides = dice.throw(2) == 0;
        let (answer, hidden_in) = if hides {
            ruled.hidden.insert(member.clone());
            (self.server.send("PUT", &path, &[], ""), json!([kind]))
        } else {
            ruled.hidden.remove(&member);
            (self.server.delete(&path), json!([]))
        };
        let expected = json!({"member": member, "hidden_in": hidden_in});
        compare::is_one_of(&answer, &[expected], &format!("step {}: {path}", self.step));
        let listed = self.server.get(format!("/v1/hidden?kind={kind}"));
        let expected = json!({"kind": kind, "hidden": ruled.hidden});
        compare::is_one_of(&listed, &[expected], &format!("step {}: hidden", self.step));
    }

    fn erase(&mut self, dice: &mut Dice) {
        let (ruled, _) = Self::any_board(dice);
        let ruled = &mut self.kinds[ruled];
        let member = any_member(&ruled.kind, dice);
        let path = format!("/v1/members/{}?kind={}", encoded(&member), ruled.kind.name);
        let answer = self.server.delete(&path).ok();
        ruled.hidden.remove(&member);
        let boards = ruled.boards.values_mut();
        let erased = boards
            .filter_map(|board| board.take_off(&member).then_some(()))
            .count();
        let what = format!("step {}: {path}: {answer}", self.step);
        assert_eq!(
            (&answer["erased"], &answer["next"]),
            (&json!(erased), &Value::Null),
            "{what}"
        );
    }

    fn delete_board(&mut self, dice: &mut Dice) {
        let (ruled, subject) = Self::any_board(dice);
        let ruled = &mut self.kinds[ruled];
        let board = ruled.boards.get_mut(subject).unwrap();
        let path = format!("/v1/boards/{}/{subject}", ruled.kind.name);
        let answer = self.server.delete(&path);
        let what = format!("step {}: {path}: {}", self.step, answer.body);
        if board.exists {
            assert_eq!(answer.status, 204, "{what}");
            *board = Board::default();
        } else {
            assert_eq!(answer.value()["type"], "unknown-board", "{what}");
        }
    }

    /// Settings of a board, which hold until its first contribution.
    fn settle(&mut self, dice: &mut Dice) {
        let (ruled, subject) = Self::any_board(dice);
        let ruled = &mut self.kinds[ruled];
        let board = ruled.boards.get_mut(subject).unwrap();
        let path = format!("/v1/boards/{}/{subject}", ruled.kind.name);
        let now = now_ms();
        let activity = Activity {
            starts_at: pick(dice, &[None, Some(now - 3_600_000), Some(now - 1_500)]),
            // So soon that the run goes past it.
            ends_at: pick(dice, &[None, Some(now + 6_000), Some(now + 40_000)]),
        };
        let shards = pick(dice, &[1, 4, 8]);
        let mut body = json!({"shards": shards});
        activity.put_into(&mut body);
        let expires_after = activity.ends_at.filter(|_| dice.throw(2) == 0);
        if expires_after.is_some() {
            body["expires_after"] = json!("7d");
        }
        let answer = self.server.put(&path, &body);
        let what = format!("step {}: {path} {body}: {}", self.step, answer.body);
        if board.exists {
            assert_eq!(answer.value()["type"], "board-exists", "{what}");
        } else {
            let mut expected = json!({"board": path[11..], "shards": shards});
            activity.put_into(&mut expected);
            if let Some(ends_at) = expires_after {
                expected["expires_after"] = json!("7d");
                expected["expires_at"] = json!(rfc3339(ends_at + 7 * DAY_MS));
            }
            compare::is_one_of(&answer, &[expected], &what);
            (board.shards, board.activity) = (Some(shards), activity);
        }
    }

    /// The kind shares ranks from now on, or does so no more.
    fn change_ranks(&mut self, dice: &mut Dice) {
        let (ruled, _) = Self::any_board(dice);
        let kind = &mut self.kinds[ruled].kind;
        kind.shares_ranks = !kind.shares_ranks;
        let answer = self
            .server
            .put(format!("/v1/kinds/{}", kind.name), &kind.settings());
        assert_eq!(answer.status, 200, "step {}: {}", self.step, answer.body);
    }
}

fn any_values(kind: &Kind, dice: &mut Dice) -> Vec<Option<i64>> {
    let values = kind.fields.iter().map(|_| {
        let is_named = dice.throw(if kind.mode == "accumulate" { 4 } else { 40 }) > 0;
        is_named.then(|| match dice.throw(400) {
            0 if kind.packed.is_none() => pick(dice, &[VALUE_MAX, -VALUE_MAX]),
            1 => 17,
            _ => {
                let number = i64::try_from(dice.throw(7)).unwrap();
                if kind.packed.is_some() && dice.throw(3) > 0 {
                    number
                } else {
                    number - 3
                }
            }
        })
    });
    values.collect()
}

/// The contribution as a request has it.
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
