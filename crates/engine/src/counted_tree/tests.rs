//! Checks the invariants of trees with several levels.

mod twin;

use std::cmp::Reverse;

use super::node::FANOUT;
use super::node::{Node, Summary};
use super::remove::LEN_MIN;
use super::{Bound, Change, Names, Tree};

/// Member names by handle.
impl Names for Vec<Vec<u8>> {
    fn name(&self, handle: u32) -> &[u8] {
        &self[handle as usize]
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        a.cmp(b)
    }
}

/// Returns names in an order other than that of their numbers, some of them prefixes of others.
fn names(n: u32) -> Vec<Vec<u8>> {
    let name = |i: u32| {
        let i = i.wrapping_mul(2_654_435_761);
        let bytes = format!("{:07}", i % 10_000_000).into_bytes();
        bytes[..]
            .iter()
            .rev()
            .chain(&i.to_be_bytes())
            .copied()
            .take(4 + i as usize % 8)
            .collect()
    };
    let mut names: Vec<Vec<u8>> = (0..n).map(name).collect();
    for i in 0..names.len() {
        let unique = u32::try_from(i).unwrap().to_be_bytes();
        names[i].extend(unique);
        if i % 3 == 1 {
            names[i] = [&names[i - 1][..], b"x"].concat();
        }
    }
    names
}

/// Checks counts, separators, fill and use of nodes, all the way down.
fn check<const W: usize>(tree: &Tree<W>) {
    if tree.is_empty() {
        assert_eq!(
            (tree.leaves.used(), tree.inners.used(), tree.bytes()),
            (0, 0, 0)
        );
        return;
    }
    let (mut leaves, mut inners) = (0, 0);
    let all = check_below(tree, tree.root, 0, &mut leaves, &mut inners);
    assert_eq!(all.count as usize, tree.len());
    assert_eq!(
        (tree.leaves.used(), tree.inners.used()),
        (leaves, inners),
        "a node is leaked"
    );
    assert!(leaves <= 1 + tree.len() / LEN_MIN);
}

fn check_below<const W: usize>(
    tree: &Tree<W>,
    id: u32,
    depth: usize,
    leaves: &mut usize,
    inners: &mut usize,
) -> Summary<W> {
    if depth == tree.height {
        *leaves += 1;
        assert!(
            depth == 0 || tree.leaves[id].len() >= LEN_MIN,
            "a leaf is too short"
        );
        return tree.leaves[id].summary();
    }
    *inners += 1;
    let inner = &tree.inners[id];
    assert!(
        inner.len() >= if depth == 0 { 2 } else { LEN_MIN },
        "an inner node is too short"
    );
    for slot in 0..inner.len() {
        let below = check_below(tree, inner.children[slot], depth + 1, leaves, inners);
        assert_eq!(
            inner.firsts.get(slot),
            Some(below.first),
            "a separator is not exact"
        );
        assert_eq!(inner.counts[slot], below.count, "a count is wrong");
    }
    inner.summary()
}

/// Iterates over 0..n in an order that visits every number once.
fn shuffled(n: u32) -> impl Iterator<Item = u32> {
    (0..n).map(move |i| u32::try_from(u64::from(i) * 1_000_003 % u64::from(n)).unwrap())
}

#[test]
fn orders_a_hundred_thousand_equal_words_by_name() {
    const N: u32 = 100_000;
    let names = names(N);
    let mut tree = Tree::<2>::new();
    shuffled(N).for_each(|handle| tree.insert([7, 7], handle, &names));
    check(&tree);

    let mut best_first: Vec<u32> = (0..N).collect();
    best_first.sort_by_key(|&handle| Reverse(names.name(handle)));
    assert!(
        tree.iter_from(0)
            .map(|(_, handle)| handle)
            .eq(best_first.iter().copied())
    );
    for (index, &handle) in best_first.iter().enumerate().step_by(997) {
        let bound = Bound {
            words: &[7, 7],
            member: Some(names.name(handle)),
        };
        assert_eq!(tree.count_better(bound, &names), index);
    }
    assert_eq!(
        tree.count_better(
            Bound {
                words: &[7],
                member: None
            },
            &names
        ),
        N as usize
    );
    assert_eq!(
        tree.count_better(
            Bound {
                words: &[7, 8],
                member: None
            },
            &names
        ),
        0
    );

    shuffled(N).for_each(|handle| assert!(tree.replace([7, 7], [7, 8], handle, &names)));
    assert!(
        tree.iter_from(0)
            .eq(best_first.iter().map(|&handle| ([7, 8], handle)))
    );
    for (i, handle) in shuffled(N).enumerate() {
        assert!(!tree.remove([7, 7], handle, &names));
        assert!(tree.remove([7, 8], handle, &names));
        if i % 1_000 == 0 {
            check(&tree);
        }
    }
    check(&tree);
}

/// Returns the share of the leaves' capacity that is in use.
fn fill<const W: usize>(tree: &Tree<W>) -> f64 {
    let room = u32::try_from(tree.leaves.used() * FANOUT).unwrap();
    f64::from(u32::try_from(tree.len()).unwrap()) / f64::from(room)
}

#[test]
fn leaves_stay_dense_however_they_are_filled() {
    const N: u32 = 50_000;
    let names = names(N);
    let words = |handle: u32| [u64::from(handle)];
    let (mut up, mut down, mut random) = (Tree::<1>::new(), Tree::<1>::new(), Tree::<1>::new());
    for handle in 0..N {
        up.insert(words(handle), handle, &names);
        down.insert(words(N - handle), handle, &names);
    }
    shuffled(N).for_each(|handle| random.insert(words(handle), handle, &names));
    for tree in [&up, &down, &random] {
        check(tree);
    }
    assert!(fill(&up) > 0.9, "{}", fill(&up));
    assert!(fill(&down) > 0.9, "{}", fill(&down));
    assert!(fill(&random) > 0.8, "{}", fill(&random));
    let built = Tree::from_sorted(up.iter_from(0));
    assert!(fill(&built) > 0.9, "{}", fill(&built));

    let mut held: Vec<u64> = (0..u64::from(N)).collect();
    for i in 0..500_000_u64 {
        let random_bits = i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let handle = u32::try_from(random_bits % u64::from(N)).unwrap();
        let old = held[handle as usize];
        held[handle as usize] += random_bits.rotate_right(17) % 10_000;
        assert!(random.replace([old], [held[handle as usize]], handle, &names));
    }
    check(&random);
    assert!(fill(&random) > 0.8, "{}", fill(&random));
    // Entries of 12 bytes: the rest is inner nodes, and nodes that are free.
    let bytes_max = 12 * N as usize * 100 / 76;
    assert!(random.bytes() < bytes_max, "{} bytes", random.bytes());
}

#[test]
fn freed_nodes_are_reused() {
    let names = names(40_000);
    let mut tree = Tree::<2>::new();
    let words = |handle: u32| [u64::from(handle % 1_000), u64::from(handle)];
    shuffled(40_000).for_each(|handle| tree.insert(words(handle), handle, &names));
    let full = tree.bytes();
    for _ in 0..3 {
        shuffled(40_000).take(39_000).for_each(|handle| {
            assert!(tree.remove(words(handle), handle, &names));
        });
        check(&tree);
        shuffled(40_000).take(39_000).for_each(|handle| {
            tree.insert(words(handle), handle, &names);
        });
        check(&tree);
    }
    assert!(
        tree.bytes() <= full + full / 10,
        "{} after {full}",
        tree.bytes()
    );
}

#[test]
fn a_tree_of_four_levels_grows_and_shrinks() {
    const N: u32 = 300_000;
    let names = names(N);
    let words = |handle: u32| [u64::from(handle)];
    let mut tree = Tree::<1>::new();
    let changes = |old: bool| {
        let positions = move |handle| old.then_some(words(handle));
        shuffled(N).map(move |handle| {
            let (old, new) = (positions(handle), (!old).then_some(words(handle)));
            Change { handle, old, new }
        })
    };
    for batch in changes(false).collect::<Vec<_>>().chunks(1_000) {
        assert!(tree.apply(batch, &names));
        check(&tree);
    }
    assert_eq!(tree.height, 3);
    assert!(
        tree.iter_from(0)
            .eq((0..N).rev().map(|handle| (words(handle), handle)))
    );
    for batch in changes(true).collect::<Vec<_>>().chunks(1_000) {
        assert!(tree.apply(batch, &names));
        check(&tree);
    }
    assert_eq!(tree.len(), 0);
}
