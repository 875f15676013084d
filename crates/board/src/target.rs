//! What it takes to overtake.

use crate::limits::VALUE_MAX;
use crate::order::RankKey;
use crate::rules::{Direction, Mode, Op, Rules};
use crate::timestamp::Timestamp;
use crate::value::Value;

impl Rules {
    /// The smallest change of the first field that, made at `now`, would put `own` above `target`,
    /// which is above it now. A field that is null counts from 0. `None` where no change does it:
    /// a max or min field that only gets worse, or the end of the range.
    #[must_use]
    pub fn change_to_overtake(
        &self,
        own: &RankKey,
        reached_at: Timestamp,
        target: &RankKey,
        now: Timestamp,
    ) -> Option<i64> {
        let first = &self.fields()[0];
        let step = match (self.mode(), first.op, first.order) {
            (Mode::Accumulate, Op::Max, Direction::Asc)
            | (Mode::Accumulate, Op::Min, Direction::Desc) => return None,
            (_, _, Direction::Desc) => 1,
            (_, _, Direction::Asc) => -1,
        };
        let now = self.kept_time(now);
        let is_held = |value: &Value| self.packing().is_none_or(|packing| packing.holds(*value));
        let values = self.values_of(&own.words);
        let held = values.get(0);
        let from = held.map_or(0, Value::get);
        let Some(goal) = self.values_of(&target.words).get(0) else {
            // Above it is only who tied on a null: any value is better.
            return Some(0);
        };
        let reached_at = if self.mode() == Mode::Accumulate {
            now.max(reached_at)
        } else {
            now
        };
        let overtakes = |number: i64| {
            let mut values = values;
            values.set(0, Value::new(number).filter(is_held)?);
            let words = self.rank_words(&values, reached_at);
            let key = RankKey {
                words,
                member: own.member.clone(),
            };
            // Nothing changes by a change of 0.
            (key > *target && (number != from || held.is_none())).then_some(number - from)
        };
        let change = overtakes(goal.get()).or_else(|| overtakes(goal.get() + step))?;
        (change.abs() <= VALUE_MAX).then_some(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ident::{FieldName, Member};
    use crate::rules::{FieldRule, Ties};
    use crate::value::Values;

    fn rules(order: Direction, op: Op, ties: Ties) -> Rules {
        let name = FieldName::new("points").unwrap();
        Rules::new(vec![FieldRule { name, order, op }], Mode::Accumulate, ties).unwrap()
    }

    fn key(rules: &Rules, points: Option<i64>, at: i64, member: &str) -> RankKey {
        let values = Values::from([points.and_then(Value::new)]);
        let words = rules.rank_words(&values, Timestamp::from_millis(at));
        RankKey {
            words,
            member: Member::new(member).unwrap(),
        }
    }

    fn change(rules: &Rules, own: Option<i64>, target: Option<i64>) -> Option<i64> {
        let (own, target) = (key(rules, own, 1000, "a"), key(rules, target, 2000, "b"));
        let now = Timestamp::from_millis(9000);
        rules.change_to_overtake(&own, Timestamp::from_millis(1000), &target, now)
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
    }

    #[test]
    fn lower_is_better_goes_down() {
        let rules = rules(Direction::Asc, Op::Sum, Ties::Earliest);
        assert_eq!(change(&rules, Some(20), Some(15)), Some(-6));
    }

    #[test]
    fn what_cannot_be_reached_is_none() {
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
        let rules = rules(Direction::Desc, Op::Max, Ties::Earliest);
        assert_eq!(change(&rules, None, Some(15)), Some(16));
        assert_eq!(change(&rules, None, Some(-5)), Some(-4));
        assert_eq!(change(&rules, None, None), Some(0));
    }
}
