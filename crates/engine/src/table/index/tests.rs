//! The index compared with a `HashMap`.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Checks that every chunk counts the handles that passed it, and is full if there are any.
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
    let mut chunks = index.chunks.iter();
    assert!(chunks.all(|chunk| chunk.passed == 0 || chunk.slots(FREE).next().is_none()));
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
        let hash_of = |handle: u32| {
            let hash = u64::from(handle).wrapping_mul(0x9E37_79B9_7F4A_7C15) % distinct;
            hash.wrapping_mul(0xD6E8_FEB8_6659_FD93)
        };
        for (handle, is_added) in ops {
            let hash = hash_of(handle);
            let found = index.find(hash, |other| other == handle);
            assert_eq!(found.is_some(), twin.contains_key(&handle));
            if !is_added {
                assert_eq!(index.remove(hash, handle, hash_of), twin.remove(&handle).is_some());
            } else if found.is_none() && index.len() < index.capacity() {
                index.insert(hash, handle);
                twin.insert(handle, hash);
            }
        }
        check(&index, &twin);
        for (handle, hash) in std::mem::take(&mut twin) {
            assert!(index.remove(hash, handle, hash_of));
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

fn hash_of(handle: u32) -> u64 {
    super::super::member_hash(&handle.to_le_bytes())
}

/// Returns the chunks that are read for each handle that is in the index, and for each other one.
fn chunks_read(index: &Index, handles: Range<u32>) -> (f64, f64) {
    let chunks = index.chunks.len();
    let to_found = |handle: u32| {
        let found = index.search(hash_of(handle), &mut |other| other == handle);
        let (chunk, _) = found.unwrap();
        1 + (chunk + chunks - index.first(hash_of(handle))) % chunks
    };
    let to_none = |handle: u32| {
        let first = index.first(hash_of(handle));
        let chunks = index.chunks.iter().cycle().skip(first);
        1 + chunks.take_while(|chunk| chunk.passed > 0).count()
    };
    let of_each = |all: usize| {
        f64::from(u32::try_from(all).unwrap()) / f64::from(handles.end - handles.start)
    };
    let others = handles.end..2 * handles.end - handles.start;
    (
        of_each(handles.clone().map(to_found).sum()),
        of_each(others.map(to_none).sum()),
    )
}

#[test]
fn few_chunks_are_read_in_a_full_index_however_often_members_come_and_go() {
    let mut index = Index::with_capacity(10_000);
    let full = u32::try_from(index.capacity()).unwrap();
    for handle in 0..full {
        index.insert(hash_of(handle), handle);
    }
    for gone in 0..10 * full {
        if gone % full == 0 {
            let (of_found, of_others) = chunks_read(&index, gone..gone + full);
            assert!(of_found < 1.25, "{of_found} after {gone}");
            assert!(of_others < 4.0, "{of_others} after {gone}");
        }
        assert!(index.remove(hash_of(gone), gone, hash_of));
        index.insert(hash_of(gone + full), gone + full);
    }
}
