//! Rank keys compare as standings do: held against a naive comparator, field by field.

use std::cmp::Ordering;

use board::limits::VALUE_MAX;
use board::{
    Bound, Direction, FieldName, FieldRule, Member, Mode, RankKey, Rules, Ties, Timestamp, Value,
    Values,
};
use proptest::prelude::*;

/// Who stands where.
#[derive(Debug, Clone)]
struct Stand {
    fields: [Option<i64>; 4],
    reached_at: i64,
    member: String,
}

fn rules_strategy() -> impl Strategy<Value = Rules> {
    let ties = prop::sample::select(vec![Ties::Earliest, Ties::Latest, Ties::Member]);
    (prop::collection::vec(prop::bool::ANY, 1..=4), ties).prop_map(|(fields, ties)| {
        let fields = fields
            .into_iter()
            .enumerate()
            .map(|(index, asc)| FieldRule {
                order: if asc { Direction::Asc } else { Direction::Desc },
                ..FieldRule::sum(FieldName::new(&format!("f{index}")).unwrap())
            });
        Rules::new(fields.collect(), Mode::Accumulate, ties).unwrap()
    })
}

fn number_strategy() -> impl Strategy<Value = i64> {
    prop_oneof![6 => -1..=1_i64, 2 => -VALUE_MAX..=VALUE_MAX, 1 => Just(VALUE_MAX), 1 => Just(-VALUE_MAX)]
}

fn stand_strategy() -> impl Strategy<Value = Stand> {
    let fields = prop::array::uniform4(prop::option::weighted(0.8, number_strategy()));
    let reached_at = prop_oneof![
        3 => 0..3_i64,
        1 => Timestamp::EARLIEST.micros()..=Timestamp::LATEST.micros(),
        1 => -2..0_i64,
    ];
    // Prefixes of one another, and bytes on both sides of ASCII's end.
    let member = "[ab]{1,2}|[~é\u{ff}\u{ffff}\u{10ffff}]{1,2}";
    (fields, reached_at, member).prop_map(|(fields, reached_at, member)| Stand {
        fields,
        reached_at,
        member,
    })
}

fn values(rules: &Rules, stand: &Stand) -> Values {
    let mut values = Values::default();
    for (index, number) in stand.fields.iter().enumerate().take(rules.fields().len()) {
        if let Some(number) = number {
            values.set(index, Value::new(*number).unwrap());
        }
    }
    values
}

fn key(rules: &Rules, stand: &Stand) -> RankKey {
    let reached_at = Timestamp::from_micros(stand.reached_at);
    let words = rules.rank_words(&values(rules, stand), reached_at);
    rules.rank_key(words, Member::new(&stand.member).unwrap())
}

/// The first `count` fields, null worst.
fn compare_fields(rules: &Rules, count: usize, a: &Stand, b: &Stand) -> Ordering {
    for (index, field) in rules.fields()[..count].iter().enumerate() {
        let order = match (a.fields[index], b.fields[index], field.order) {
            (None, None, _) => Ordering::Equal,
            (None, Some(_), _) => Ordering::Less,
            (Some(_), None, _) => Ordering::Greater,
            (Some(a), Some(b), Direction::Desc) => a.cmp(&b),
            (Some(a), Some(b), Direction::Asc) => b.cmp(&a),
        };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

/// Greater is better.
fn compare(rules: &Rules, a: &Stand, b: &Stand) -> Ordering {
    let ties = match rules.ties() {
        Ties::Earliest => b.reached_at.cmp(&a.reached_at),
        Ties::Latest => a.reached_at.cmp(&b.reached_at),
        Ties::Member => Ordering::Equal,
    };
    let fields = compare_fields(rules, rules.fields().len(), a, b);
    let higher = a.member.as_bytes().cmp(b.member.as_bytes());
    let names = if rules.ties() == Ties::Member && rules.fields()[0].order == Direction::Asc {
        higher.reverse()
    } else {
        higher
    };
    fields.then(ties).then(names)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn keys_order_as_standings_do(
        rules in rules_strategy(),
        a in stand_strategy(),
        b in stand_strategy(),
    ) {
        let (key_a, key_b) = (key(&rules, &a), key(&rules, &b));
        let order = compare(&rules, &a, &b);
        prop_assert_eq!(key_a.cmp(&key_b), order);
        prop_assert_eq!(key_a.to_bytes().cmp(&key_b.to_bytes()), order);
        let same_fields = compare_fields(&rules, rules.fields().len(), &a, &b).is_eq();
        let words = (rules.field_words(&key_a.words), rules.field_words(&key_b.words));
        prop_assert_eq!(words.0 == words.1, same_fields);
    }

    #[test]
    fn words_give_back_what_they_stand_for(rules in rules_strategy(), stand in stand_strategy()) {
        let words = key(&rules, &stand).words;
        prop_assert_eq!(words.as_slice().len(), rules.rank_words_len());
        prop_assert_eq!(rules.values_of(&words), values(&rules, &stand));
        let reached_at = Timestamp::from_micros(stand.reached_at);
        let held = (rules.ties() != Ties::Member).then_some(reached_at);
        prop_assert_eq!(rules.reached_at_of(&words), held);
        // The same key when a store keeps the standing and reads it back.
        let outright = rules.standing_of(&values(&rules, &stand), reached_at);
        let kept = rules.standing_from(rules.standing_words(&outright));
        prop_assert_eq!(kept, outright);
        let sums = Stand { fields: stand.fields.map(|field| field.or(Some(0))), ..stand };
        prop_assert_eq!(rules.rank_words_of(&kept), key(&rules, &sums).words);
    }

    #[test]
    fn a_bound_of_a_key_has_the_better_ones_above(
        rules in rules_strategy(),
        a in stand_strategy(),
        b in stand_strategy(),
    ) {
        let bound = Bound::key(&key(&rules, &b));
        prop_assert_eq!(bound.is_below(&key(&rules, &a)), compare(&rules, &a, &b).is_gt());
    }

    #[test]
    fn a_bound_of_a_prefix_has_its_group_above_too(
        rules in rules_strategy(),
        a in stand_strategy(),
        b in stand_strategy(),
        fields in 0..=4_usize,
    ) {
        let fields = fields.min(rules.fields().len());
        let prefix = key(&rules, &b).words.prefix(fields);
        let order = compare_fields(&rules, fields, &a, &b);
        let key = key(&rules, &a);
        prop_assert_eq!(Bound::prefix(prefix).is_below(&key), order.is_ge());
        if let Some(next) = prefix.successor() {
            prop_assert_eq!(Bound::prefix(next).is_below(&key), order.is_gt());
        } else {
            prop_assert_eq!(fields, 0);
        }
    }

    #[test]
    fn bounds_of_the_first_field_go_by_its_direction(
        rules in rules_strategy(),
        stand in stand_strategy(),
        number in number_strategy(),
    ) {
        let key = key(&rules, &stand);
        let value = Value::new(number).unwrap();
        let first = stand.fields[0];
        let (at_least, better) = match rules.fields()[0].order {
            Direction::Desc => (first.is_some_and(|f| f >= number), first.is_some_and(|f| f > number)),
            Direction::Asc => (first.is_some_and(|f| f <= number), first.is_some_and(|f| f < number)),
        };
        prop_assert_eq!(rules.at_least(value).is_below(&key), at_least);
        prop_assert_eq!(rules.better_than(value).is_below(&key), better);
    }
}
