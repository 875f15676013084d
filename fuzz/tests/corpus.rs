//! Each target gets the files of its corpus, and random changes of them.

#![expect(clippy::unwrap_used, reason = "tests panic on failure")]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::{env, fs};

use fuzz::TARGETS;
use testkit::dice::{Dice, runs};

/// Changed inputs of each target.
const SAMPLED: usize = 1_000;
const WHOLE: usize = 100_000;

/// The maximum number of changes of an input.
const CHANGES_MAX: usize = 8;

/// Bytes that mean something to one of the formats, or are next to a limit.
const BYTES: [u8; 12] = [
    0, 1, 0x7f, 0x80, 0xff, b'"', b'\n', b'{', b'&', b'=', b'%', b'9',
];

#[test]
fn journals() {
    run("journal");
}

#[test]
fn snapshots() {
    run("snapshot");
}

#[test]
fn contributions() {
    run("contributions");
}

#[test]
fn parameters() {
    run("parameters");
}

fn run(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(name);
    let files = fs::read_dir(corpus).unwrap();
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let mut dice = Dice::of_this_run();
    let changed = (0..runs(SAMPLED, WHOLE)).map(|_| changed(&seeds, &mut dice));
    for input in seeds.iter().cloned().chain(changed.collect::<Vec<_>>()) {
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        if let Err(panic) = outcome {
            let file = env::temp_dir().join(format!("megaboard-fuzz-{name}"));
            fs::write(&file, &input).unwrap();
            eprintln!("the input is in {}", file.display());
            resume_unwind(panic);
        }
    }
}

/// Returns a random seed with some bytes changed, removed, repeated or replaced by those of another one.
fn changed(seeds: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut input = dice.pick(seeds).clone();
    for _ in 0..=dice.below(CHANGES_MAX) {
        let at = dice.below(input.len() + 1);
        let end = at + dice.below((input.len() - at).min(64) + 1);
        match dice.below(5) {
            0 => drop(input.drain(at..end)),
            1 => input.insert(at, *dice.pick(&BYTES)),
            2 => {
                let repeated = input[at..end].to_vec();
                input.splice(at..at, repeated);
            }
            3 => {
                let other = dice.pick(seeds);
                let from = dice.below(other.len() + 1);
                let until = from + dice.below((other.len() - from).min(64) + 1);
                input.splice(at..end, other[from..until].iter().copied());
            }
            _ if at < input.len() => input[at] ^= 1 << dice.below(8),
            _ => {}
        }
    }
    input
}
