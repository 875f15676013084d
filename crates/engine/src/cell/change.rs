//! Changes of the activity of a board that has contributions.

use std::sync::atomic::Ordering;

use board::Activity;
use shard_store::{ChangeActivityError, Deadline, StoreError};

use super::{Body, Cell};
use crate::log::{Event, Log};

impl Cell {
    /// Changes the activity from the one that the caller has `seen`, before `until`. No reader or
    /// writer is under way then, and later ones with another activity are refused.
    pub fn change_activity(
        &self,
        seen: &Activity,
        activity: Activity,
        until: Option<Deadline<'_>>,
        log: &mut dyn Log,
    ) -> Result<(), ChangeActivityError> {
        let body = self.body.write();
        let is_current = !matches!(&*body, Body::Ended) && self.is_created();
        if !is_current || self.activity() != *seen {
            return Err(ChangeActivityError::Stale);
        }
        if until.is_some_and(|until| until.has_passed()) {
            return Err(ChangeActivityError::DeadlinePassed);
        }
        log.record(Event::ActivityChanged {
            incarnation: self.incarnation,
            activity,
        });
        self.replay_activity(activity);
        self.activity_changed.store(true, Ordering::Release);
        drop(body);
        Ok(())
    }

    /// Sets the activity. Called by a replay, before there are readers and writers.
    pub fn replay_activity(&self, activity: Activity) {
        *self.activity.write() = activity;
    }

    /// Checks that the board still has the activity that a caller has seen in its record. `body` is
    /// locked: the activity does not change meanwhile.
    pub(super) fn check_seen(&self, seen: &Activity, body: &Body) -> Result<(), StoreError> {
        if !self.activity_changed.load(Ordering::Acquire) || self.activity() == *seen {
            return Ok(());
        }
        Err(match body {
            Body::Ended => StoreError::IncarnationEnded,
            _ => StoreError::SettingsChanged,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use board::{Incarnation, Timestamp};
    use shard_store::{Batch, BoardSettings, Memory, ShardQuery};
    use testkit::conformance::fixtures::gifts;

    use super::*;
    use crate::ids::IdBudget;
    use crate::log::NoLog;

    const NOW: Timestamp = Timestamp::from_millis(1_795_186_342_123);

    fn until(hours: u64) -> Activity {
        let end = NOW.plus(Duration::from_hours(hours));
        Activity::new(None, Some(end), None).unwrap()
    }

    fn board(created: bool) -> Cell {
        let kind = Arc::new(gifts(|spec| spec.shards = 2));
        let settings = BoardSettings {
            shards: kind.shards(),
            activity: until(1),
        };
        let name = "gifts/a".parse().unwrap();
        Cell::new(name, kind, Incarnation(1), settings, created, NOW)
    }

    #[test]
    fn readers_and_writers_with_the_old_activity_are_refused() {
        let cell = board(true);
        let changed = cell.change_activity(&until(1), until(2), None, &mut NoLog);
        assert_eq!(changed, Ok(()));
        assert_eq!(cell.record().activity, until(2));
        let kind = Arc::new(gifts(|spec| spec.shards = 2));
        let write = |seen: &Activity| {
            let batch = Batch {
                kind: &kind,
                now: NOW,
                report: false,
                until: None,
                waits_until: None,
                items: &[],
            };
            let (ids, memory) = (IdBudget::new(0), Memory::default());
            cell.apply(seen, 0, &batch, &ids, &memory, &mut NoLog)
        };
        let reads = |seen: &Activity| {
            let none: &[ShardQuery] = &[];
            [
                cell.read(seen, 0, none).map(drop),
                cell.windows(seen, 0).map(drop),
            ]
        };
        assert_eq!(write(&until(1)), Err(StoreError::SettingsChanged));
        assert_eq!(
            reads(&until(1)),
            [const { Err(StoreError::SettingsChanged) }; 2]
        );
        assert_eq!(write(&until(2)), Ok(Vec::new()));
        assert_eq!(reads(&until(2)), [Ok(()), Ok(())]);
        drop(cell.close().unwrap().end(&IdBudget::new(0)));
        assert_eq!(write(&until(1)), Err(StoreError::IncarnationEnded));
        assert!(cell.windows(&until(2), 0).is_err());
    }

    #[test]
    fn a_change_needs_the_current_record_and_comes_before_its_deadline() {
        let stale = Err(ChangeActivityError::Stale);
        let change = |cell: &Cell, seen: Activity, until: Option<Deadline<'_>>| {
            cell.change_activity(&seen, Activity::ALWAYS, until, &mut NoLog)
        };
        assert_eq!(change(&board(false), until(1), None), stale, "not created");
        let cell = board(true);
        assert_eq!(change(&cell, until(2), None), stale, "another activity");
        let now = Instant::now();
        let late = change(&cell, until(1), Some(now.into()));
        assert_eq!(late, Err(ChangeActivityError::DeadlinePassed));
        assert_eq!(cell.activity(), until(1));
        let in_time = now + Duration::from_hours(1);
        assert_eq!(change(&cell, until(1), Some(in_time.into())), Ok(()));
        assert_eq!(cell.activity(), Activity::ALWAYS);
        drop(cell.close().unwrap().end(&IdBudget::new(0)));
        assert_eq!(change(&cell, Activity::ALWAYS, None), stale, "ended");
    }
}
