//! Boards as plain maps, and what becomes of contributions to them.

use std::collections::{BTreeMap, HashSet};

use end_to_end::clock::{MINUTE_MS, rfc3339};
use serde_json::{Value, json};

use super::kind::{Kind, Op, Window};
use super::standing::{History, Standing, Values, compare, kept};

/// The time of one board.
#[derive(Clone, Debug, Default)]
pub(super) struct Activity {
    pub(super) starts_at: Option<i64>,
    pub(super) ends_at: Option<i64>,
}

impl Activity {
    pub(super) fn has_ended(&self, now: i64) -> bool {
        self.ends_at.is_some_and(|ends_at| now >= ends_at)
    }

    fn takes(&self, at: i64, now: i64) -> bool {
        let has_begun = self.starts_at.is_none_or(|starts_at| at >= starts_at);
        let is_before_end = self.ends_at.is_none_or(|ends_at| at < ends_at);
        has_begun && is_before_end && !self.has_ended(now)
    }

    /// What each answer says of it.
    pub(super) fn put_into(&self, shape: &mut Value) {
        for (name, at) in [("starts_at", self.starts_at), ("ends_at", self.ends_at)] {
            if let Some(at) = at {
                shape[name] = json!(rfc3339(at));
            }
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    /// Whether it has had a contribution that was applied.
    pub(super) exists: bool,
    pub(super) shards: Option<u64>,
    pub(super) activity: Activity,
    windows: BTreeMap<String, BTreeMap<String, History>>,
    ids: HashSet<(String, String)>,
}

/// One contribution to one board.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) member: String,
    pub(super) values: Values,
    pub(super) at: i64,
    pub(super) id: Option<String>,
    pub(super) is_set: bool,
    /// A set of one window alone.
    pub(super) window: Option<String>,
}

/// What a receipt says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Applied,
    Duplicate,
    Rejected(&'static str),
}

/// Who stands where, best first.
pub(super) type Ranked = Vec<(String, Standing)>;

impl Board {
    pub(super) fn contribute(&mut self, kind: &Kind, item: &Item, now: i64) -> Outcome {
        let outcome = match self.applied(kind, item, now) {
            Ok(()) => Outcome::Applied,
            Err(outcome) => outcome,
        };
        self.exists |= matches!(outcome, Outcome::Applied);
        outcome
    }

    fn applied(&mut self, kind: &Kind, item: &Item, now: i64) -> Result<(), Outcome> {
        check(kind, item)?;
        let windows = admitted(kind, item, now)?;
        if !self.activity.takes(kept(kind, item.at), now) {
            return Err(Outcome::Rejected("not-open"));
        }
        let id = item.id.clone().map(|id| (item.member.clone(), id));
        if id.as_ref().is_some_and(|id| self.ids.contains(id)) {
            return Err(Outcome::Duplicate);
        }
        let mut changed = Vec::new();
        for window in windows {
            let held = self.windows.get(&window.name);
            let held = held.and_then(|members| members.get(&item.member));
            let new = if item.is_set {
                History::set(kind, &item.values, item.at)
            } else {
                let held = held.cloned().unwrap_or_default();
                let more = held.with(kind, &item.values, item.at);
                more.map_err(|_| Outcome::Rejected("out-of-range"))?
            };
            changed.push((window.name, new));
        }
        for (window, history) in changed {
            let members = self.windows.entry(window).or_default();
            members.insert(item.member.clone(), history);
        }
        self.ids.extend(id);
        Ok(())
    }

    /// Takes a member off all windows.
    pub(super) fn remove(&mut self, member: &str, now: i64) -> Outcome {
        if self.exists && !self.activity.takes(now, now) {
            return Outcome::Rejected("not-open");
        }
        if self.take_off(member) {
            Outcome::Applied
        } else {
            Outcome::Rejected("not-ranked")
        }
    }

    pub(super) fn take_off(&mut self, member: &str) -> bool {
        let windows = self.windows.values_mut();
        windows.filter_map(|members| members.remove(member)).count() > 0
    }

    pub(super) fn windows(&self) -> impl Iterator<Item = &String> {
        self.windows.keys()
    }

    pub(super) fn history(&self, window: &str, member: &str) -> Option<&History> {
        self.windows.get(window)?.get(member)
    }

    pub(super) fn ranked(&self, kind: &Kind, window: &str) -> Ranked {
        let members = self.windows.get(window).into_iter().flatten();
        let standings = members.map(|(member, history)| (member.clone(), history.standing(kind)));
        let mut ranked: Ranked = standings.collect();
        ranked.sort_by(|a, b| compare(kind, (&b.1, &b.0), (&a.1, &a.0)));
        ranked
    }
}

/// Whether the values are such as the kind takes.
fn check(kind: &Kind, item: &Item) -> Result<(), Outcome> {
    let named = item.values.iter().flatten().count();
    let is_whole = match kind.mode {
        "accumulate" => named > 0 || kind.fields.iter().any(|field| field.op == Op::Sum),
        _ => named == kind.fields.len(),
    };
    if !is_whole {
        return Err(Outcome::Rejected("invalid"));
    }
    let adds = kind.mode == "accumulate" && kind.fields[0].op == Op::Sum && !item.is_set;
    let fits = |packed: &super::kind::Packed| {
        adds || item
            .values
            .iter()
            .flatten()
            .all(|value| (0..=packed.most).contains(value))
    };
    if kind.packed.as_ref().is_none_or(fits) {
        Ok(())
    } else {
        Err(Outcome::Rejected("out-of-range"))
    }
}

/// The windows that the contribution counts in.
fn admitted(kind: &Kind, item: &Item, now: i64) -> Result<Vec<Window>, Outcome> {
    if item.at > now + 5 * MINUTE_MS {
        return Err(Outcome::Rejected("from-the-future"));
    }
    let mut windows = kind.windows_at(item.at);
    windows.retain(|window| !window.is_closed(now));
    if windows.is_empty() {
        return Err(Outcome::Rejected("window-closed"));
    }
    if let Some(packed) = &kind.packed
        && windows.iter().any(|window| window.name == "all")
        && !(packed.from..packed.until).contains(&item.at)
    {
        return Err(Outcome::Rejected("out-of-range"));
    }
    if let Some(named) = &item.window {
        windows.retain(|window| window.name == *named);
    }
    if windows.is_empty() {
        return Err(Outcome::Rejected("window-closed"));
    }
    Ok(windows)
}
