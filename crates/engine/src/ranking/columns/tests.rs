//! Packed keys compared with the keys.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Keys of `len` words, each around one of the magnitudes that rankings have, or 0.
fn keys() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let word = |magnitude: u32| {
        prop_oneof![
            1 => Just(0),
            1 => Just(u64::MAX),
            8 => (0..=u64::MAX >> (63 - magnitude)).prop_map(|offset| (1 << 62) + offset / 2),
            4 => (0..3_u64).prop_map(|offset| (1 << 62) - 1 + offset),
        ]
    };
    vec(0..64_u32, 1..=RANK_WORDS_MAX).prop_flat_map(move |magnitudes| {
        let key: Vec<_> = magnitudes.into_iter().map(word).collect();
        vec(key, 1..60)
    })
}

fn check<const W: usize>(columns: &Columns, keys: &[RankWords], fitting: &[RankWords]) {
    let packed = |key: &RankWords| columns.pack::<W>(key);
    for key in fitting {
        assert_eq!(columns.unpack(&packed(key).expect("it fits")), *key);
    }
    for (a, b) in keys.iter().zip(keys.iter().rev()) {
        if let (Some(packed_a), Some(packed_b)) = (packed(a), packed(b)) {
            assert_eq!(packed_a.cmp(&packed_b), a.cmp(b));
        }
    }
    for bound in keys {
        for len in 0..=bound.as_slice().len() {
            let bound = &bound.as_slice()[..len];
            let cut = columns.cut(bound);
            for key in fitting {
                let key_packed = packed(key).unwrap();
                let is_above = cut.is_some_and(|(words, _)| key_packed[..] >= *words.as_slice());
                assert_eq!(
                    is_above,
                    key.as_slice() >= bound,
                    "{key:?} {bound:?} {cut:?}"
                );
            }
            if let Some((words, true)) = cut
                && len == columns.ranges.len
            {
                let key = packed(&RankWords::new(bound)).map(|packed| RankWords::new(&packed));
                assert_eq!(key, Some(words));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn packed_keys_are_ordered_and_cut_like_the_keys(keys in keys(), made_for in 0..60_usize) {
        let mut ranges = Ranges::new(keys[0].len());
        let keys: Vec<RankWords> = keys.iter().map(|key| RankWords::new(key)).collect();
        let made_for = &keys[..made_for.min(keys.len())];
        for key in made_for {
            ranges.add(key.as_slice());
        }
        let columns = Columns::of(&ranges);
        match columns.packed_len() {
            1 => check::<1>(&columns, &keys, made_for),
            2 => check::<2>(&columns, &keys, made_for),
            3 => check::<3>(&columns, &keys, made_for),
            4 => check::<4>(&columns, &keys, made_for),
            _ => check::<5>(&columns, &keys, made_for),
        }
    }
}

fn columns_of(keys: &[&[u64]]) -> Columns {
    let mut ranges = Ranges::new(keys[0].len());
    for key in keys {
        ranges.add(key);
    }
    Columns::of(&ranges)
}

#[test]
fn points_and_times_of_a_year_take_one_word() {
    const POINTS: u64 = 1 << 63;
    const TIMES: u64 = 1 << 62;
    let year_ms = 366 * 24 * 3_600_000;
    let columns = columns_of(&[&[POINTS, TIMES], &[POINTS + 10_000_000, TIMES + year_ms]]);
    assert_eq!(columns.packed_len(), 1);
    let columns = columns_of(&[&[POINTS, TIMES], &[POINTS + (1 << 53), TIMES + year_ms]]);
    assert_eq!(columns.packed_len(), 2);
}

#[test]
fn ranges_more_than_double_before_keys_are_packed_again() {
    let (mut least, mut greatest) = ([1_u64 << 60; 2], [(1_u64 << 60) + 1; 2]);
    let mut ranges = Ranges::new(2);
    ranges.add(&least);
    ranges.add(&greatest);
    let mut packed_again = 0;
    let mut columns = Columns::of(&ranges);
    for step in 0..104 {
        // One range after the other doubles, up and down in turn.
        let at = step % 2;
        let span = greatest[at] - least[at];
        if step % 4 < 2 {
            greatest[at] += span;
        } else {
            least[at] -= span;
        }
        for key in [least, greatest] {
            let key = RankWords::new(&key);
            let fits = match columns.packed_len() {
                1 => columns.pack::<1>(&key).is_some(),
                _ => columns.pack::<2>(&key).is_some(),
            };
            if !fits {
                ranges.add(key.as_slice());
                columns = Columns::of(&ranges);
                packed_again += 1;
            }
        }
    }
    assert!(packed_again <= 12, "{packed_again}");
}
