//! A damaged folder: the start is refused with the offset if durable data is damaged. Damage that a
//! crash could have caused at the end is truncated.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
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
    // The last group proves that all before it are durable, but not itself.
    let mut offsets: Vec<(usize, usize)> = journal.groups[..journal.groups.len() - 1]
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
        // A damaged version may be reported as a later version.
        let version = (8..12).contains(&at) && stderr.contains("version");
        let has_offset = version || stderr.contains(&format!("byte {begin}:"));
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

#[test]
fn a_flipped_bit_after_the_durable_data_ends_the_journal() {
    let (launch, journal) = stopped();
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
fn a_truncated_journal_has_everything_before_the_cut() {
    let (mut launch, journal) = stopped();
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
        // A later write is there after the next start.
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
fn a_journal_of_a_later_version_is_refused() {
    let (mut launch, journal) = stopped();
    let mut bytes = journal.bytes.clone();
    bytes[8] += 1;
    fs::write(&journal.path, bytes).unwrap();
    let (status, stderr) = launch.refused();
    assert_eq!(status, Some(1), "{stderr}");
    assert!(stderr.contains("has format version 5"), "{stderr}");
}
