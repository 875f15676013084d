//! Boards as plain maps, and the outcomes of contributions to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::kind::{Kind, Op, Window};
use super::standing::{History, Standing, Values, compare};
use super::time::{DAY_US, MINUTE_US, rfc3339};

/// The minimum time that the settings of an empty board are kept.
const SETTINGS_KEPT_US: i64 = DAY_US;

/// The maximum time that a name is closed to events from before its board was deleted.
const NAMES_CLOSED_US: i64 = 30 * DAY_US;

/// The start, end and expiry of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Activity {
    pub(super) starts_at: Option<i64>,
    pub(super) ends_at: Option<i64>,
    pub(super) expires_after: Option<i64>,
}

impl Activity {
    pub(super) fn has_ended(&self, now: i64) -> bool {
        self.ends_at.is_some_and(|ends_at| now >= ends_at)
    }

    pub(super) fn expires_at(&self) -> Option<i64> {
        Some(self.ends_at? + self.expires_after?)
    }

    fn takes(&self, at: i64, now: i64) -> bool {
        let has_begun = self.starts_at.is_none_or(|starts_at| at >= starts_at);
        let is_before_end = self.ends_at.is_none_or(|ends_at| at < ends_at);
        has_begun && is_before_end && !self.has_ended(now)
    }

    /// Adds the properties that each response has.
    pub(super) fn put_into(&self, shape: &mut Value) {
        for (name, at) in [("starts_at", self.starts_at), ("ends_at", self.ends_at)] {
            if let Some(at) = at {
                shape[name] = json!(rfc3339(at));
            }
        }
    }
}

/// Shared between the possible states of a board.
type Members = Arc<BTreeMap<String, Arc<History>>>;

#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    /// The highest possible number of the incarnation.
    pub(super) incarnation: u64,
    /// Whether a contribution has been applied.
    pub(super) exists: bool,
    pub(super) shards: Option<u64>,
    pub(super) activity: Activity,
    /// The minimum time until which its settings are kept, unless that depends on the last write.
    kept_until: Option<i64>,
    written_at: i64,
    windows: BTreeMap<String, (Window, Members)>,
    ids: Arc<BTreeSet<(String, String)>>,
    /// Whether it has expired and no sweep has run yet: set where it is shown to readers.
    pub(super) is_unswept: bool,
    /// Members that may still be in windows past their retention, if no sweep has run yet.
    lingering: Arc<BTreeSet<String>>,
}

/// Ignores the incarnation and the remaining members, which no read shows.
impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        let times = |board: &Self| (board.kept_until, board.written_at);
        let settings = |board: &Self| (board.exists, board.shards);
        settings(self) == settings(other)
            && self.activity == other.activity
            && times(self) == times(other)
            && self.ids == other.ids
            && self.windows == other.windows
    }
}

/// A contribution to one board.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) member: String,
    pub(super) values: Values,
    pub(super) at: i64,
    pub(super) id: Option<String>,
    pub(super) is_set: bool,
    /// The name of the window, for a set of a single window.
    pub(super) window: Option<String>,
}

impl Item {
    /// Returns whether the item sets a single window, which is past its retention.
    pub(super) fn names_what_is_gone(&self, kind: &Kind, now: i64) -> bool {
        let windows = kind.windows_at(self.at).into_iter();
        let mut named = windows.filter(|window| self.window.as_ref() == Some(&window.name));
        named.any(|window| window.is_gone(now))
    }
}

/// The outcome in a receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Applied,
    /// Applied, but not in all windows of its kind.
    Partial,
    Duplicate,
    Rejected(&'static str),
}

/// Members and standings, best first.
pub(super) type Ranked = Vec<(String, Standing)>;

impl Board {
    pub(super) fn contribute(&mut self, kind: &Kind, item: &Item, now: i64) -> Outcome {
        let outcome = match self.applied(kind, item, now) {
            Ok(outcome) | Err(outcome) => outcome,
        };
        if matches!(outcome, Outcome::Applied | Outcome::Partial) {
            self.exists = true;
            self.kept_until = None;
            self.written_at = now;
        }
        outcome
    }

    fn applied(&mut self, kind: &Kind, item: &Item, now: i64) -> Result<Outcome, Outcome> {
        check(kind, item)?;
        if item.names_what_is_gone(kind, now) {
            return Err(Outcome::Rejected("window-closed"));
        }
        let windows = admitted(kind, item, now)?;
        if !self.activity.takes(item.at, now) {
            return Err(Outcome::Rejected("not-open"));
        }
        let id = item.id.clone().map(|id| (item.member.clone(), id));
        if id.as_ref().is_some_and(|id| self.ids.contains(id)) {
            return Err(Outcome::Duplicate);
        }
        let is_whole = item.window.is_some() || windows.len() == kind.windows_at(item.at).len();
        let mut changed = Vec::new();
        for window in windows {
            let held = self.history(&window.name, &item.member);
            let new = if item.is_set {
                History::set(kind, &item.values, item.at)
            } else {
                let held = held.cloned().unwrap_or_default();
                let more = held.with(kind, &item.values, item.at);
                more.map_err(|_| Outcome::Rejected("out-of-range"))?
            };
            changed.push((window, new));
        }
        for (window, history) in changed {
            let held = self.windows.entry(window.name.clone());
            let (_, members) = held.or_insert_with(|| (window, Members::default()));
            Arc::make_mut(members).insert(item.member.clone(), Arc::new(history));
        }
        if let Some(id) = id {
            Arc::make_mut(&mut self.ids).insert(id);
        }
        Ok(if is_whole {
            Outcome::Applied
        } else {
            Outcome::Partial
        })
    }

    /// Removes a member from one window, or from all, also from expired ones where it remains.
    pub(super) fn remove(
        &mut self,
        member: &str,
        window: Option<&str>,
        now: i64,
        linger: bool,
    ) -> Outcome {
        if !self.activity.takes(now, now) {
            return Outcome::Rejected("not-open");
        }
        let was_there = match window {
            Some(window) => self.windows.get_mut(window).is_some_and(|(_, members)| {
                members.contains_key(member) && Arc::make_mut(members).remove(member).is_some()
            }),
            None => self.take_off(member, linger),
        };
        if was_there {
            self.written_at = now;
            Outcome::Applied
        } else {
            Outcome::Rejected("not-ranked")
        }
    }

    pub(super) fn take_off(&mut self, member: &str, linger: bool) -> bool {
        let lingers = linger && self.lingering.contains(member);
        if lingers {
            Arc::make_mut(&mut self.lingering).remove(member);
        }
        let windows = self.windows.values_mut().map(|(_, members)| members);
        let mut held = windows
            .filter(|members| members.contains_key(member))
            .peekable();
        let is_held = held.peek().is_some();
        for members in held {
            Arc::make_mut(members).remove(member);
        }
        is_held || lingers
    }

    /// Returns the board without the windows past their retention, and without expired ids.
    pub(super) fn without_what_is_gone(&self, now: i64) -> Self {
        let mut left = self.clone();
        let gone = left
            .windows
            .extract_if(.., |_, (window, _)| window.is_gone(now));
        let gone: Vec<String> = gone
            .flat_map(|(_, (_, members))| members.keys().cloned().collect::<Vec<_>>())
            .collect();
        if !gone.is_empty() {
            Arc::make_mut(&mut left.lingering).extend(gone);
        }
        let days = days_of_ids(now);
        let is_used = |(_, id): &(String, String)| days.iter().any(|day| id.ends_with(day));
        if !left.ids.iter().all(is_used) {
            Arc::make_mut(&mut left.ids).retain(is_used);
        }
        left
    }

    /// Merges with a state that is the same to all reads.
    pub(super) fn is_also(&mut self, other: &Self) {
        self.incarnation = self.incarnation.max(other.incarnation);
        if !other.lingering.is_subset(&self.lingering) {
            Arc::make_mut(&mut self.lingering).extend(other.lingering.iter().cloned());
        }
    }

    pub(super) fn has_expired(&self, now: i64) -> bool {
        self.activity.expires_at().is_some_and(|at| now >= at)
    }

    /// Returns the board as reads see it: empty if it has expired.
    pub(super) fn visible(&self, now: i64) -> Self {
        if self.has_expired(now) {
            Self {
                is_unswept: true,
                ..Self::of_incarnation(self.incarnation + 1)
            }
        } else {
            self.clone()
        }
    }

    fn of_incarnation(incarnation: u64) -> Self {
        Self {
            incarnation,
            ..Self::default()
        }
    }

    /// Records a write. Its exact time must not decide anything.
    pub(super) fn is_written_at(&mut self, now: i64, about: i64) {
        if self.written_at == now {
            self.written_at = about;
        }
    }

    /// Replaces the settings.
    pub(super) fn settle(&mut self, shards: u64, activity: Activity, now: i64) {
        *self = Self {
            shards: Some(shards),
            activity,
            written_at: now,
            ..Self::of_incarnation(self.incarnation)
        };
    }

    /// Changes the activity of a board with contributions, if that is allowed. Returns whether it is.
    pub(super) fn resettle(&mut self, activity: &Activity, now: i64) -> bool {
        let held = &self.activity;
        let is_allowed = if held == activity {
            true
        } else if held.expires_at().is_some_and(|at| now >= at) {
            false
        } else if held.has_ended(now) {
            let spans = |activity: &Activity| (activity.starts_at, activity.ends_at);
            let is_longer = match (held.expires_after, activity.expires_after) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(held), Some(wanted)) => wanted >= held,
            };
            spans(held) == spans(activity) && is_longer
        } else {
            !activity.has_ended(now)
        };
        if is_allowed {
            self.activity = activity.clone();
        }
        is_allowed
    }

    /// Returns whether the store has contributions or settings of the name.
    pub(super) fn is_there(&self) -> bool {
        self.exists || self.shards.is_some() || self.activity != Activity::default()
    }

    /// Resets the board.
    pub(super) fn delete(&mut self) {
        *self = Self::of_incarnation(self.incarnation + 1);
    }

    /// Returns what a sweep up to this time may leave, if it may delete the board.
    pub(super) fn swept(&self, kind: &Kind, now: i64) -> Vec<Self> {
        let holds =
            |(window, members): &(Window, Members)| !window.is_gone(now) && !members.is_empty();
        let is_spent = !self.windows.values().any(holds) && now >= self.stays_until();
        if !self.is_there() || !(is_spent || self.has_expired(now)) {
            return Vec::new();
        }
        let mut swept = Vec::new();
        let left = Self::of_incarnation(self.incarnation + 1);
        let mut is_closed = false;
        if let Some(gone_at) = self.activity.expires_at().or(self.activity.ends_at) {
            let last = gone_at + NAMES_CLOSED_US;
            let until = kind.admits_until(gone_at - 1);
            let until = until.map_or(last, |until| until.min(last));
            is_closed = until > now;
            // A sweep may have been earlier, while no request was about this board.
            if until > self.stays_until() {
                let mut closed = left.clone();
                closed.activity.starts_at = Some(gone_at);
                closed.kept_until = Some(until.max(gone_at + SETTINGS_KEPT_US));
                swept.push(closed);
            }
        }
        if !is_closed {
            swept.push(left);
        }
        swept
    }

    fn stays_until(&self) -> i64 {
        let named = self.activity.starts_at.max(self.activity.ends_at);
        match (self.kept_until, self.activity.expires_at()) {
            (Some(at), _) | (None, Some(at)) => at,
            // Without an activity it may be deleted as soon as it is empty.
            _ if self.exists && named.is_none() => self.written_at,
            _ => named.unwrap_or(0).max(self.written_at) + SETTINGS_KEPT_US,
        }
    }

    /// Returns the times at which the board changes without a write.
    pub(super) fn edges(&self) -> impl Iterator<Item = i64> {
        let own = [self.activity.ends_at, self.activity.expires_at()];
        own.into_iter().flatten()
    }

    pub(super) fn windows(&self) -> impl Iterator<Item = &Window> {
        self.windows.values().map(|(window, _)| window)
    }

    pub(super) fn history(&self, window: &str, member: &str) -> Option<&History> {
        let (_, members) = self.windows.get(window)?;
        members.get(member).map(Arc::as_ref)
    }

    pub(super) fn ranked(&self, kind: &Kind, window: &str) -> Ranked {
        let members = self.windows.get(window).into_iter();
        let members = members.flat_map(|(_, members)| members.iter());
        let standings = members.map(|(member, history)| (member.clone(), history.standing(kind)));
        let mut ranked: Ranked = standings.collect();
        ranked.sort_by(|a, b| compare(kind, (&b.1, &b.0), (&a.1, &a.0)));
        ranked
    }
}

/// Returns the suffixes of the ids in use: yesterday's, since an id may have been drawn just before
/// midnight, and today's.
pub(super) fn days_of_ids(now: i64) -> [String; 2] {
    [now - DAY_US, now].map(|at| format!("of{}", at / DAY_US))
}

/// Checks that the values fit the kind.
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

/// Returns the windows that the contribution counts in.
fn admitted(kind: &Kind, item: &Item, now: i64) -> Result<Vec<Window>, Outcome> {
    if item.at > now + 5 * MINUTE_US {
        return Err(Outcome::Rejected("from-the-future"));
    }
    let mut windows = kind.windows_at(item.at);
    windows.retain(|window| !window.is_closed(now) && !window.is_gone(now));
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
