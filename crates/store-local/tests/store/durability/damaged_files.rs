//! Files that were cut or in which a bit was flipped: the contents are recovered, or the start is
//! rejected with the position. Never another board, and never less of a store that was stopped.

use std::sync::Arc;

use board::KindName;
use store_local::Disk;

use crate::durability::audit::{Audit, End};
use crate::durability::durable::{LocalSettings, open, settings};
use crate::durability::op::{Op, What};
use crate::durability::script::Script;
use crate::durability::world::World;
use disk::fixtures::SimDisk;
use testkit::conformance::fixtures::gifts;
use testkit::dice::{Dice, Seed, runs};

/// The number of zeros at the end of a journal, of megabytes, that are looked at.
const ZEROS: usize = 200;

/// The bytes of a journal's file before its first record. They were durable before the file had its
/// name.
const HEADER_BYTES: usize = 32;

/// A folder that was left, and all its earlier contents.
struct Left {
    audit: Audit,
    history: Vec<World>,
}

impl Left {
    /// A store with some segments, and perhaps a snapshot, that was stopped or killed.
    async fn new(seed: u64, snapshot: bool, end: End) -> Self {
        let mut script = Script::new(seed, 8);
        // A part of a sweep never was a state of the store.
        script.sweeps = false;
        let settings = LocalSettings {
            segment_bytes: 1500,
            ..settings()
        };
        let mut audit = Audit::new(script, settings, SimDisk::default()).await;
        let mut history = audit.live.clone();
        for call in 0..16 {
            if snapshot && call == 8 {
                audit.snapshot().unwrap();
            }
            audit.call().await;
            history.extend(audit.live.clone());
        }
        // The last two are definitely in the journal, each in its own group.
        for _ in 0..2 {
            assert!(audit.ask(&last_call(&audit)).await);
            history.extend(audit.live.clone());
        }
        if end == End::Stopped {
            audit.stop().await.unwrap();
        }
        audit.disk = audit.disk.killed();
        Self { audit, history }
    }

    fn copy(&self) -> SimDisk {
        self.audit.disk.killed()
    }

    /// Opens a damaged copy. The contents are one of `worlds`, or the message names the file.
    async fn holds(&self, damaged: SimDisk, name: &str, worlds: &[World]) -> bool {
        match self.audit.found_in(damaged, worlds).await {
            Ok(()) => true,
            Err(why) => {
                let rest = why.split_once(name).map(|(_, behind)| behind);
                let is_named =
                    rest.is_some_and(|behind| behind.contains(|c: char| c.is_ascii_digit()));
                assert!(is_named, "{name} was damaged: {why}");
                false
            }
        }
    }
}

/// Writes a kind that no other call writes.
fn last_call(audit: &Audit) -> Op {
    let kind = gifts(|spec| spec.name = KindName::new("last").unwrap());
    Op {
        now: audit.script.clock,
        what: What::PutKind {
            kind: Arc::new(kind),
            alone: true,
        },
    }
}

fn names_of(disk: &SimDisk, beginning: &str) -> Vec<String> {
    let names = disk.names().into_iter();
    names.filter(|name| name.starts_with(beginning)).collect()
}

fn segments_of(disk: &SimDisk) -> Vec<String> {
    names_of(disk, "journal-0")
}

fn used_bytes(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last + 1)
}

fn bytes_looked_at(bytes: &[u8]) -> usize {
    bytes.len().min(used_bytes(bytes) + ZEROS)
}

/// The bytes of a file: all, or some of them.
fn places(dice: &mut Dice, bytes: usize, sampled: u64) -> impl Iterator<Item = usize> + use<> {
    let step = usize::try_from(runs(sampled, 1)).unwrap();
    (dice.below(step)..bytes).step_by(step)
}

#[tokio::test]
async fn a_journal_of_a_stopped_store_that_is_cut_at_any_byte_is_refused() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    for snapshot in [false, true] {
        let left = Left::new(dice.word(), snapshot, End::Stopped).await;
        let names = segments_of(&left.copy());
        assert!(snapshot || names.len() > 1, "{names:?}");
        for name in &names {
            let whole = left.copy().bytes_of(name);
            let used = used_bytes(&whole);
            for at in places(&mut dice, used, 5) {
                let (cut, zeros) = (left.copy(), left.copy());
                cut.cut(name, at);
                zeros.write_over(name, &vec![0; used - at], at);
                for damaged in [cut, zeros] {
                    let held = left.holds(damaged, name, &left.audit.live).await;
                    // Segments that a snapshot replaces need not exist.
                    let is_needed = !snapshot || Some(name) == names.last();
                    assert!(!held || !is_needed, "{name}: {at} of {used}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_killed_journal_whose_end_is_zeros_is_as_it_was_once() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    for snapshot in [false, true] {
        let left = Left::new(dice.word(), snapshot, End::Killed).await;
        let names = segments_of(&left.copy());
        let name = names.last().unwrap();
        let used = used_bytes(&left.copy().bytes_of(name));
        let mut held = 0;
        for at in places(&mut dice, used, 5) {
            let damaged = left.copy();
            damaged.write_over(name, &vec![0; used - at], at);
            held += usize::from(left.holds(damaged, name, &left.history).await);
        }
        // It may have just been begun.
        assert!(
            held > 0 || used <= HEADER_BYTES,
            "{name}: a torn end is nothing unheard of"
        );
    }
}

#[tokio::test]
async fn a_flipped_bit_of_a_stopped_journal_loses_nothing() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    for snapshot in [false, true] {
        let left = Left::new(dice.word(), snapshot, End::Stopped).await;
        for name in segments_of(&left.copy()) {
            let bytes = left.copy().bytes_of(&name);
            for at in places(&mut dice, bytes_looked_at(&bytes), 5) {
                for bit in bits(&mut dice) {
                    let damaged = left.copy();
                    damaged.write_over(&name, &[bytes[at] ^ bit], at);
                    left.holds(damaged, &name, &left.audit.live).await;
                }
            }
        }
    }
}

#[tokio::test]
async fn a_flipped_bit_of_a_killed_journal_loses_at_most_the_last_call() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    let left = Left::new(dice.word(), false, End::Killed).await;
    let worlds = &left.history[left.history.len() - 2..];
    for name in segments_of(&left.copy()) {
        let bytes = left.copy().bytes_of(&name);
        for at in places(&mut dice, bytes_looked_at(&bytes), 5) {
            for bit in bits(&mut dice) {
                let damaged = left.copy();
                damaged.write_over(&name, &[bytes[at] ^ bit], at);
                left.holds(damaged, &name, worlds).await;
            }
        }
    }
}

#[tokio::test]
async fn a_damaged_snapshot_is_refused() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    let left = Left::new(dice.word(), true, End::Stopped).await;
    let names = names_of(&left.copy(), "snapshot");
    let [name] = names.as_slice() else {
        panic!("one snapshot: {names:?}");
    };
    let bytes = left.copy().bytes_of(name);
    for at in places(&mut dice, bytes.len(), 5) {
        for bit in bits(&mut dice) {
            let damaged = left.copy();
            damaged.write_over(name, &[bytes[at] ^ bit], at);
            let held = left.holds(damaged, name, &left.audit.live).await;
            assert!(!held, "bit {bit:#04x} of byte {at} was not missed");
        }
        let damaged = left.copy();
        damaged.cut(name, at);
        let held = left.holds(damaged, name, &left.audit.live).await;
        assert!(!held, "what stood behind byte {at} was not missed");
    }
}

#[tokio::test]
async fn a_missing_file_is_reported_or_not_needed() {
    let seed = Seed::of_this_run();
    for snapshot in [false, true] {
        let left = Left::new(seed.0, snapshot, End::Stopped).await;
        for name in left.copy().names() {
            let damaged = left.copy();
            damaged.remove(&name).unwrap();
            if let Err(why) = left.audit.found_in(damaged, &left.audit.live).await {
                assert!(why.contains("sim"), "the folder is named: {why}");
            }
        }
    }
}

#[tokio::test]
async fn a_folder_of_another_format_is_refused_by_name_and_not_changed() {
    let seed = Seed::of_this_run();
    let left = Left::new(seed.0, true, End::Stopped).await;
    for beginning in ["journal-0", "snapshot"] {
        let name = names_of(&left.copy(), beginning).pop().unwrap();
        // A later version, and another magic.
        for (bytes, at) in [(&b"\x02"[..], 8), (b"megajrnl\x01", 0)] {
            let foreign = left.copy();
            foreign.write_over(&name, bytes, at);
            foreign.write_over("journal-end", &[7; 1024], 0);
            foreign.put("snapshot-00000000000000000099.snap.tmp", b"unfinished");
            let before = foreign.changes();
            let why = open(&foreign, &settings()).unwrap_err();
            let sentence = "is not of format 1, the only one that this server supports";
            assert!(why.contains(&name) && why.ends_with(sentence), "{why}");
            assert_eq!(foreign.changes(), before);
        }
    }
}

/// One bit of a byte, or each.
fn bits(dice: &mut Dice) -> Vec<u8> {
    if runs(0, 1) == 1 {
        return (0..8).map(|bit| 1 << bit).collect();
    }
    vec![1 << dice.below(8)]
}
