//! Members are placed by the top bits of a hash that never changes.

use board::{Member, ShardCount};
use proptest::prelude::*;

fn shards(count: u64) -> ShardCount {
    ShardCount::new(count).unwrap()
}

fn powers() -> impl Iterator<Item = u64> {
    (0..=12).map(|bits| 1 << bits)
}

#[test]
fn counts_are_powers_of_two_up_to_4096() {
    let counts: Vec<u64> = (0..10_000)
        .filter(|count| ShardCount::new(*count).is_some())
        .collect();
    assert_eq!(counts, powers().collect::<Vec<_>>());
    assert_eq!(ShardCount::new(1 << 16), None);
    assert_eq!(ShardCount::new(u64::MAX), None);
}

#[test]
fn every_shard_has_its_share() {
    const MEMBERS: usize = 64_000;
    for count in [1, 2, 16, 64] {
        let mut members = vec![0_usize; usize::from(shards(count).get())];
        for number in 0..MEMBERS {
            let member = Member::new(&format!("u{number}")).unwrap();
            members[usize::from(shards(count).shard_of(member.placement_hash()))] += 1;
        }
        let share = MEMBERS / members.len();
        // Five standard deviations of a fair draw, and more.
        let slack = 6 * share.isqrt();
        assert!(
            members.iter().all(|held| held.abs_diff(share) < slack),
            "{members:?}"
        );
    }
}

/// Stores keep members by this hash: another one would lose them.
#[test]
fn the_hash_is_what_it_was() {
    let hash = |name: &str| Member::new(name).unwrap().placement_hash();
    assert_eq!(hash("u1"), 11_367_126_444_297_510_385);
    assert_ne!(hash("u1"), hash("u2"));
}

proptest! {
    #[test]
    fn doubling_leaves_a_shard_where_it_was_or_next_to_it(hash: u64) {
        prop_assert_eq!(shards(1).shard_of(hash), 0);
        for count in powers().take(12) {
            let before = shards(count).shard_of(hash);
            let after = shards(2 * count).shard_of(hash);
            prop_assert!(u64::from(before) < count);
            prop_assert!(after == 2 * before || after == 2 * before + 1, "{} of {}", after, count);
        }
    }
}
