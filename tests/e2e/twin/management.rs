//! Random writes to boards, kinds and members as a whole, and their expected responses: members are hidden and erased,
//! boards deleted and given settings, ranks shared or not.

use serde_json::{Value, json};
use testkit::dice::Dice;
use testkit::encoded;

use super::board::Activity;
use super::compare;
use super::possible::WriteCase;
use super::time::{DAY_US, HOUR_US, rfc3339};
use super::world::{World, any_member};

impl World {
    pub(super) fn hide(&mut self, dice: &mut Dice) {
        let (kind_index, _) = Self::any_board(dice);
        let state = &mut self.kinds[kind_index];
        state.changes.update(|changes| changes + 1);
        let (member, kind) = (any_member(&state.kind, dice), &state.kind.name);
        let path = format!("/v1/members/{}/hidden?kind={kind}", encoded(&member));
        let hides = dice.below(2) == 0;
        let (response, hidden_in) = if hides {
            state.hidden.insert(member.clone());
            (self.server.send("PUT", &path, &[], ""), json!([kind]))
        } else {
            state.hidden.remove(&member);
            (self.server.delete(&path), json!([]))
        };
        let expected = json!({"member": member, "hidden_in": hidden_in});
        compare::is(&response, expected, &format!("step {}: {path}", self.step));
        let listed = self.server.get(format!("/v1/hidden?kind={kind}"));
        let expected = json!({"kind": kind, "hidden": state.hidden});
        compare::is(&listed, expected, &format!("step {}: hidden", self.step));
    }

    pub(super) fn erase(&mut self, dice: &mut Dice) {
        let (kind_index, _) = Self::any_board(dice);
        let state = &mut self.kinds[kind_index];
        let member = any_member(&state.kind, dice);
        state.hidden.remove(&member);
        state.changes.update(|changes| changes + 1);
        let state = &self.kinds[kind_index];
        let path = format!("/v1/members/{}?kind={}", encoded(&member), state.kind.name);
        let (response, moments) = self.asked(|server| server.delete(&path));
        let response = response.ok();
        let (mut least, mut most) = (0, 0);
        for board in state.boards.values() {
            let cases = [false, true].into_iter().flat_map(|linger| {
                board.cases(&state.kind, &moments, |board, _| {
                    board.take_off(&member, linger)
                })
            });
            let cases: Vec<WriteCase<bool>> = cases.collect();
            least += usize::from(cases.iter().all(|case| case.outcome));
            most += usize::from(cases.iter().any(|case| case.outcome));
            board.keep(cases.into_iter().map(|case| case.board));
        }
        let erased = usize::try_from(response["erased"].as_u64().unwrap()).unwrap();
        let what = format!("step {}: {path}: {response}", self.step);
        assert!(
            (least..=most).contains(&erased),
            "{what}: {least} to {most}"
        );
        assert_eq!(response["next"], Value::Null, "{what}");
    }

    pub(super) fn delete_board(&self, dice: &mut Dice) {
        let (kind_index, subject) = Self::any_board(dice);
        let state = &self.kinds[kind_index];
        let path = format!("/v1/boards/{}/{subject}", state.kind.name);
        let (response, moments) = self.asked(|server| server.delete(&path));
        let board = &state.boards[subject];
        let cases = board.cases(&state.kind, &moments, |board, _| {
            let is_there = board.is_there();
            if is_there {
                board.delete();
            }
            is_there
        });
        self.keep_fitting(board, cases, &path, &response, |is_there| {
            let is_unknown = response.status == 404 && response.value()["type"] == "unknown-board";
            if *is_there {
                response.status == 204
            } else {
                is_unknown
            }
        });
    }

    /// Puts settings of a board. After its first contribution the number of shards stays, and after its
    /// end all but a longer retention.
    pub(super) fn settle(&self, dice: &mut Dice) {
        let (kind_index, subject) = Self::any_board(dice);
        let state = &self.kinds[kind_index];
        let path = format!("/v1/boards/{}/{subject}", state.kind.name);
        let now = self.time.now();
        let ends = [6_000_000, 40_000_000, HOUR_US].map(|by| Some(now + by));
        let ends_at = *dice.pick(&[None, ends[0], ends[1], ends[2]]);
        let expires = [
            None,
            Some(1_000),
            Some(3_000_000),
            Some(HOUR_US),
            Some(7 * DAY_US),
        ];
        let activity = Activity {
            starts_at: *dice.pick(&[None, Some(now - HOUR_US), Some(now - 1_500_000)]),
            ends_at,
            expires_after: ends_at.and(*dice.pick(&expires)),
        };
        let shards = (*dice.pick(&[1, 4, 8])).min(state.kind.shards_max);
        let mut body = json!({"shards": shards});
        activity.put_into(&mut body);
        if let Some(span) = activity.expires_after {
            body["expires_after"] = json!(format!("{}ms", span / 1_000));
        }
        let mut settled = json!({"board": path[11..], "shards": shards});
        activity.put_into(&mut settled);
        if let Some(at) = activity.expires_at() {
            settled["expires_at"] = json!(rfc3339(at));
        }
        let (response, moments) = self.asked(|server| server.put(&path, &body));
        let board = &state.boards[subject];
        let cases = board.cases(&state.kind, &moments, |board, now| {
            if board.exists {
                let has_shards = board.shards.unwrap_or(state.kind.shards) == shards;
                return !(has_shards && board.resettle(&activity, now));
            }
            board.settle(shards, activity.clone(), now);
            false
        });
        let mut shown = response.value();
        if let Some(shown) = shown.as_object_mut() {
            shown.remove("expires_after");
        }
        if response.status == 200 {
            // The new end may be later than the previous one.
            board.changes.update(|changes| changes + 1);
        }
        let what = format!("{path} {body}");
        self.keep_fitting(board, cases, &what, &response, |is_refused| {
            if *is_refused {
                shown["type"] == "board-exists"
            } else {
                response.status == 200 && shown == settled
            }
        });
    }

    /// Changes whether the kind shares ranks. Dense ranks cannot change.
    pub(super) fn change_ranks(&mut self, dice: &mut Dice) {
        let (kind_index, _) = Self::any_board(dice);
        let state = &mut self.kinds[kind_index];
        state.changes.update(|changes| changes + 1);
        let kind = &mut state.kind;
        kind.rank = match kind.rank {
            "ordinal" => "competition",
            "competition" => "ordinal",
            other => other,
        };
        let response = self
            .server
            .put(format!("/v1/kinds/{}", kind.name), &kind.settings());
        assert_eq!(
            response.status, 200,
            "step {}: {}",
            self.step, response.body
        );
    }
}
