//! The index compared with a `HashMap`.

use std::collections::{HashMap, HashSet};

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Checks that every chunk counts the handles that passed it.
fn check(index: &Index, twin: &HashMap<u32, u64>) {
    let mut passed = vec![0; index.chunks.len()];
    for (handle, hash) in twin {
        let (chunk, _) = index.search(*hash, &mut |other| other == *handle).unwrap();
        let mut at = index.first(*hash);
        while at != chunk {
            passed[at] += 1;
            at = index.next(at);
        }
    }
    assert!(
        passed
            .iter()
            .eq(index.chunks.iter().map(|chunk| &chunk.passed))
    );
    assert_eq!(index.len(), twin.len());
    assert_eq!(
        index.iter().collect::<HashSet<_>>(),
        twin.keys().copied().collect()
    );
}

proptest! {
    /// With few distinct hashes most handles are passed on, and with a single one almost all.
    #[test]
    fn agrees_with_its_twin(
        capacity in 1..400_usize,
        distinct in prop_oneof![Just(1), Just(3), Just(50), Just(u64::MAX)],
        ops in vec((0..500_u32, any::<bool>()), 0..2_000),
    ) {
        let mut index = Index::with_capacity(capacity);
        let mut twin = HashMap::new();
        for (handle, is_added) in ops {
            let hash = u64::from(handle).wrapping_mul(0x9E37_79B9_7F4A_7C15) % distinct;
            let hash = hash.wrapping_mul(0xD6E8_FEB8_6659_FD93);
            let found = index.find(hash, |other| other == handle);
            assert_eq!(found.is_some(), twin.contains_key(&handle));
            if !is_added {
                assert_eq!(index.remove(hash, handle), twin.remove(&handle).is_some());
            } else if found.is_none() && index.len() < index.capacity() {
                index.insert(hash, handle);
                twin.insert(handle, hash);
            }
        }
        check(&index, &twin);
        for (handle, hash) in std::mem::take(&mut twin) {
            assert!(index.remove(hash, handle));
        }
        check(&index, &twin);
    }
}

#[test]
fn tags_are_distinguished_in_all_slots() {
    let mut chunk = Chunk::EMPTY;
    for slot in 0..SLOTS {
        chunk.tags[slot] = [1, 0x80, 0x81, 0xFF][slot % 4];
    }
    chunk.passed = u32::MAX;
    for tag in [1, 0x80, 0x81, 0xFF, 0, 2, 0x7F, 0xFE] {
        let expected = (0..SLOTS).filter(|slot| chunk.tags[*slot] == tag);
        assert!(chunk.slots(tag).eq(expected), "{tag}");
    }
}

#[test]
fn few_chunks_are_read_in_a_full_index() {
    let mut index = Index::with_capacity(100_000);
    let hash = |handle: u32| super::super::member_hash(&handle.to_le_bytes());
    let full = u32::try_from(index.capacity()).unwrap();
    for handle in 0..full {
        index.insert(hash(handle), handle);
    }
    let chunks = index.chunks.len();
    let read = |hash| {
        let (chunk, _) = index.search(hash, &mut |_| true).unwrap();
        1 + (chunk + chunks - index.first(hash)) % chunks
    };
    let all: usize = (0..full).map(|handle| read(hash(handle))).sum();
    assert!(
        all < 5 * full as usize / 4,
        "{all} chunks for {full} handles"
    );
}
