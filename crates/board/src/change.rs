//! What may change in a kind that has boards.
//!
//! Depth, staleness, retention, closing, dedupe span, `score_ttl`, rank style (except from or to dense ranks),
//! publication, `public_read`, and the shard count of boards not yet created may change, and seasons that begin later
//! than a day from now. A window may be added; it begins at its next start. Everything else would change the meaning of
//! existing boards and is rejected.

use crate::calendar::Period;
use crate::calendar::Timestamp;
use crate::kind::Kind;
use crate::kind_error::KindError;
use crate::limits::SEASONS_AHEAD_MIN;
use crate::window_rule::WindowRule;

/// Why a kind with boards cannot be changed like this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: cannot change while the kind has boards: {reason}")]
pub struct ChangeError {
    setting: &'static str,
    reason: String,
}

fn refused(setting: &'static str, reason: impl Into<String>) -> ChangeError {
    ChangeError {
        setting,
        reason: reason.into(),
    }
}

impl Kind {
    /// Returns the kind that results from changing this one, which has boards, to `wanted`. New
    /// windows begin at their next start.
    pub fn changed_to(&self, wanted: &Self, now: Timestamp) -> Result<Self, ChangeError> {
        if self.rules().fields() != wanted.rules().fields() {
            return Err(refused(
                "fields",
                "standings are folded and ordered by the fields",
            ));
        }
        if self.rules().mode() != wanted.rules().mode() {
            return Err(refused("mode", "standings are folded by the mode"));
        }
        if self.rules().ties() != wanted.rules().ties() {
            return Err(refused("ties", "standings are ordered by the tie rule"));
        }
        let (calendar, other) = (self.calendar(), wanted.calendar());
        if calendar.time_zone() != other.time_zone() {
            return Err(refused("time_zone", "windows begin by the time zone"));
        }
        if calendar.day_start() != other.day_start() {
            return Err(refused(
                "day_starts_at",
                "windows begin by the start of the day",
            ));
        }
        if calendar.week_start() != other.week_start() {
            return Err(refused("week_starts_on", "weeks begin by it"));
        }
        if calendar.weeks_from() != other.weeks_from() {
            return Err(refused(
                "weeks_count_from",
                "windows of several weeks begin by it",
            ));
        }
        if [self, wanted].map(|kind| kind.window_rule(Period::Season).is_some()) == [true; 2]
            && !calendar.has_seasons_of_until(other, now.plus(SEASONS_AHEAD_MIN))
        {
            return Err(refused(
                "seasons",
                "seasons that have begun, or begin within a day, stay as they are",
            ));
        }
        if self.retain() != wanted.retain() {
            return Err(refused("retain", "lists are trimmed by it"));
        }
        if self.is_dense() != wanted.is_dense() {
            let reason = "dense ranks need the distinct values of a board, counted from its start";
            return Err(refused("rank", reason));
        }
        let mut spec = wanted.spec.clone();
        spec.windows = self.changed_windows(wanted, now)?;
        let differing = match (self.rules().packing(), wanted.rules().packing()) {
            (None, None) => None,
            (Some(held), Some(wanted)) => wanted.difference(held),
            _ => Some("packed"),
        };
        if let Some(setting) = differing {
            return Err(refused(setting, "standings are packed by it"));
        }
        let changed = Self::new(spec);
        let changed = changed.map_err(|error: KindError| refused("windows", error.to_string()))?;
        Ok(changed.hiding(self.hidden().clone()))
    }

    fn changed_windows(
        &self,
        wanted: &Self,
        now: Timestamp,
    ) -> Result<Vec<WindowRule>, ChangeError> {
        if wanted.windows()[0].period != self.windows()[0].period {
            return Err(refused(
                "windows",
                format!(
                    "{} is the window of reads that name none",
                    self.windows()[0].period
                ),
            ));
        }
        for rule in self.windows() {
            if wanted.window_rule(rule.period).is_none() {
                let reason = format!("{} holds standings", rule.period.as_str());
                return Err(refused("windows", reason));
            }
        }
        wanted
            .windows()
            .iter()
            .map(|rule| self.changed_window(wanted, rule, now))
            .collect()
    }

    fn changed_window(
        &self,
        wanted: &Self,
        rule: &WindowRule,
        now: Timestamp,
    ) -> Result<WindowRule, ChangeError> {
        // Seasons come with their window.
        let next = wanted.calendar().span_at(rule.period, now).end;
        if let Some(held) = self.window_rule(rule.period) {
            // The season at which it begins may have been moved.
            let is_moved = rule.period == Period::Season && held.since > Some(now);
            return Ok(WindowRule {
                since: if is_moved { next } else { held.since },
                ..*rule
            });
        }
        if next.is_none_or(|next| next > Timestamp::LATEST) {
            let period = rule.period.as_str();
            let reason = format!("{period} has no next start, so it cannot be added");
            return Err(refused("windows", reason));
        }
        Ok(WindowRule {
            since: next,
            ..*rule
        })
    }
}
