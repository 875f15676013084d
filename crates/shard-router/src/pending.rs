//! [`PendingItems`]: the items of a board that have no outcome yet.

use board::{Activity, ActivityRejection, Admission, Timestamp};
use shard_store::ItemFailure;

use crate::batch::BatchItem;
use crate::catalogue::KnownKind;
use crate::moment::Moment;
use crate::outcomes::Outcomes;
use crate::plan::admit_all;
use crate::write::WriteOutcome;

/// The items of a board that have no outcome yet.
pub(crate) struct PendingItems<'a> {
    /// Those of a member are in order.
    pub(crate) items: Vec<BatchItem>,
    /// When the first of their windows closes.
    pub(crate) closes_at: Option<Timestamp>,
    /// The moment by which they are admitted.
    pub(crate) moment: Moment,
    /// The outcomes of all others.
    pub(crate) outcomes: &'a mut Outcomes,
}

impl PendingItems<'_> {
    /// Gives every item an outcome.
    pub(crate) fn end(self, outcome: impl Fn(&BatchItem) -> WriteOutcome) {
        let ended = self.items.iter();
        let ended = ended.map(|item| (item.origin.index, outcome(item)));
        self.outcomes.extend(ended);
    }

    /// Fails every item.
    pub(crate) fn fail(self, failure: &ItemFailure) {
        self.end(|_| WriteOutcome::Failed(failure.clone()));
    }

    /// Returns whether any item is outside of this activity.
    pub(crate) fn any_outside(&self, activity: &Activity) -> bool {
        if activity.admits_all() {
            return false;
        }
        let mut times = self.items.iter().map(|item| item.origin.at);
        times.any(|at| activity.admit(at, self.moment.now).is_err())
    }

    /// Ends items outside of this activity.
    pub(crate) fn end_outside(
        &mut self,
        activity: &Activity,
        end: impl Fn(ActivityRejection) -> WriteOutcome,
    ) {
        if activity.admits_all() {
            return;
        }
        let Self {
            items,
            moment,
            outcomes,
            ..
        } = self;
        items.retain(|item| match activity.admit(item.origin.at, moment.now) {
            Ok(()) => true,
            Err(rejection) => {
                outcomes.push((item.origin.index, end(rejection)));
                false
            }
        });
    }

    /// Admits items that have missed a deadline again, by the current time.
    pub(crate) fn admit_again(&mut self, kind: &KnownKind) {
        self.moment = self.moment.later();
        let (admission, now) = (&mut Admission::default(), self.moment.now);
        self.closes_at = admit_all(&mut self.items, &kind.kind, admission, now, self.outcomes);
    }
}
