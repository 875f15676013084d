use board::Values;

use super::*;
use crate::boards::fixtures::random_standings::{any_bound, any_rules, each, points};
use crate::boards::fixtures::redis_standings::{entry, is_better, ranked, standing_bytes};

#[test]
fn stored_bytes_are_decoded_to_standing_and_entry() {
    each(any_rules, |_, rules, standings| {
        for (member, standing) in standings {
            let kept = standing_bytes(rules, standing);
            assert_eq!(standing_of(rules, &kept), Ok(*standing));
            let (score, bytes) = ranked(rules, standing, member);
            let kept = Some(kept.as_slice()).filter(|_| needs_scores(rules));
            let read = entry_of(rules, &score.to_string(), &bytes, kept);
            assert_eq!(read, Ok(entry(rules, standing, member)));
        }
    });
}

#[test]
fn the_order_of_redis_is_that_of_rank_keys() {
    each(any_rules, |_, rules, standings| {
        let keyed = standings.iter().map(|(member, standing)| {
            let key = entry(rules, standing, member).key;
            (ranked(rules, standing, member), key)
        });
        let mut keyed: Vec<_> = keyed.collect();
        keyed.sort_by(|(a, _), (b, _)| a.cmp(b));
        assert!(keyed.is_sorted_by(|(_, a), (_, b)| a < b), "{keyed:?}");
    });
}

#[test]
fn cuts_agree_with_their_bounds() {
    each(any_rules, |dice, rules, standings| {
        for (member, standing) in standings {
            let bound = any_bound(dice, rules.rank_words_of(standing), member);
            let cut = Cut::of(rules, &bound);
            for (member, standing) in standings {
                let key = entry(rules, standing, member).key;
                let better = is_better(&cut, &ranked(rules, standing, member));
                assert_eq!(better, bound.is_below(&key), "{bound:?} {cut:?} {key:?}");
            }
        }
    });
}

#[test]
fn scores_are_read_in_the_forms_that_servers_write() {
    let rules = points();
    let bytes = [[0x80; 8].as_slice(), b"u"].concat();
    for (score, value) in [
        ("1e+9", 1_000_000_000),
        ("-0", 0),
        ("-9007199254740991", -VALUE_MAX),
    ] {
        let read = entry_of(&rules, score, &bytes, None).unwrap();
        let values = Values::from(board::Value::new(value).unwrap());
        assert_eq!(rules.values_of(&read.key.words), values);
    }
    for garbled in ["", "0.5", "nan", "inf", "9007199254740992", "x"] {
        assert!(
            entry_of(&rules, garbled, &bytes, None).is_err(),
            "{garbled}"
        );
    }
}

#[test]
fn an_invalid_standing_is_refused() {
    let rules = points();
    for len in [0, 6, 7, 10, 12, 14, 16] {
        assert!(standing_of(&rules, &vec![0; len]).is_err(), "{len}");
    }
    let too_large = [VALUE_MAX + 1, -VALUE_MAX - 2];
    for value in too_large {
        let bytes = [value.to_be_bytes().as_slice(), &[0; 7]].concat();
        assert!(standing_of(&rules, &bytes).is_err(), "{value}");
    }
    assert!(entry_of(&rules, "1", &[0; 7], None).is_err());
    assert!(entry_of(&rules, "1", &[0; 8], None).is_err());
}
