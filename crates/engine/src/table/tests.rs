//! The table compared with a `HashMap`.

use std::collections::{HashMap, HashSet};

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn state(seed: u64, words: usize) -> Vec<u64> {
    (0..words)
        .map(|i| {
            seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .rotate_left(u32::try_from(i).unwrap())
        })
        .collect()
}

#[derive(Clone, Debug)]
enum Op {
    Put(u16, u64),
    Remove(u16),
}

/// Returns a member of 1 to 128 bytes, which depends only on the number.
fn member(n: u16) -> Vec<u8> {
    let len = 1 + usize::from(n) * 37 % MEMBER_BYTES_MAX;
    let mut member = vec![b'm'; len.max(2)];
    member[..2].copy_from_slice(&n.to_be_bytes());
    member
}

fn run(words: usize, ops: &[Op]) {
    let mut table = Table::new(words, board::NameOrder::default());
    let mut twin: HashMap<Vec<u8>, Vec<u64>> = HashMap::new();
    for op in ops {
        match *op {
            Op::Put(n, seed) => {
                let (member, state) = (member(n), state(seed, words));
                let hash = member_hash(&member);
                match table.find(hash, &member) {
                    Some(handle) => table.set_state(handle, &state),
                    None => drop(table.insert(hash, &member, &state).unwrap()),
                }
                twin.insert(member, state);
            }
            Op::Remove(n) => {
                let member = member(n);
                let hash = member_hash(&member);
                let found = table.find(hash, &member);
                assert_eq!(found.is_some(), twin.remove(&member).is_some());
                if let Some(handle) = found {
                    assert!(table.remove(hash, handle));
                    assert!(!table.remove(hash, handle));
                }
            }
        }
        assert_eq!(table.len(), twin.len());
    }
    for (member, state) in &twin {
        let handle = table.find(member_hash(member), member).unwrap();
        assert_eq!(table.name(handle), member);
        let mut expected = [0; STATE_WORDS_MAX];
        expected[..words].copy_from_slice(state);
        assert_eq!(table.state(handle), expected);
    }
    let sought: Vec<Vec<u8>> = (0..400).map(member).collect();
    let mut handles = Vec::new();
    table.find_all(
        sought.iter().map(|m| (member_hash(m), &m[..])),
        &mut handles,
    );
    let each = sought.iter().map(|m| table.find(member_hash(m), m));
    assert!(each.eq(handles.iter().copied()));
    let all: HashSet<&[u8]> = table.iter().map(|handle| table.name(handle)).collect();
    assert_eq!(all, twin.keys().map(|member| &member[..]).collect());
}

proptest! {
    #[test]
    fn agrees_with_its_twin(
        words in 1..=STATE_WORDS_MAX,
        ops in vec(
            prop_oneof![
                2 => (0..400_u16, any::<u64>()).prop_map(|(n, seed)| Op::Put(n, seed)),
                1 => (0..400_u16).prop_map(Op::Remove),
            ],
            0..2_000,
        ),
    ) {
        run(words, &ops);
    }
}

fn insert(table: &mut Table, name: &str) -> Result<u32, TableFull> {
    table.insert(member_hash(name.as_bytes()), name.as_bytes(), &[1, 2])
}

#[test]
fn removed_records_are_reused() {
    let mut table = Table::new(2, board::NameOrder::default());
    let handles: HashSet<u32> = (0..50_000)
        .map(|i| insert(&mut table, &format!("before{i:05}")).unwrap())
        .collect();
    let full = table.bytes();
    for i in 0..50_000 {
        let name = format!("before{i:05}");
        let hash = member_hash(name.as_bytes());
        let handle = table.find(hash, name.as_bytes()).unwrap();
        assert!(table.remove(hash, handle));
    }
    assert_eq!(table.len(), 0);
    let again: HashSet<u32> = (0..50_000)
        .map(|i| insert(&mut table, &format!("after{i:06}")).unwrap())
        .collect();
    assert_eq!(again, handles);
    assert_eq!(table.bytes(), full);
}

#[test]
fn a_full_table_reports_it_and_stays_usable() {
    let mut table = Table::new(2, board::NameOrder::default());
    table.pages_max = 2;
    let full = (0..1_000_000_u32)
        .find(|i| insert(&mut table, &format!("{i:010}")).is_err())
        .unwrap();
    assert_eq!(full as usize, table.len());
    assert_eq!(table.len(), 2 * (PAGE_BYTES / 28));
    assert_eq!(insert(&mut table, "one more 0"), Err(TableFull));
    assert_eq!(table.find(member_hash(b"one more 0"), b"one more 0"), None);

    let first = table
        .find(member_hash(b"0000000000"), b"0000000000")
        .unwrap();
    assert!(table.remove(member_hash(b"0000000000"), first));
    assert_eq!(insert(&mut table, "one more 0"), Ok(first));
    assert_eq!(table.name(first), b"one more 0");
}

#[test]
fn members_of_equal_hashes_are_distinguished() {
    // No more than fit the first index: growing it rehashes.
    let mut table = Table::new(1, board::NameOrder::default());
    let members = [&b"a"[..], b"b", b"ab"];
    let handles = members.map(|member| table.insert(7, member, &[1]).unwrap());
    assert_eq!(
        members.map(|member| table.find(7, member)),
        handles.map(Some)
    );
    let mut found = Vec::new();
    table.find_all(members.iter().map(|&member| (7, member)), &mut found);
    assert_eq!(found, handles.map(Some));
    table.find_all([(7, &b"c"[..])].into_iter(), &mut found);
    assert_eq!(found, [None]);
}

#[test]
fn members_of_one_shard_do_not_collide() {
    // Twelve equal top bits, as with 4,096 shards.
    let tags: HashSet<u8> = (0..10_000_u64)
        .map(|i| member_hash(&i.to_be_bytes()) >> 12 | 0xABC << 52)
        .map(index::tag)
        .collect();
    assert_eq!(tags.len(), 255);
}

fn rows_of(frozen: &FrozenTable) -> HashMap<Vec<u8>, Vec<u64>> {
    let mut rows = HashMap::new();
    frozen.for_each(|_, member, state| {
        let before = rows.insert(member.to_vec(), state.to_vec());
        assert_eq!(before, None, "a member is visited once");
    });
    assert_eq!(rows.len(), frozen.len());
    rows
}

#[test]
fn a_frozen_copy_leaves_out_removed_records_and_nothing_else() {
    let mut table = Table::new(3, board::NameOrder::default());
    for n in 0..3000 {
        let member = member(n);
        let put = table.insert(member_hash(&member), &member, &state(n.into(), 3));
        put.unwrap();
    }
    for n in (0..3000).filter(|n| n % 3 == 0) {
        let member = member(n);
        let hash = member_hash(&member);
        let handle = table.find(hash, &member).unwrap();
        assert!(table.remove(hash, handle));
    }
    let frozen = table.freeze();
    let left = (0..3000).filter(|n| n % 3 != 0);
    let left = left.map(|n| (member(n), state(n.into(), 3)));
    let left: HashMap<_, _> = left.collect();
    for n in 0..3000 {
        // Removed records are reused, others change or are removed, after the frozen copy.
        let member = member(n);
        let hash = member_hash(&member);
        match table.find(hash, &member) {
            None => drop(table.insert(hash, &member, &[1, 2, 3]).unwrap()),
            Some(handle) if n % 2 == 0 => drop(table.remove(hash, handle)),
            Some(handle) => table.set_state(handle, &[4, 5, 6]),
        }
    }
    assert_eq!(rows_of(&frozen), left);
    assert_eq!(rows_of(&table.freeze()).len(), table.len());
}
