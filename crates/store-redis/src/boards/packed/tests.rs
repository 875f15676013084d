use board::{Member, Standing};

use super::*;
use crate::boards::fixtures::random_standings::{any_bound, any_packed_rules, each};
use crate::boards::fixtures::redis_standings::{entry, is_better};
use testkit::dice::Dice;

const ALL: Window = Window::ALL_TIME;

/// The score of a standing, computed from the layout.
fn score_of(rules: &Rules, standing: &Standing) -> i64 {
    let packing = rules.packing().unwrap();
    let value = rules.values(standing).get(0).unwrap().get();
    let since = rules.reached_at(standing).micros() - packing.base(ALL).micros();
    let units = since / packing.unit_us();
    let max = |bits: u32| (1_i64 << bits) - 1;
    let upper = match rules.fields()[0].order {
        Direction::Asc => max(packing.value_bits()) - value,
        Direction::Desc => value,
    };
    let lower = match rules.ties() {
        Ties::Earliest => max(packing.time_bits()) - units,
        Ties::Latest | Ties::Member => units,
    };
    (upper << packing.time_bits()) + lower
}

/// Score and member of the sorted set.
fn ranked(rules: &Rules, standing: &Standing, member: &Member) -> (i64, Vec<u8>) {
    (score_of(rules, standing), member.as_bytes().to_vec())
}

#[test]
fn scores_are_decoded_to_entries_and_order_like_rank_keys() {
    each(any_packed_rules, |_, rules, standings| {
        let packed = Packed::of(rules, ALL).unwrap();
        let keyed = standings.iter().map(|(member, standing)| {
            let (ranked, entry) = (
                ranked(rules, standing, member),
                entry(rules, standing, member),
            );
            let read = packed.entry(&ranked.0.to_string(), &ranked.1);
            assert_eq!(read, Ok(entry.clone()));
            (ranked, entry.key)
        });
        let mut keyed: Vec<_> = keyed.collect();
        keyed.sort_by(|(a, _), (b, _)| a.cmp(b));
        assert!(keyed.is_sorted_by(|(_, a), (_, b)| a < b), "{keyed:?}");
    });
}

#[test]
fn cuts_agree_with_their_bounds() {
    each(any_packed_rules, |dice, rules, standings| {
        let packed = Packed::of(rules, ALL).unwrap();
        for (member, standing) in standings {
            let bound = any_bound(dice, rules.rank_words_of(standing), member);
            let cut = packed.cut(&bound);
            for (member, standing) in standings {
                let key = entry(rules, standing, member).key;
                let better = is_better(&cut, &ranked(rules, standing, member));
                assert_eq!(better, bound.is_below(&key), "{bound:?} {cut:?} {key:?}");
            }
        }
    });
}

#[test]
fn an_invalid_packed_score_is_refused() {
    let mut dice = Dice::new(1);
    let rules = any_packed_rules(&mut dice);
    let packed = Packed::of(&rules, ALL).unwrap();
    for score in ["", "x", "0.5", "-1", "nan", "inf", "9007199254740992"] {
        assert!(packed.entry(score, b"u1").is_err(), "{score}");
    }
    assert!(packed.entry("1", b"").is_err());
}
