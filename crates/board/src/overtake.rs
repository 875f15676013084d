//! The smallest change by which a member overtakes another.

use crate::calendar::Timestamp;
use crate::ident::Member;
use crate::limits::VALUE_MAX;
use crate::order::RankKey;
use crate::rules::{Mode, Op, Rules};
use crate::standing::Standing;
use crate::ties::Direction;
use crate::value::{Value, Values};

impl Rules {
    /// Returns the smallest change of the first field that, made at `now`, would rank a member with
    /// this standing above `target`, which is above it now. A null field counts from 0. A change of
    /// 0 repeats the value: that may change the time, and gives a null field a value. `None` if no
    /// change suffices: the field can only get worse, a later value is held, or the range ends.
    ///
    /// [`Rules::fold`] decides what each candidate results in. In any mode the first field of its
    /// result is monotonic in the change, and its time does not depend on the size of the change:
    /// so trying these few changes is enough.
    #[must_use]
    pub fn change_to_overtake(
        &self,
        own: &Standing,
        member: &Member,
        target: &RankKey,
        now: Timestamp,
    ) -> Option<i64> {
        let step = match self.fields()[0].order {
            Direction::Desc => 1,
            Direction::Asc => -1,
        };
        let from = self.value(own, 0).map_or(0, Value::get);
        // Any value is better than a target of null.
        let goal = self.values_of(&target.words).get(0).map(Value::get);
        let goals = goal.into_iter().flat_map(|goal| [goal, goal + step]);
        let changes = goals.map(|number| number - from).chain([0]);
        let overtakes = |change: &i64| {
            let after = self.changed_by(own, *change, now);
            after.is_some_and(|after| {
                self.rank_key(self.rank_words_of(&after), member.clone()) > *target
            })
        };
        changes
            .filter(overtakes)
            .min_by_key(|change| change.unsigned_abs())
    }

    /// Returns the standing after a contribution, made at `now`, that changes only the first field
    /// by `change`. `None` if it is rejected.
    fn changed_by(&self, own: &Standing, change: i64, now: Timestamp) -> Option<Standing> {
        if change.abs() > VALUE_MAX {
            return None;
        }
        let held = self.value(own, 0).map_or(0, Value::get);
        let adds = self.mode() == Mode::Accumulate && self.fields()[0].op == Op::Sum;
        let mut values = match self.mode() {
            Mode::Accumulate => Values::default(),
            Mode::Best | Mode::Latest => self.values(own),
        };
        values.set(0, Value::new(if adds { change } else { held + change })?);
        self.check(&values).ok()?;
        self.fold(Some(own), &values, self.kept_time(now)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ident::FieldName;
    use crate::rules::FieldRule;
    use crate::ties::Ties;

    const NOW: i64 = 9000;

    fn rules(order: Direction, op: Op, ties: Ties) -> Rules {
        let name = FieldName::new("points").unwrap();
        Rules::new(vec![FieldRule { name, order, op }], Mode::Accumulate, ties).unwrap()
    }

    fn standing(rules: &Rules, points: Option<i64>, at: i64) -> Standing {
        let values = Values::from([points.and_then(Value::new)]);
        rules.standing_of(&values, Timestamp::from_millis(at))
    }

    /// Returns the change by which member `a` passes `b`.
    fn change_at(
        rules: &Rules,
        own: (Option<i64>, i64),
        target: (Option<i64>, i64),
    ) -> Option<i64> {
        let member = |name| Member::new(name).unwrap();
        let own = standing(rules, own.0, own.1);
        let target = standing(rules, target.0, target.1);
        let target = rules.rank_key(rules.rank_words_of(&target), member("b"));
        rules.change_to_overtake(&own, &member("a"), &target, Timestamp::from_millis(NOW))
    }

    fn change(rules: &Rules, own: Option<i64>, target: Option<i64>) -> Option<i64> {
        change_at(rules, (own, 1000), (target, 2000))
    }

    #[test]
    fn later_needs_one_more_where_the_earliest_wins() {
        let earliest = rules(Direction::Desc, Op::Sum, Ties::Earliest);
        assert_eq!(change(&earliest, Some(10), Some(15)), Some(6));
        let latest = rules(Direction::Desc, Op::Sum, Ties::Latest);
        assert_eq!(change(&latest, Some(10), Some(15)), Some(5));
        assert_eq!(change(&latest, Some(15), Some(15)), Some(1));
        let member = rules(Direction::Desc, Op::Sum, Ties::Member);
        assert_eq!(change(&member, Some(10), Some(15)), Some(6));
        let lower = rules(Direction::Asc, Op::Sum, Ties::Member);
        assert_eq!(change(&lower, Some(20), Some(15)), Some(-5));
    }

    #[test]
    fn lower_is_better_goes_down() {
        let rules = rules(Direction::Asc, Op::Sum, Ties::Earliest);
        assert_eq!(change(&rules, Some(20), Some(15)), Some(-6));
    }

    #[test]
    fn unreachable_targets_return_none() {
        let max_asc = rules(Direction::Asc, Op::Max, Ties::Earliest);
        assert_eq!(change(&max_asc, Some(20), Some(15)), None);
        let earliest = rules(Direction::Desc, Op::Sum, Ties::Earliest);
        assert_eq!(change(&earliest, Some(0), Some(VALUE_MAX)), None);
        assert_eq!(
            change(&earliest, Some(5), Some(VALUE_MAX - 1)),
            Some(VALUE_MAX - 5)
        );
    }

    #[test]
    fn null_counts_from_zero() {
        let max = rules(Direction::Desc, Op::Max, Ties::Earliest);
        assert_eq!(change(&max, None, Some(15)), Some(16));
        assert_eq!(change(&max, None, Some(-5)), Some(0));
        assert_eq!(change(&max, None, None), Some(0));
        // A first value is better than null, even where later ones only make it worse.
        let max_asc = rules(Direction::Asc, Op::Max, Ties::Earliest);
        assert_eq!(change(&max_asc, None, Some(15)), Some(0));
        assert_eq!(change(&max_asc, None, Some(-15)), Some(-16));
        let min_desc = rules(Direction::Desc, Op::Min, Ties::Earliest);
        assert_eq!(change(&min_desc, None, Some(15)), Some(16));
    }

    #[test]
    fn times_ahead_of_the_clock_are_reset_by_a_change_at_now() {
        let max = rules(Direction::Desc, Op::Max, Ties::Earliest);
        let (soon, later) = (NOW + 1000, NOW + 2000);
        assert_eq!(change_at(&max, (Some(8), later), (Some(10), soon)), Some(2));
        assert_eq!(
            change_at(&max, (Some(10), later), (Some(10), soon)),
            Some(0)
        );
        // A sum that has moved keeps its later time.
        let sum = rules(Direction::Desc, Op::Sum, Ties::Earliest);
        assert_eq!(change_at(&sum, (Some(8), later), (Some(10), soon)), Some(3));
        // A contribution dated now has no effect where a later value is held.
        let last = rules(Direction::Desc, Op::Last, Ties::Earliest);
        assert_eq!(change_at(&last, (Some(8), later), (Some(10), soon)), None);
    }
}
