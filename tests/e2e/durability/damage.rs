//! A damaged folder: the start is refused with the offset if durable data is damaged or missing. Damage that a crash
//! could have caused at the end is truncated.

use std::fs;
use std::path::{Path, PathBuf};

use testkit::dice::{Dice, runs};
use testkit::{Launch, Server, cli};

/// The size of the journal's header.
const HEADER_BYTES: usize = 32;

/// The size of a group's header.
const GROUP_HEADER_BYTES: usize = 36;

const CONFIG: &str = "[kinds.k]\nwindows = [\"all\"]\n";

/// Contributions, each in its own group.
const COUNT: usize = 12;

/// Returns the folder of a stopped server; member `mN` is of the N-th contribution.
fn stopped() -> (Launch, Journal) {
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

/// The single file of a journal.
struct Journal {
    path: PathBuf,
    bytes: Vec<u8>,
    /// The offsets of the groups, and the end of the last one.
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
        assert_eq!(bytes[..8], *b"mbjournl");
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

    /// Flips one bit of a byte in the file. Returns the original content.
    fn flip(&self, at: usize, bit: usize) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        bytes[at] ^= 1 << bit;
        fs::write(&self.path, &bytes).unwrap();
        bytes
    }

    fn restore(&self) {
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
fn a_flipped_bit_in_durable_data_refuses_the_start_with_file_and_offset() {
    let (mut launch, journal) = stopped();
    let mut dice = Dice::of_this_run();
    let mut offsets: Vec<(usize, usize)> = journal
        .groups
        .windows(2)
        .map(|ends| (ends[0], ends[0] + dice.below(ends[1] - ends[0])))
        .collect();
    dice.shuffle(&mut offsets);
    offsets.truncate(runs(5, usize::MAX));
    offsets.push((0, dice.below(HEADER_BYTES)));
    for (begin, at) in offsets {
        let damaged = journal.flip(at, dice.below(8));
        let (status, stderr) = launch.refused();
        assert_eq!(status, Some(1), "byte {at}: {stderr}");
        let file = journal.path.file_name().unwrap().to_str().unwrap();
        // Damaged magics and versions are those of another format.
        let is_foreign = at < 12 && stderr.contains("is not of format 1");
        let has_offset = is_foreign || stderr.contains(&format!("byte {begin}:"));
        assert!(
            stderr.contains(file) && has_offset,
            "byte {at} of {begin}: {stderr}"
        );
        let flag = format!("embedded:{}", launch.kept().display());
        let run = cli::run(&["verify", "--store", &flag], b"");
        assert_eq!(run.status, Some(1), "{run:?}");
        assert!(run.stderr.contains(file), "{run:?}");
        assert_eq!(fs::read(&journal.path).unwrap(), damaged, "byte {at}");
    }
    journal.restore();
    assert_eq!(shown(&launch.start()), sent(COUNT));
}

/// Checks that neither a server nor `verify` reads the folder, and that both say this.
fn assert_refused(launch: &mut Launch, says: &[&str]) {
    let (status, stderr) = launch.refused();
    assert_eq!(status, Some(1), "{stderr}");
    let flag = format!("embedded:{}", launch.kept().display());
    let run = cli::run(&["verify", "--store", &flag], b"");
    assert_eq!(run.status, Some(1), "{run:?}");
    for part in says {
        assert!(stderr.contains(part), "{part}: {stderr}");
        assert!(run.stderr.contains(part), "{part}: {run:?}");
    }
}

#[test]
fn a_stopped_journal_without_its_end_refuses_the_start_with_what_is_missing() {
    let (mut launch, journal) = stopped();
    let mut dice = Dice::of_this_run();
    let end = *journal.groups.last().unwrap();
    let file = journal.path.file_name().unwrap().to_str().unwrap();
    let cuts = (0..runs(5, 100)).map(|_| HEADER_BYTES + dice.below(end - HEADER_BYTES));
    for cut in cuts.chain([HEADER_BYTES, end - 1]) {
        let begin = journal.groups.iter().rfind(|begin| **begin <= cut).unwrap();
        let missing = format!("{} more bytes with ", end - begin);
        let begin = format!("byte {begin}:");
        // A file that was cut, and one whose end is zeros.
        for length in [cut, journal.bytes.len()] {
            let mut bytes = journal.bytes[..cut].to_vec();
            bytes.resize(length, 0);
            fs::write(&journal.path, bytes).unwrap();
            assert_refused(&mut launch, &[file, &begin, &missing]);
        }
    }
    // The last two groups are the last contribution and the stop.
    fs::write(
        &journal.path,
        &journal.bytes[..journal.groups[journal.groups.len() - 3]],
    )
    .unwrap();
    assert_refused(&mut launch, &["with 2 records were durable"]);
    fs::remove_file(&journal.path).unwrap();
    assert_refused(&mut launch, &[file, "is missing"]);
    journal.restore();
    assert_eq!(shown(&launch.start()), sent(COUNT));
}

#[test]
fn an_older_copy_of_a_file_loses_nothing_silently() {
    let (launch, journal) = stopped();
    let mark = journal.path.with_file_name("journal-end");
    let older_mark = fs::read(&mark).unwrap();
    let server = launch.start();
    server.give("k/a", &[("new", 1)]);
    let mut launch = server.stop();
    let newer = fs::read(&journal.path).unwrap();
    journal.restore();
    assert_refused(&mut launch, &["journal-", "were durable"]);
    // An older mark says less than is there.
    fs::write(&journal.path, newer).unwrap();
    fs::write(&mark, older_mark).unwrap();
    let server = launch.start();
    assert_eq!(shown(&server).len(), COUNT + 1);
    let mut launch = server.stop();
    // A damaged one says nothing. The journal can be read without it, as the error says.
    fs::write(&mark, "").unwrap();
    assert_refused(&mut launch, &["journal-end", "can be read without it"]);
    fs::remove_file(&mark).unwrap();
    let server = launch.start();
    assert_eq!(shown(&server).len(), COUNT + 1);
    let log = server.log();
    assert!(log.contains("journal-end is missing"), "{log}");
}

#[test]
fn an_unmarked_end_that_is_incomplete_is_truncated() {
    let (launch, journal) = stopped();
    let mark = journal.path.with_file_name("journal-end");
    let [.., begin, end] = journal.groups[..] else {
        panic!("there are groups");
    };
    // As after a crash during the write of the last group.
    fs::remove_file(&mark).unwrap();
    journal.flip(begin + Dice::of_this_run().below(end - begin), 0);
    let flag = format!("embedded:{}", launch.kept().display());
    let run = cli::run(&["verify", "--store", &flag], b"");
    assert_eq!(run.status, Some(0), "{run:?}");
    let incomplete = format!("last {} bytes are incomplete", end - begin);
    assert!(run.stderr.contains(&incomplete), "{run:?}");
    let server = launch.start();
    assert_eq!(shown(&server), sent(COUNT));
    server.give("k/a", &[("new", 1)]);
    let server = server.kill().start();
    assert_eq!(shown(&server).len(), COUNT + 1);
}

#[test]
fn after_a_crash_a_journal_that_was_cut_refuses_the_start() {
    let server = Server::durable(CONFIG);
    for n in 1..=COUNT {
        server.give("k/a", &[(&format!("m{n:02}"), 1)]);
    }
    let mut launch = server.kill();
    let journal = Journal::of(&launch.kept());
    let end = *journal.groups.last().unwrap();
    // Whether the last contributions are marked is a matter of a second; the length of the file is known.
    for cut in [end - 1, journal.groups[COUNT - 1]] {
        fs::write(&journal.path, &journal.bytes[..cut]).unwrap();
        assert_refused(&mut launch, &["journal-end shows"]);
    }
    journal.restore();
    assert_eq!(shown(&launch.start()).len(), COUNT);
}
