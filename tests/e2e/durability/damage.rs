//! A damaged folder: refused with the place where what was durable is no more, or gone on with where
//! a crash may have torn it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use testkit::dice::{Dice, runs};
use testkit::{Launch, Server, cli};

/// The bytes of the journal's header.
const HEADER_BYTES: usize = 32;

/// The bytes of a group before its records.
const GROUP_HEADER_BYTES: usize = 36;

const CONFIG: &str = "[kinds.k]\nwindows = [\"all\"]\n";

/// Contributions, each in a group of its own.
const COUNT: usize = 12;

/// The folder of a server that was stopped; member `mN` is the one of the N-th contribution.
fn left() -> (Launch, Journal) {
    let server = Server::durable(CONFIG);
    for n in 1..=COUNT {
        server.give(
            "k/a",
            &[(&format!("m{n:02}"), 1000 - i64::try_from(n).unwrap())],
        );
    }
    let launch = server.stop();
    let journal = Journal::of(&launch.kept());
    (launch, journal)
}

/// The only file of a journal.
struct Journal {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Where groups begin, and where the last one ends.
    groups: Vec<usize>,
}

impl Journal {
    fn of(folder: &Path) -> Self {
        let files = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let mut files = files.filter(|path| path.extension().is_some_and(|end| end == "log"));
        let path = files.next().unwrap();
        assert_eq!(files.next(), None);
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes[..8], *b"megajrnl");
        let mut groups = vec![HEADER_BYTES];
        let mut at = HEADER_BYTES;
        while bytes[at..].starts_with(b"\xffgr\xff") {
            let payload = u32::from_le_bytes(*bytes[at + 8..].first_chunk().unwrap());
            at += GROUP_HEADER_BYTES + usize::try_from(payload).unwrap();
            groups.push(at);
        }
        assert!(groups.len() > COUNT, "{groups:?}");
        Self {
            path,
            bytes,
            groups,
        }
    }

    /// Leaves the file with one bit of this byte turned.
    fn flip(&self, at: usize, bit: usize) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        bytes[at] ^= 1 << bit;
        fs::write(&self.path, &bytes).unwrap();
        bytes
    }

    fn mend(&self) {
        fs::write(&self.path, &self.bytes).unwrap();
    }
}

fn shown(server: &Server) -> Vec<String> {
    server.order("k/a", "all")
}

fn sent(count: usize) -> Vec<String> {
    (1..=count).map(|n| format!("m{n:02}")).collect()
}

#[test]
fn one_bit_in_what_was_durable_refuses_the_start_with_file_and_offset() {
    let (mut launch, journal) = left();
    let mut dice = Dice::of_this_run();
    // The last group says that all before it are durable; nothing says so of itself.
    let mut places: Vec<(usize, usize)> = journal.groups[..journal.groups.len() - 1]
        .windows(2)
        .map(|ends| (ends[0], ends[0] + dice.below(ends[1] - ends[0])))
        .collect();
    dice.shuffle(&mut places);
    places.truncate(runs(5, usize::MAX));
    places.push((0, dice.below(HEADER_BYTES)));
    for (begin, at) in places {
        let damaged = journal.flip(at, dice.below(8));
        let (status, said) = launch.refused();
        assert_eq!(status, Some(1), "byte {at}: {said}");
        let file = journal.path.file_name().unwrap().to_str().unwrap();
        // A version that is turned may be told as the later one that it looks like.
        let version = (8..12).contains(&at) && said.contains("version");
        let place = version || said.contains(&format!("byte {begin}:"));
        assert!(said.contains(file) && place, "byte {at} of {begin}: {said}");
        let flag = format!("embedded:{}", launch.kept().display());
        let run = cli::run(&["verify", "--store", &flag], b"");
        assert_eq!(run.status, Some(1), "{run:?}");
        assert!(run.stderr.contains(file), "{run:?}");
        assert_eq!(fs::read(&journal.path).unwrap(), damaged, "byte {at}");
    }
    journal.mend();
    assert_eq!(shown(&launch.start()), sent(COUNT));
}

#[test]
fn one_bit_behind_what_is_known_to_be_durable_is_the_end_of_the_log() {
    let (launch, journal) = left();
    let [.., begin, end] = journal.groups[..] else {
        panic!("there are groups");
    };
    journal.flip(begin + Dice::of_this_run().below(end - begin), 0);
    let server = launch.start();
    assert_eq!(shown(&server), sent(COUNT));
    server.give("k/a", &[("new", 1)]);
    let server = server.kill().start();
    assert_eq!(shown(&server).len(), COUNT + 1);
}

#[test]
fn a_journal_that_is_cut_off_shows_what_was_before_the_cut() {
    let (mut launch, journal) = left();
    let mut dice = Dice::of_this_run();
    let end = *journal.groups.last().unwrap();
    let mut cuts: Vec<usize> = (0..runs(5, 100))
        .map(|_| HEADER_BYTES + dice.below(end - HEADER_BYTES))
        .chain([HEADER_BYTES, end])
        .collect();
    cuts.sort_unstable();
    let mut count_before = 0;
    for cut in cuts {
        fs::write(&journal.path, &journal.bytes[..cut]).unwrap();
        let server = launch.start();
        let members = shown(&server);
        let count = members.len();
        assert_eq!(members, sent(count), "cut at {cut}");
        assert!(count >= count_before, "cut at {cut}: {members:?}");
        count_before = count;
        // What comes next is there after the next start.
        server
            .contribute(&json!({"board": "k/a", "member": "new", "points": 1}))
            .ok();
        let server = server.kill().start();
        assert_eq!(shown(&server).len(), count + 1, "cut at {cut}");
        launch = server.kill();
    }
    assert_eq!(count_before, COUNT);
}

#[test]
fn a_journal_of_a_later_version_is_refused_as_one() {
    let (mut launch, journal) = left();
    let mut bytes = journal.bytes.clone();
    bytes[8] += 1;
    fs::write(&journal.path, bytes).unwrap();
    let (status, said) = launch.refused();
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("has format version 3"), "{said}");
}
