//! The expected responses of reads of a window of a board.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::board::{Board, Ranked};
use super::kind::{Kind, Op, Window};
use super::standing::{Standing, Values, compare, compare_values, kept};
use super::time::rfc3339;

/// The range of changes tried for `to_target`; no first field is further away.
pub(super) const CHANGE_MAX: i64 = 200;

/// One window of a board at a time of the server's clock.
pub(super) struct View<'a> {
    pub(super) kind: &'a Kind,
    pub(super) board: &'a Board,
    pub(super) name: &'a str,
    pub(super) window: &'a Window,
    pub(super) now: i64,
    /// All standings, including hidden members.
    all: Ranked,
    /// The members that are shown.
    shown: Ranked,
    pub(super) hidden: &'a BTreeSet<String>,
}

impl<'a> View<'a> {
    pub(super) fn of(
        kind: &'a Kind,
        board: &'a Board,
        name: &'a str,
        window: &'a Window,
        hidden: &'a BTreeSet<String>,
        now: i64,
    ) -> Self {
        let all = board.ranked(kind, &window.name);
        let mut shown = all.clone();
        shown.truncate(kind.keep.unwrap_or(usize::MAX));
        shown.retain(|(member, _)| !hidden.contains(member));
        Self {
            kind,
            board,
            name,
            window,
            now,
            all,
            shown,
            hidden,
        }
    }

    /// Adds the common properties of all responses.
    fn around(&self, body: Value) -> Value {
        let mut shape = json!({
            "board": self.name, "window": self.window.name, "members": self.shown.len(),
        });
        if let Some(keep) = self.kind.keep {
            shape["listed"] = json!(keep);
        }
        if self.is_final() {
            shape["final"] = json!(true);
        }
        self.board.activity.put_into(&mut shape);
        let Value::Object(body) = body else {
            panic!("{body}")
        };
        shape.as_object_mut().unwrap().extend(body);
        shape
    }

    pub(super) fn is_final(&self) -> bool {
        let then = self.now - self.kind.final_late_us;
        !self.board.is_unswept
            && (self.window.is_closed(then) || self.board.activity.has_ended(then))
    }

    fn rank_at(&self, index: usize) -> usize {
        let own = &self.shown[index].1.values;
        let shared = self
            .shown
            .iter()
            .position(|(_, standing)| standing.values == *own);
        match self.kind.rank {
            "dense" => self.values_before(shared.unwrap()) + 1,
            "competition" => shared.unwrap() + 1,
            _ => index + 1,
        }
    }

    /// Returns the number of distinct values of the best members that are shown.
    fn values_before(&self, index: usize) -> usize {
        let values = self.shown[..index.min(self.shown.len())].iter();
        let mut values: Vec<&Values> = values.map(|(_, standing)| &standing.values).collect();
        values.dedup();
        values.len()
    }

    fn fields(&self, values: &Values, shape: &mut Value) {
        if self.kind.is_by_points() {
            shape["points"] = json!(values[0]);
            return;
        }
        let named = self.kind.fields.iter().zip(values);
        let named = named.map(|(field, value)| (field.name.to_owned(), json!(value)));
        shape["values"] = Value::Object(named.collect::<Map<_, _>>());
    }

    fn entry_of(&self, rank: Option<usize>, member: &str, standing: &Standing) -> Value {
        let mut shape = json!({
            "rank": rank, "member": member, "reached_at": rfc3339(standing.at),
        });
        self.fields(&standing.values, &mut shape);
        shape
    }

    fn entry(&self, index: usize) -> Value {
        let (member, standing) = &self.shown[index];
        let mut shape = self.entry_of(Some(self.rank_at(index)), member, standing);
        if self.kind.rank != "ordinal" {
            shape["position"] = json!(index + 1);
        }
        shape
    }

    fn entries(&self, indices: impl Iterator<Item = usize>) -> Value {
        let entries: Vec<Value> = indices.map(|index| self.entry(index)).collect();
        self.around(json!({"entries": entries}))
    }

    pub(super) fn top(&self, n: usize) -> Value {
        self.entries(0..self.shown.len().min(n))
    }

    /// Returns the first of these entries, at most `limit`, read from the worst or from the best, and whether more
    /// entries of the board may follow.
    fn page(&self, mut indices: Vec<usize>, limit: usize, worst: bool) -> Value {
        if worst {
            indices.reverse();
        }
        indices.truncate(limit);
        let end = if worst {
            0
        } else {
            self.shown.len().saturating_sub(1)
        };
        let more = indices.len() == limit && indices.last() != Some(&end);
        let mut page = self.entries(indices.into_iter());
        if more {
            page["next"] = json!(true);
        }
        page
    }

    pub(super) fn pages(&self, from: usize, to: usize, worst: bool) -> Value {
        let len = self.shown.len();
        let before = (from - 1).min(len);
        let indices = if worst { 0..len - before } else { before..len };
        self.page(indices.collect(), to + 1 - from, worst)
    }

    /// Returns the entries that follow a member.
    pub(super) fn after(&self, member: &str, limit: usize, worst: bool) -> Value {
        let indices = match self.index_of(member) {
            Some(index) if worst => (0..index).collect(),
            Some(index) => (index + 1..self.shown.len()).collect(),
            None => Vec::new(),
        };
        self.page(indices, limit, worst)
    }

    fn between(&self, min: Option<i64>, max: Option<i64>) -> Vec<usize> {
        let lies = |index: &usize| {
            self.shown[*index].1.values[0].is_some_and(|value| {
                min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)
            })
        };
        (0..self.shown.len()).filter(lies).collect()
    }

    pub(super) fn range(
        &self,
        (min, max): (Option<i64>, Option<i64>),
        limit: usize,
        worst: bool,
    ) -> Value {
        self.page(self.between(min, max), limit, worst)
    }

    pub(super) fn count(&self, min: Option<i64>, max: Option<i64>) -> Value {
        self.around(json!({"count": self.between(min, max).len()}))
    }

    fn index_of(&self, member: &str) -> Option<usize> {
        self.shown.iter().position(|(other, _)| other == member)
    }

    /// Returns the standing of a member that is not hidden, on the list or off it.
    fn standing_of(&self, member: &str) -> Option<&Standing> {
        if self.hidden.contains(member) {
            return None;
        }
        let held = self.all.iter().find(|(other, _)| other == member)?;
        Some(&held.1)
    }

    pub(super) fn lookup(&self, members: &[String]) -> Value {
        let found = members.iter().map(|member| match self.index_of(member) {
            Some(index) => self.entry(index),
            None => match self.standing_of(member) {
                Some(standing) => self.entry_of(None, member, standing),
                None => json!({"rank": null, "member": member}),
            },
        });
        self.around(json!({"entries": found.collect::<Value>()}))
    }

    /// Returns the neighbours, or the problem.
    pub(super) fn neighbours(
        &self,
        member: &str,
        above: usize,
        below: usize,
    ) -> Result<Value, &'static str> {
        match self.index_of(member) {
            Some(index) => {
                let end = self.shown.len().min(index + below + 1);
                let mut around = self.entries(index.saturating_sub(above)..end);
                if end < self.shown.len() {
                    around["next"] = json!(true);
                }
                Ok(around)
            }
            None if self.standing_of(member).is_some() => Err("not-listed"),
            None => Err("not-ranked"),
        }
    }

    /// Returns a member, or the problem.
    pub(super) fn member(
        &self,
        member: &str,
        target: Option<usize>,
    ) -> Result<Value, &'static str> {
        let standing = self.standing_of(member).ok_or("not-ranked")?;
        let index = self.index_of(member);
        let mut shape = self.entry_of(index.map(|index| self.rank_at(index)), member, standing);
        shape["position"] = json!(index.map(|index| index + 1));
        shape["percentile"] = json!(index.map(|index| self.percentile(index)));
        let above = index.and_then(|index| index.checked_sub(1));
        let below = index
            .map(|index| index + 1)
            .filter(|index| *index < self.shown.len());
        for (name, neighbour) in [("above", above), ("below", below)] {
            shape[name] = json!(neighbour.map(|index| {
                let mut entry = self.entry(index);
                let first = |values: &Values| values[0];
                let both = (first(&self.shown[index].1.values), first(&standing.values));
                entry["gap"] = match both {
                    (Some(a), Some(b)) => json!((a - b).abs()),
                    _ => Value::Null,
                };
                entry
            }));
        }
        if let Some(target) = target {
            shape["to_target"] = json!(self.to_target(member, standing, index, target));
        }
        Ok(self.around(shape))
    }

    #[expect(clippy::cast_precision_loss, reason = "boards of some hundred members")]
    fn percentile(&self, index: usize) -> f64 {
        match self.shown.len() {
            1 => 100.0,
            members => 100.0 * (members - index - 1) as f64 / (members - 1) as f64,
        }
    }

    /// Returns the smallest change that gives that position now, by trying all.
    fn to_target(
        &self,
        member: &str,
        own: &Standing,
        index: Option<usize>,
        target: usize,
    ) -> Option<i64> {
        if index.is_some_and(|index| index < target) {
            return Some(0);
        }
        // A list without an entry at that position has no target.
        self.shown.get(target - 1)?;
        let history = self.board.history(&self.window.name, member).unwrap();
        let adds = self.kind.mode == "accumulate" && self.kind.fields[0].op == Op::Sum;
        let from = own.values[0].unwrap_or(0);
        let reaches = |change: &i64| {
            let mut values = match self.kind.mode {
                "accumulate" => vec![None; self.kind.fields.len()],
                _ => own.values.clone(),
            };
            values[0] = Some(if adds { *change } else { from + change });
            let most = self.kind.packed.as_ref().map(|packed| packed.most);
            if !adds && most.is_some_and(|most| !(0..=most).contains(&(from + change))) {
                return false;
            }
            let Ok(after) = history.with(self.kind, &values, self.now) else {
                return false;
            };
            let after = after.standing(self.kind);
            let others = self.shown.iter().filter(|(other, _)| other != member);
            let better = others.filter(|(other, standing)| {
                compare(self.kind, (standing, other), (&after, member)).is_gt()
            });
            better.count() < target
        };
        (0..=CHANGE_MAX)
            .flat_map(|size| [size, -size])
            .find(reaches)
    }

    /// Returns the position of a member reaching these values now.
    pub(super) fn rank(&self, values: &Values) -> Value {
        let values = self.kind.fields.iter().zip(values);
        let sums = self.kind.mode == "accumulate";
        let values = values.map(|(field, value)| match field.op {
            Op::Sum if sums => value.or(Some(0)),
            _ => *value,
        });
        let values: Values = values.collect();
        let at = kept(self.kind, self.now);
        let is_better = |standing: &Standing| {
            let fields = compare_values(self.kind, &standing.values, &values);
            // It is placed after all equal standings.
            let ties = match self.kind.ties {
                "earliest" => at.cmp(&standing.at),
                "latest" => standing.at.cmp(&at),
                _ => Ordering::Equal,
            };
            fields.then(ties).is_ge()
        };
        let above = self
            .all
            .iter()
            .filter(|(_, standing)| is_better(standing))
            .count();
        let is_shown = |member: &String| !self.hidden.contains(member);
        let shown_above = self.all[..above]
            .iter()
            .filter(|(member, _)| is_shown(member))
            .count();
        let better_fields = self.all.iter().filter(|(member, standing)| {
            is_shown(member) && compare_values(self.kind, &standing.values, &values).is_gt()
        });
        let rank = match self.kind.rank {
            "dense" => self.values_before(better_fields.count()),
            "competition" => better_fields.count(),
            _ => shown_above,
        };
        let is_listed = self.kind.keep.is_none_or(|keep| above < keep);
        self.around(json!({
            "rank": is_listed.then_some(rank + 1),
            "position": is_listed.then_some(shown_above + 1),
        }))
    }

    /// Returns whether a standing was reached in this period, so that the tie with a new one is
    /// uncertain.
    pub(super) fn has_within(&self, from: i64, to: i64) -> bool {
        self.all
            .iter()
            .any(|(_, standing)| (from..=to).contains(&standing.at))
    }

    pub(super) fn first_fields_reach(&self) -> i64 {
        let first = self
            .all
            .iter()
            .filter_map(|(_, standing)| standing.values[0]);
        first.map(i64::abs).max().unwrap_or(0)
    }

    /// Returns the standing after a write, as in a receipt; `ranks` adds its rank.
    pub(super) fn written(&self, member: &str, ranks: bool) -> Value {
        let history = self.board.history(&self.window.name, member).unwrap();
        let standing = history.standing(self.kind);
        let mut shape = json!({"window": self.window.name, "reached_at": rfc3339(standing.at)});
        self.fields(&standing.values, &mut shape);
        if ranks {
            let index = self.index_of(member);
            shape["rank"] = json!(index.map(|index| self.rank_at(index)));
            shape["position"] = json!(index.map(|index| index + 1));
        }
        shape
    }

    pub(super) fn members(&self) -> usize {
        self.shown.len()
    }
}
