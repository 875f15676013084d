//! [`Retain`]: kinds that rank only the best members of a board.
//!
//! Every member's standing is kept; members that are not among the best `keep` have no rank. A
//! store may let a list grow to `trim_at` before it trims it to `keep`, and has no index of the
//! members off the list. So a standing on the list must never become worse than one off it.
//! [`Retain::check`] determines from the rules whether standings can become worse.

use serde::{Deserialize, Serialize};

use crate::kind_error::KindError;
use crate::limits::{RETAIN_MAX, TRIM_AT_MAX};
use crate::rules::{Mode, Op, Rules};
use crate::ties::{Direction, Ties};

/// How much of a board is ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Retain {
    /// Number of members that are ranked: the best of the whole board.
    pub keep: u64,
    /// Maximum entries of a shard's sorted set: a write that would exceed it first trims the set to
    /// `keep`.
    pub trim_at: u64,
    /// Accepts rules under which contributions may lower standings. The list may then lack members
    /// that are better than its last.
    pub approximate: bool,
}

impl Retain {
    /// Returns an exact list of the best `keep`, with a fifth of that as slack.
    #[must_use]
    pub const fn best(keep: u64) -> Self {
        let fifth = keep / 5;
        let slack = if fifth == 0 { 1 } else { fifth };
        Self {
            keep,
            trim_at: keep.saturating_add(slack),
            approximate: false,
        }
    }

    pub(crate) fn check(&self, rules: &Rules, top: u64) -> Result<(), KindError> {
        let Self { keep, trim_at, .. } = *self;
        let is_valid = (1..=RETAIN_MAX).contains(&keep);
        let reason = format!("{keep} is not between 1 and {RETAIN_MAX}");
        KindError::unless(is_valid, "retain.keep", reason)?;
        let is_valid = trim_at > keep && trim_at <= TRIM_AT_MAX;
        let reason = format!("{trim_at} is not above keep, {keep}, and at most {TRIM_AT_MAX}");
        KindError::unless(is_valid, "retain.trim_at", reason)?;
        let reason = format!("{top} is more than retain.keep, {keep}");
        KindError::unless(top <= keep, "top", reason)?;
        let Some(why) = falls(rules).filter(|_| !self.approximate) else {
            return Ok(());
        };
        let mut reason = format!(
            "{why} below those of members who were trimmed off the list: add approximate = true"
        );
        if rises_by_positive_deltas(rules) {
            reason.push_str(" (the list stays exact while no delta is negative)");
        }
        Err(KindError::new("retain", reason))
    }
}

/// Returns why a contribution may lower a standing, if one may.
fn falls(rules: &Rules) -> Option<String> {
    if rules.mode() == Mode::Latest {
        return Some("mode latest can lower standings".to_owned());
    }
    if rules.ties() == Ties::Latest {
        // The same value with an earlier time takes that time.
        return Some("ties latest lets an earlier time lower standings".to_owned());
    }
    if rules.mode() == Mode::Best {
        return None;
    }
    let falling = rules.fields().iter().find_map(|field| {
        let op = match (field.op, field.order) {
            (Op::Max, Direction::Desc) | (Op::Min, Direction::Asc) => return None,
            (Op::Sum, _) => "sum",
            (Op::Last, _) => "last",
            (Op::Max, Direction::Asc) => "max, where lower is better,",
            (Op::Min, Direction::Desc) => "min, where higher is better,",
        };
        Some((&field.name, op))
    });
    falling.map(|(name, op)| format!("field {name} has op {op} which can lower standings"))
}

/// Returns whether only a negative delta can lower a standing.
fn rises_by_positive_deltas(rules: &Rules) -> bool {
    let rises = |op, order| {
        matches!(
            (op, order),
            (Op::Sum | Op::Max, Direction::Desc) | (Op::Min, Direction::Asc)
        )
    };
    let mut fields = rules.fields().iter();
    rules.mode() == Mode::Accumulate
        && rules.ties() != Ties::Latest
        && fields.all(|field| rises(field.op, field.order))
}
