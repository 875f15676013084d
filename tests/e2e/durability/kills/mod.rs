//! Servers ended at random moments under write, again and again: what was answered as applied counts
//! once, what was not counts once when it is sent again, and no version names two boards.
//!
//! [`rounds`] is the run; the writers, the readers and the ledger are those of [`crate::audit`].

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use testkit::dice::{Dice, runs};
use testkit::{Launch, Server, eventually};

use crate::audit::{KIND, LIGHT, Ledger, Load, Sent, Shown, Tally, Versions, look, under_load};

/// Answers before an end, at most.
const ANSWERS_MAX: usize = 80;

/// How a server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// By SIGKILL.
    Kill,
    /// By SIGKILL, as those do that are started next, before they have started or just then.
    KillAgain,
    /// By SIGTERM.
    Stop,
    /// By SIGTERM, and by SIGKILL while it stops.
    KillWhileStopping,
}

const END_ANYHOW: &[End] = &[End::Kill, End::KillAgain, End::Stop, End::KillWhileStopping];

/// By kill -9 alone.
pub(super) const END_NONE_WELL: &[End] = &[End::Kill, End::KillAgain];

/// A snapshot is taken every few hundred requests. By default it takes 64 MiB of journal, which a busy
/// machine may not write in a minute: that is what this run once waited for.
const SNAPSHOTS: &str = "[embedded]\nsnapshot_after_bytes = 1_000_000\n";

/// Long ones, so that the journal grows fast.
const BULK: Load = Load {
    batch_max: 50,
    own_members: 1000,
    member_bytes: 128,
};

/// When a server is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// After some answers.
    Any,
    /// When it takes a snapshot, or soon after.
    Snapshot,
}

#[test]
fn what_was_answered_is_there_and_what_was_not_counts_once_when_sent_again() {
    rounds("", END_ANYHOW, LIGHT, Moment::Any, runs(12, 400));
}

#[test]
fn it_is_so_while_snapshots_are_taken_and_a_damaged_one_is_refused() {
    let server = rounds(SNAPSHOTS, END_ANYHOW, BULK, Moment::Snapshot, runs(1, 24));
    // One that was killed is taken anew.
    let whole = eventually("a whole snapshot", || {
        server.give("k/later", &[("u", 1)]);
        let names = snapshots(&server).into_iter().map(PathBuf::from);
        names
            .into_iter()
            .find(|name| name.extension().is_some_and(|end| end == "snap"))
    });
    let mut launch = server.stop();
    let path = launch.kept().join(&whole);
    let bytes = fs::read(&path).unwrap();
    let mut damaged = bytes.clone();
    damaged[Dice::of_this_run().below(bytes.len())] ^= 1;
    fs::write(&path, damaged).unwrap();
    let (status, said) = launch.refused();
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains(whole.to_str().unwrap()), "{said}");
    fs::write(&path, bytes).unwrap();
    launch.start();
}

/// So many rounds of writing, ending and auditing, with further lines of configuration: these ends in
/// turn.
pub(super) fn rounds(
    config: &str,
    ends: &[End],
    load: Load,
    moment: Moment,
    rounds: usize,
) -> Server {
    let mut dice = Dice::of_this_run();
    let mut versions = Versions::default();
    let mut server = Server::durable(&format!("{config}{KIND}"));
    let mut ledger = Ledger::begin(&server);
    let first = dice.below(ends.len());
    for round in 0..rounds {
        let end = ends[(first + round) % ends.len()];
        let (sent, shown) = written(&server, (round, end, moment), load, &mut dice);
        let left = snapshots(&server);
        println!(
            "round {round}: {end:?} after {} contributions, {left:?}",
            sent.len()
        );
        versions.note(shown);
        server = again(server, end, &mut dice, &mut versions);
        // What is shown first is what may have been shown last.
        let mut shown = Vec::new();
        look(&server, &Tally::default(), &mut shown).unwrap();
        versions.note(shown);
        ledger.settle(&server, sent);
    }
    ledger.all_are_remembered(&server);
    ledger.holds(&server);
    server
}

/// Has writers and a reader at work until the server ends.
fn written(
    server: &Server,
    (round, end, moment): (usize, End, Moment),
    load: Load,
    dice: &mut Dice,
) -> (Vec<Sent>, Vec<Shown>) {
    let tally = Tally::default();
    let mut pauses = dice.split();
    let enough = 1 + dice.below(ANSWERS_MAX);
    let snapshots_before = snapshots(server);
    let work = under_load(server, (round, load), dice, &tally, || {
        match moment {
            Moment::Any => tally.wait_for_answers(enough),
            Moment::Snapshot => eventually("a snapshot under way", || {
                (snapshots(server) != snapshots_before).then_some(())
            }),
        }
        // Not just behind an answer: anywhere.
        pause(&mut pauses, 3_000);
        match end {
            End::Kill | End::KillAgain => server.signal("KILL"),
            End::Stop => server.signal("TERM"),
            End::KillWhileStopping => {
                server.signal("TERM");
                pause(&mut pauses, 20_000);
                server.signal("KILL");
            }
        }
        tally.wait_until_gone();
    });
    // Whoever is answered at all is told of all: nothing here can be refused.
    tally.nothing_failed();
    (work.sent, work.shown)
}

/// The snapshots of a server, those under way too.
fn snapshots(server: &Server) -> Vec<OsString> {
    let files = fs::read_dir(server.kept()).unwrap();
    let names = files.map(|file| file.unwrap().file_name());
    let mut names: Vec<OsString> = names
        .filter(|name| name.to_str().unwrap().starts_with("snapshot-"))
        .collect();
    names.sort_unstable();
    names
}

/// Starts the next server where one has ended.
fn again(server: Server, end: End, dice: &mut Dice, versions: &mut Versions) -> Server {
    let mut launch: Launch = match end {
        End::Stop => server.stop(),
        End::Kill | End::KillAgain | End::KillWhileStopping => server.kill(),
    };
    if end == End::KillAgain {
        for _ in 0..3 {
            launch.killed_after(micros(dice, 60_000));
        }
    }
    if matches!(end, End::Kill | End::KillAgain) {
        versions.are_past();
    }
    launch.start()
}

fn pause(dice: &mut Dice, micros_max: usize) {
    thread::sleep(micros(dice, micros_max));
}

fn micros(dice: &mut Dice, most: usize) -> Duration {
    Duration::from_micros(u64::try_from(dice.below(most)).unwrap())
}
