//! The order of packed keys compared with a sorted vector.

use std::collections::HashMap;

use board::{FieldName, FieldRule, Mode, NameOrder, Ties, Timestamp, Value, Values};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::table::member_hash;

fn rules() -> Rules {
    let field = |name| FieldRule::sum(FieldName::new(name).unwrap());
    let fields = vec![field("points"), field("rounds")];
    Rules::new(fields, Mode::Best, Ties::Earliest).unwrap()
}

/// Values and a time: near others, or anywhere.
fn key() -> impl Strategy<Value = (Option<i64>, Option<i64>, i64)> {
    let value = || {
        prop_oneof![
            8 => (0..100_i64).prop_map(Some),
            1 => (0..53_u32, any::<bool>()).prop_map(|(bits, is_minus)| {
                let value = (1_i64 << bits) - 1;
                Some(if is_minus { -value } else { value })
            }),
            1 => Just(None),
        ]
    };
    let time = prop_oneof![
        8 => 1_764_000_000_000..1_764_000_001_000_i64,
        1 => Timestamp::EARLIEST.millis()..Timestamp::LATEST.millis(),
    ];
    (value(), value(), time)
}

fn words(rules: &Rules, (points, rounds, at): (Option<i64>, Option<i64>, i64)) -> RankWords {
    let values = [points, rounds].map(|value| value.and_then(Value::new));
    rules.rank_words(&Values::from(values), Timestamp::from_millis(at))
}

proptest! {
    #[test]
    fn agrees_with_its_twin(
        changes in vec((0..200_u32, proptest::option::weighted(0.9, key())), 1..600),
        bounds in vec(key(), 20),
    ) {
        let rules = rules();
        let mut table = Table::new(rules.standing_len(), NameOrder::Higher);
        let handles: Vec<u32> = (0..200)
            .map(|number| {
                let name = format!("m{number}").into_bytes();
                table.insert(member_hash(&name), &name, &[0, 0, 0]).unwrap()
            })
            .collect();
        let empty = Table::new(rules.standing_len(), NameOrder::Higher);
        let mut order = PackedOrder::of(&empty, &rules);
        let mut twin: HashMap<u32, RankWords> = HashMap::new();
        for (index, (number, key)) in changes.into_iter().enumerate() {
            let handle = handles[number as usize];
            let new = key.map(|key| words(&rules, key));
            let old = match &new {
                Some(new) => twin.insert(handle, *new),
                None => twin.remove(&handle),
            };
            order.push(handle, old.as_ref(), new.as_ref(), &table);
            if index % 7 == 0 {
                order.flush(&table);
            }
        }
        order.flush(&table);

        let mut sorted: Vec<(RankWords, u32)> = twin.iter().map(|(h, words)| (*words, *h)).collect();
        sorted.sort_by(|(a, of_a), (b, of_b)| b.cmp(a).then(table.name(*of_b).cmp(table.name(*of_a))));
        assert_eq!(order.len(), sorted.len());
        assert!(order.entries().eq(sorted.iter().copied()));
        let stretch = order.stretch(5, 10, &table, |words, handle| (words, handle));
        let expected: Vec<_> = sorted.iter().copied().skip(5).take(10).collect();
        assert_eq!(stretch, expected);
        let check = |bound: Bound<'_>, better: usize| {
            assert_eq!(order.locate(bound, &table).rank, better);
            for (before, after) in [(0, 0), (2, 0), (0, 1), (3, 40), (500, usize::MAX)] {
                let around = order.around(bound, (before, after), &table, |words, handle| (words, handle));
                let expected = &sorted[better.saturating_sub(before)..];
                let len = better.min(before).saturating_add(after).min(expected.len());
                assert_eq!(around, (better, expected[..len].to_vec()));
            }
        };
        for key in bounds {
            let key = words(&rules, key);
            for len in 0..=3 {
                let bound = Bound { words: &key.as_slice()[..len], member: None };
                let better = sorted.iter().filter(|(words, _)| words.as_slice() >= bound.words);
                check(bound, better.count());
            }
            let bound = Bound { words: key.as_slice(), member: Some(b"m17") };
            let better = sorted.iter().filter(|(words, h)| {
                (words.as_slice(), table.name(*h)) > (key.as_slice(), &b"m17"[..])
            });
            check(bound, better.count());
        }
        for (rank, (key, handle)) in sorted.iter().enumerate() {
            let bound = Bound { words: key.as_slice(), member: Some(table.name(*handle)) };
            check(bound, rank);
        }
    }
}

#[test]
fn keys_of_two_words_are_packed_into_one() {
    let rules = rules();
    let mut table = Table::new(rules.standing_len(), NameOrder::Higher);
    let mut order = PackedOrder::of(&table, &rules);
    let mut push = |order: &mut PackedOrder, number: i64, points: i64| {
        let name = format!("m{number}").into_bytes();
        let handle = table.insert(member_hash(&name), &name, &[0, 0, 0]).unwrap();
        let key = words(
            &rules,
            (Some(points), Some(number), 1_764_000_000_000 + number),
        );
        order.push(handle, None, Some(&key), &table);
        order.flush(&table);
    };
    (0..1_000).for_each(|number| push(&mut order, number, 1_000 * number));
    assert!(matches!(order, PackedOrder::One(_)));
    push(&mut order, 1_000, 1 << 52);
    assert!(matches!(order, PackedOrder::Two(_)));
    assert_eq!(order.len(), 1_001);
}
