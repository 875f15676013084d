//! Ids within their span, at the limit of the budget, and across a split.

mod restarts;

use super::*;

const SPAN: Duration = Duration::from_secs(1);

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + ms)
}

fn digest(number: u128) -> IdDigest {
    IdDigest(number.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835))
}

#[test]
fn an_id_is_remembered_for_exactly_the_span() {
    let budget = IdBudget::new(1 << 20);
    let mut ids = RememberedIds::new(at(0));
    for (remembered_at, number) in [(0, 1), (400, 2), (999, 3), (1000, 4), (1700, 5)] {
        ids.reserve(at(remembered_at), SPAN, &budget).unwrap();
        ids.remember(digest(number), 0, at(remembered_at));
        assert!(ids.holds(digest(number), 0, at(remembered_at + 999), SPAN, &budget));
        assert!(!ids.holds(digest(number), 0, at(remembered_at + 1000), SPAN, &budget));
    }
    assert!(ids.holds(digest(4), 0, at(1999), SPAN, &budget));
    assert!(!ids.holds(digest(6), 0, at(1999), SPAN, &budget));
}

#[test]
fn a_clock_that_is_not_confirmed_forgets_no_id() {
    let budget = IdBudget::new(1 << 20);
    for keeps_all in [true, false] {
        let mut ids = RememberedIds::new(at(0));
        ids.reserve(at(0), SPAN, &budget).unwrap();
        ids.remember(digest(1), 0, at(0));
        let mut trusted_now = 0;
        budget.limit_trust(keeps_all.then(|| at(trusted_now)));
        // Days ahead.
        for ahead in [300_000_000, 300_005_000] {
            ids.reserve(at(ahead), SPAN, &budget).unwrap();
            // By this time it was applied before, too.
            assert_eq!(ids.holds(digest(1), 0, at(ahead), SPAN, &budget), keeps_all);
            assert!(!ids.holds(digest(1), 0, at(ahead), Duration::ZERO, &budget));
            ids.remember(digest(2), 0, at(ahead));
            trusted_now += 400;
            budget.limit_trust(keeps_all.then(|| at(trusted_now)));
        }
        // By any clock it is past its span now.
        budget.limit_trust(keeps_all.then(|| at(1000)));
        assert!(!ids.holds(digest(1), 0, at(300_000_000), SPAN, &budget));
        budget.limit_trust(None);
        assert_eq!(ids.holds(digest(1), 0, at(500), SPAN, &budget), keeps_all);
    }
}

#[test]
fn an_id_remembered_again_after_its_span_starts_a_new_span() {
    let budget = IdBudget::new(1 << 20);
    let mut ids = RememberedIds::new(at(0));
    for time in [0, 1500, 3000] {
        assert!(!ids.holds(digest(1), 0, at(time), SPAN, &budget));
        ids.reserve(at(time), SPAN, &budget).unwrap();
        ids.remember(digest(1), 0, at(time));
        assert!(ids.holds(digest(1), 0, at(time + 999), SPAN, &budget));
    }
}

/// As when a kind's dedupe span has been shortened.
#[test]
fn an_id_added_after_a_rotation_was_due_is_remembered_for_its_span() {
    let budget = IdBudget::new(1 << 20);
    let mut ids = RememberedIds::new(at(0));
    for (remembered_at, number) in [(0, 1), (5000, 2)] {
        ids.reserve(at(remembered_at), Duration::MAX, &budget)
            .unwrap();
        assert!(number == 1 || ids.holds(digest(1), 0, at(remembered_at), Duration::MAX, &budget));
        ids.remember(digest(number), 0, at(remembered_at));
    }
    // The rotation has been due for more than a span.
    assert!(!ids.age(at(5500), SPAN, &budget));
    assert!(!ids.holds(digest(1), 0, at(5500), SPAN, &budget));
    assert!(ids.holds(digest(2), 0, at(5999), SPAN, &budget));
    assert!(ids.age(at(6500), SPAN, &budget));
}

#[test]
fn two_spans_later_nothing_is_left() {
    let budget = IdBudget::new(1 << 20);
    let mut ids = RememberedIds::new(at(0));
    ids.reserve(at(999), SPAN, &budget).unwrap();
    ids.remember(digest(1), 0, at(999));
    assert!(!ids.age(at(1998), SPAN, &budget));
    assert!(ids.holds(digest(1), 0, at(1998), SPAN, &budget));
    let mut idle = RememberedIds::new(at(0));
    idle.reserve(at(999), SPAN, &budget).unwrap();
    idle.remember(digest(1), 0, at(999));
    assert!(idle.age(at(2000), SPAN, &budget));
}

#[test]
fn a_clock_that_steps_back_forgets_nothing() {
    let budget = IdBudget::new(1 << 20);
    let mut ids = RememberedIds::new(at(0));
    ids.reserve(at(500), SPAN, &budget).unwrap();
    ids.remember(digest(1), 0, at(500));
    assert!(ids.holds(digest(1), 0, at(-5000), SPAN, &budget));
    ids.reserve(at(-5000), SPAN, &budget).unwrap();
    ids.remember(digest(2), 0, at(-5000));
    assert!(ids.holds(digest(2), 0, at(-4500), SPAN, &budget));
}

#[test]
fn ids_added_by_a_clock_that_was_ahead_are_dropped_once_it_is_right() {
    let budget = IdBudget::new(1 << 20);
    let mut ids = RememberedIds::new(at(0));
    budget.limit_trust(Some(at(0)));
    for (remembered_at, number) in [(0, 1), (100_000, 2)] {
        ids.reserve(at(remembered_at), SPAN, &budget).unwrap();
        ids.remember(digest(number), 0, at(remembered_at));
    }
    budget.limit_trust(None);
    // The clock is corrected: no id is dropped before its span is over.
    assert!(!ids.age(at(500), SPAN, &budget));
    for number in [1, 2] {
        assert!(ids.holds(digest(number), 0, at(999), SPAN, &budget));
    }
    assert!(!ids.age(at(1500), SPAN, &budget));
    assert!(!ids.holds(digest(1), 0, at(1500), SPAN, &budget));
    assert!(ids.age(at(2500), SPAN, &budget));
    ids.release(&budget);
    assert_eq!(budget.used_bytes(), 0);
}

#[test]
fn a_clock_that_is_behind_for_a_while_forgets_nothing() {
    let budget = IdBudget::new(1 << 20);
    let mut ids = RememberedIds::new(at(0));
    for (remembered_at, number) in [(900, 1), (1100, 2)] {
        ids.reserve(at(remembered_at), SPAN, &budget).unwrap();
        ids.remember(digest(number), 0, at(remembered_at));
    }
    for behind in [-2000, -1500] {
        assert!(!ids.age(at(behind), SPAN, &budget));
        assert!(ids.holds(digest(2), 0, at(behind), SPAN, &budget));
    }
    for right in [1800, 1899] {
        assert!(!ids.age(at(right), SPAN, &budget));
        assert!([1, 2].iter().all(|number| ids.holds(
            digest(*number),
            0,
            at(right),
            SPAN,
            &budget
        )));
    }
    assert!(!ids.age(at(2099), SPAN, &budget));
    assert!(ids.holds(digest(2), 0, at(2099), SPAN, &budget));
    assert!(ids.age(at(3100), SPAN, &budget));
}

#[test]
fn a_clock_that_was_ahead_and_then_behind_forgets_nothing() {
    const DAY_MS: i64 = 86_400_000;
    let hour = Duration::from_hours(1);
    let budget = IdBudget::new(1 << 20);
    let mut ids = RememberedIds::new(at(0));
    for (remembered_at, number) in [(0, 1), (DAY_MS, 2)] {
        budget.limit_trust((remembered_at > 0).then(|| at(0)));
        ids.reserve(at(remembered_at), hour, &budget).unwrap();
        ids.remember(digest(number), 0, at(remembered_at));
    }
    budget.limit_trust(None);
    let minute_ms = 60_000;
    for now in [
        0,
        1,
        -120 * minute_ms,
        -119 * minute_ms,
        minute_ms,
        59 * minute_ms,
    ] {
        assert!(!ids.age(at(now), hour, &budget));
        assert!(ids.holds(digest(1), 0, at(now), hour, &budget), "at {now}");
    }
    // The clock advances minute by minute.
    let mut gone = (60..).filter(|minute| ids.age(at(minute * minute_ms), hour, &budget));
    let gone = gone.next().unwrap();
    assert!((110..=180).contains(&gone), "{gone}");
    assert_eq!(budget.used_bytes(), 0);
}

#[test]
fn a_full_time_range_drops_no_id_while_no_clock_is_trusted() {
    const AHEAD_MS: i64 = 50 * 86_400_000;
    for jumps in [1, 3] {
        let budget = IdBudget::new(1 << 20);
        let mut ids = RememberedIds::new(at(0));
        for (remembered_at, numbers) in [(800, 0..40), (1600, 40..80)] {
            for number in numbers {
                ids.reserve(at(remembered_at), SPAN, &budget).unwrap();
                ids.remember(digest(number), 0, at(remembered_at));
            }
        }
        budget.limit_trust(Some(at(1700)));
        for ahead in (1..=jumps).map(|jump| jump * AHEAD_MS) {
            ids.reserve(at(ahead), SPAN, &budget).unwrap();
            ids.remember(digest(u128::try_from(ahead).unwrap()), 0, at(ahead));
        }
        budget.limit_trust(None);
        for (now, held) in [
            (1700, 0..80),
            (1799, 0..80),
            (1800, 40..80),
            (2599, 40..80),
            (2600, 0..0),
        ] {
            for number in 0..80 {
                let is_held = ids.holds(digest(number), 0, at(now), SPAN, &budget);
                // After several jumps ids may be remembered for longer.
                let has_to_be = held.contains(&number) || jumps > 1 && is_held;
                assert_eq!(is_held, has_to_be, "{number} at {now}");
            }
        }
        ids.release(&budget);
        assert_eq!(budget.used_bytes(), 0);
    }
}

#[test]
fn the_budget_rejects_and_gets_everything_back() {
    let budget = IdBudget::new(10_000);
    let mut ids = RememberedIds::new(at(0));
    let mut kept = 0;
    while ids.reserve(at(0), SPAN, &budget).is_ok() {
        ids.remember(digest(kept), 0, at(0));
        kept += 1;
    }
    assert!(kept > 100, "{kept}");
    assert!((0..kept).all(|number| ids.holds(digest(number), 0, at(1), SPAN, &budget)));
    assert!(!ids.age(at(1000), SPAN, &budget));
    assert!(ids.age(at(2000), SPAN, &budget));
    ids.release(&budget);
    assert_eq!(budget.used_bytes(), 0);
}

#[test]
fn only_the_lowest_88_bits_of_a_digest_matter() {
    // Journal records contain only these 11 bytes.
    let budget = IdBudget::new(1 << 20);
    let kept = |digest: IdDigest| IdDigest(digest.0 << 40 >> 40);
    for number in 1..=100 {
        let (whole, cut) = (digest(number), kept(digest(number)));
        assert_ne!(whole, cut);
        for [noted, asked] in [[whole, cut], [cut, whole]] {
            let mut ids = RememberedIds::new(at(0));
            ids.reserve(at(0), SPAN, &budget).unwrap();
            ids.remember(noted, 7 << 60, at(0));
            assert!(ids.holds(asked, 7 << 60, at(1), SPAN, &budget));
        }
    }
}

#[test]
fn each_shard_keeps_the_ids_of_its_members() {
    let budget = IdBudget::new(1 << 20);
    let shards = ShardCount::new(16).unwrap();
    let hash = |number: u128| {
        u64::try_from(number)
            .unwrap()
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    let mut ids = RememberedIds::new(at(0));
    for number in 0..200 {
        let time = at(i64::try_from(number).unwrap() * 10);
        ids.reserve(time, SPAN, &budget).unwrap();
        ids.remember(digest(number), hash(number), time);
    }
    let parts = ids.split(shards, &budget);
    for number in 0..200 {
        let time = i64::try_from(number).unwrap() * 10;
        let part = &parts[usize::from(shards.shard_of(hash(number)))];
        assert!(part.holds(digest(number), hash(number), at(time + 999), SPAN, &budget));
        assert!(!part.holds(digest(number), hash(number), at(time + 1000), SPAN, &budget));
    }
    for part in &parts {
        part.release(&budget);
    }
    assert_eq!(budget.used_bytes(), 0);
}

fn held_bytes(ids: &RememberedIds) -> usize {
    ids.younger.bytes() + ids.elder.bytes()
}

#[test]
fn the_budget_counts_what_is_held_to_the_byte() {
    let budget = IdBudget::new(1 << 30);
    let mut ids = RememberedIds::new(at(0));
    for number in 0..100_000_i64 {
        let time = at(number / 70);
        ids.reserve(time, SPAN, &budget).unwrap();
        ids.remember(digest(number.unsigned_abs().into()), 0, time);
        assert_eq!(budget.used_bytes(), held_bytes(&ids));
    }
}

#[test]
fn an_id_takes_at_most_28_bytes_among_many_and_40_among_ten() {
    for (count, bytes_max) in [(10, 40), (100, 32), (1_000_000, 28)] {
        let budget = IdBudget::new(1 << 30);
        let mut ids = RememberedIds::new(at(0));
        for number in 0..count {
            ids.reserve(at(0), SPAN, &budget).unwrap();
            ids.remember(digest(number), 0, at(0));
        }
        let bytes = budget.used_bytes() as u128;
        assert!(bytes <= bytes_max * count, "{count} ids take {bytes} bytes");
    }
}

#[test]
fn ids_that_were_accepted_before_may_exceed_the_budget() {
    let budget = IdBudget::new(100);
    let mut ids = RememberedIds::new(at(0));
    for number in 0..1000 {
        ids.reserve_anyway(at(0), SPAN, &budget);
        ids.remember(digest(number), 0, at(0));
    }
    assert!((0..1000).all(|number| ids.holds(digest(number), 0, at(1), SPAN, &budget)));
    assert_eq!(budget.used_bytes(), held_bytes(&ids));
    assert_eq!(ids.reserve(at(0), SPAN, &budget), Ok(()), "below the limit");
    ids.remember(digest(1000), 0, at(0));
    let mut noted = 1001;
    while ids.reserve(at(0), SPAN, &budget).is_ok() {
        ids.remember(digest(noted), 0, at(0));
        noted += 1;
        assert!(noted < 2000, "new ids are rejected");
    }
}

#[test]
fn restored_ids_expire_at_the_same_time_and_take_the_same_bytes() {
    let budget = IdBudget::new(1 << 30);
    let mut ids = RememberedIds::new(at(0));
    let remembered_at = |number: u128| at(i64::try_from(number / 10).unwrap());
    for number in 0..15_000 {
        ids.reserve(remembered_at(number), SPAN, &budget).unwrap();
        ids.remember(digest(number), 0, remembered_at(number));
    }
    let frozen = ids.freeze();
    for number in 0..20_000 {
        // One is remembered again, one is new, after the frozen copy.
        ids.reserve(at(1800), SPAN, &budget).unwrap();
        ids.remember(digest(number), 0, at(1800));
    }
    let full = IdBudget::new(0);
    let mut restored = RememberedIds::new(at(0));
    for (place, generation) in frozen.generations.iter().enumerate() {
        restored.begin(place, generation.began(), generation.len(), &full);
        for noted in generation.entries() {
            restored.put(place, noted, &full);
        }
    }
    for number in 0..15_000 {
        let last = remembered_at(number).plus(SPAN).millis() - 1;
        let (last, past) = (
            Timestamp::from_millis(last),
            remembered_at(number).plus(SPAN),
        );
        assert!(restored.holds(digest(number), 0, last, SPAN, &budget));
        assert!(!restored.holds(digest(number), 0, past, SPAN, &budget));
    }
    assert!(!restored.holds(digest(15_000), 0, at(1800), SPAN, &budget));
    assert_eq!(full.used_bytes(), held_bytes(&restored));
}
