//! Servers that end at random moments during writes, again and again: contributions that were
//! answered as applied count once, others count once when they are sent again, and no version
//! identifies two boards.
//!
//! [`rounds`] runs the test, with the writers, readers and ledger of [`crate::audit`].

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use testkit::dice::{Dice, runs};
use testkit::{Launch, Server, eventually};

use crate::audit::{
    KIND, LIGHT, Ledger, Load, Sent, ShownTop, Tally, Versions, read_tops, under_load,
};

/// The maximum number of responses before the end.
const RESPONSES_MAX: usize = 80;

/// How a server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// SIGKILL.
    Kill,
    /// SIGKILL, also of the next servers, before they have started or shortly after.
    KillAgain,
    /// SIGTERM.
    Stop,
    /// SIGTERM, and SIGKILL during the stop.
    KillWhileStopping,
}

const ALL_ENDS: &[End] = &[End::Kill, End::KillAgain, End::Stop, End::KillWhileStopping];

/// Ends with SIGKILL only.
pub(super) const KILLS: &[End] = &[End::Kill, End::KillAgain];

/// Takes a snapshot every few hundred requests. The default is after 64 MiB of journal, which a
/// busy machine may not write within a minute.
const SNAPSHOTS: &str = "[embedded]\nsnapshot_after_bytes = 1_000_000\n";

/// Long requests, so that the journal grows fast.
const BULK: Load = Load {
    batch_max: 50,
    own_members: 1000,
    member_bytes: 128,
};

/// When a server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// After some responses.
    Any,
    /// While it takes a snapshot, or soon after.
    Snapshot,
}

#[test]
fn answered_writes_survive_and_others_count_once_when_sent_again() {
    rounds("", ALL_ENDS, LIGHT, Moment::Any, runs(12, 400));
}

#[test]
fn writes_survive_kills_during_snapshots_and_a_damaged_snapshot_is_refused() {
    let server = rounds(SNAPSHOTS, ALL_ENDS, BULK, Moment::Snapshot, runs(1, 24));
    // A snapshot interrupted by a kill is taken again.
    let whole = eventually("a complete snapshot", || {
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
    let (status, stderr) = launch.refused();
    assert_eq!(status, Some(1), "{stderr}");
    assert!(stderr.contains(whole.to_str().unwrap()), "{stderr}");
    fs::write(&path, bytes).unwrap();
    launch.start();
}

/// Runs rounds of writing, ending and auditing, with additional configuration and with these ends
/// in turn.
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
        let (sent, shown) = write_until_end(&server, (round, end, moment), load, &mut dice);
        let left = snapshots(&server);
        println!(
            "round {round}: {end:?} after {} contributions, {left:?}",
            sent.len()
        );
        versions.add(shown);
        server = restart(server, end, &mut dice, &mut versions);
        // The versions after the start must not be those of another content before the end.
        let mut shown = Vec::new();
        read_tops(&server, &Tally::default(), &mut shown).unwrap();
        versions.add(shown);
        ledger.settle(&server, sent);
    }
    ledger.assert_all_remembered(&server);
    ledger.assert_matches(&server);
    server
}

/// Runs writers and readers until the server ends.
fn write_until_end(
    server: &Server,
    (round, end, moment): (usize, End, Moment),
    load: Load,
    dice: &mut Dice,
) -> (Vec<Sent>, Vec<ShownTop>) {
    let tally = Tally::default();
    let mut pauses = dice.split();
    let enough = 1 + dice.below(RESPONSES_MAX);
    let snapshots_before = snapshots(server);
    let work = under_load(server, (round, load), dice, &tally, || {
        match moment {
            Moment::Any => tally.wait_for_responses(enough),
            Moment::Snapshot => eventually("a snapshot is being taken", || {
                (snapshots(server) != snapshots_before).then_some(())
            }),
        }
        // Not directly after a response, but at any moment.
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
    // Each response was a complete success, since nothing here can be refused.
    tally.assert_nothing_failed();
    (work.sent, work.shown)
}

/// Returns the snapshots of a server, including incomplete ones.
fn snapshots(server: &Server) -> Vec<OsString> {
    let files = fs::read_dir(server.kept()).unwrap();
    let names = files.map(|file| file.unwrap().file_name());
    let mut names: Vec<OsString> = names
        .filter(|name| name.to_str().unwrap().starts_with("snapshot-"))
        .collect();
    names.sort_unstable();
    names
}

/// Starts the next server after one has ended.
fn restart(server: Server, end: End, dice: &mut Dice, versions: &mut Versions) -> Server {
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
        versions.end_epoch();
    }
    launch.start()
}

fn pause(dice: &mut Dice, micros_max: usize) {
    thread::sleep(micros(dice, micros_max));
}

fn micros(dice: &mut Dice, most: usize) -> Duration {
    Duration::from_micros(u64::try_from(dice.below(most)).unwrap())
}
