//! Warning of entries that are older than ids are remembered: [`AgeWarning`].
//!
//! An entry that was sent before counts once only while its id is remembered. Entries that are not redelivered may also
//! have been sent before, by another group or by this one before it was lost.

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::entry::{Line, StreamEntry};
use super::reader::report;
use super::send::EntrySender;

/// The minimum time between two warnings.
const REPORTED_EVERY: Duration = Duration::from_mins(1);

/// Warns of old entries.
#[derive(Default)]
pub(super) struct AgeWarning {
    reported: Option<Instant>,
}

impl AgeWarning {
    /// Compares the age of entries with the dedupe span of their kinds. `lines` have the index of their entry.
    pub(super) async fn check(
        &mut self,
        sender: &mut EntrySender,
        entries: &[StreamEntry],
        lines: &[(usize, &Line)],
    ) {
        let is_recent = |reported: Instant| reported.elapsed() < REPORTED_EVERY;
        if self.reported.is_some_and(is_recent) {
            return;
        }
        let (mut kinds, mut oldest) = (BTreeSet::new(), u64::MAX);
        for (index, line) in lines {
            kinds.extend(line.kind.as_deref());
            oldest = oldest.min(entries[*index].added_ms().unwrap_or(u64::MAX));
        }
        if kinds.is_empty() || oldest == u64::MAX {
            return;
        }
        let is_redelivered = lines
            .iter()
            .any(|(index, _)| entries[*index].is_redelivered);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default();
        let age = now.saturating_sub(Duration::from_millis(oldest));
        let Some(span) = sender.dedupe_span(&kinds).await else {
            return;
        };
        let age = Duration::from_secs(age.as_secs());
        let (shown_age, shown_span) = (
            humantime::format_duration(age),
            humantime::format_duration(span),
        );
        if age >= span {
            self.reported = Some(Instant::now());
            report(format!(
                "entries are up to {shown_age} old, and ids are remembered for {shown_span} \
                 (dedupe): entries that were applied longer ago count twice"
            ));
        } else if is_redelivered && age >= span / 2 {
            self.reported = Some(Instant::now());
            report(format!(
                "redelivered entries are up to {shown_age} old; ids are remembered for \
                 {shown_span} (dedupe), after which they would count twice"
            ));
        }
    }
}
