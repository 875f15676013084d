//! Servers ended at random moments under write, again and again: what was answered as applied counts
//! once, what was not counts once when it is sent again, and no version names two boards.
//!
//! [`rounds`] is the run; `writer` writes until the server is gone, `ledger` knows what has to be there,
//! `versions` what was shown.

mod item;
mod ledger;
mod versions;
mod writer;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use end_to_end::dice::{Dice, runs};
use end_to_end::{Launch, Server, eventually};

use item::Sent;
use ledger::Ledger;
use versions::{Shown, Versions};
pub(super) use writer::Load;
use writer::Writer;

const KIND: &str = "[kinds.k]\nwindows = [\"day\", \"all\"]\nkeep = { day = \"forever\" }\n\
                    shards = 4\ndedupe = \"7d\"\n";

const WRITERS: usize = 4;

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

/// Short requests, so that many are answered.
pub(super) const LIGHT: Load = Load {
    batch_max: 50,
    member_bytes: 0,
};

/// Long ones, so that the journal grows fast.
const HEAVY: Load = Load {
    batch_max: 1000,
    member_bytes: 120,
};

#[test]
fn what_was_answered_is_there_and_what_was_not_counts_once_when_sent_again() {
    rounds("", END_ANYHOW, LIGHT, runs(3, 100));
}

#[test]
fn it_is_so_with_a_journal_of_many_megabytes_too() {
    rounds("", END_ANYHOW, HEAVY, runs(1, 15));
}

/// Rounds of writing, ending and auditing, with further lines of configuration: each of these ends
/// so many times.
pub(super) fn rounds(config: &str, ends: &[End], load: Load, times: usize) {
    let mut dice = Dice::new();
    let mut versions = Versions::default();
    let mut server = Server::durable(&format!("{config}{KIND}"));
    let mut ledger = Ledger::begin(&server);
    for round in 0..times * ends.len() {
        let end = ends[round % ends.len()];
        let (sent, shown) = written(&server, round, end, load, &mut dice);
        println!("round {round}: {end:?} after {} contributions", sent.len());
        versions.note(shown);
        server = again(server, end, &mut dice, &mut versions);
        // What is shown first is what may have been shown last.
        let mut shown = Vec::new();
        versions::look(&server, &mut shown).unwrap();
        versions.note(shown);
        ledger.settle(&server, sent);
    }
    ledger.all_are_remembered(&server);
    ledger.holds(&server);
}

/// Has writers and a reader at work until the server ends.
fn written(
    server: &Server,
    round: usize,
    end: End,
    load: Load,
    dice: &mut Dice,
) -> (Vec<Sent>, Vec<Shown>) {
    let answers = AtomicUsize::new(0);
    let enough = 1 + dice.throw(ANSWERS_MAX);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| {
                let writer = Writer::new(round, number, load, dice.split());
                let answers = &answers;
                scope.spawn(move || writer.write(server, answers))
            })
            .collect();
        let reader = scope.spawn(|| versions::watch(server));
        eventually("writers at work", || {
            (answers.load(Ordering::Relaxed) >= enough).then_some(())
        });
        // Not just behind an answer: anywhere.
        pause(dice, 3_000);
        match end {
            End::Kill | End::KillAgain => server.signal("KILL"),
            End::Stop => server.signal("TERM"),
            End::KillWhileStopping => {
                server.signal("TERM");
                pause(dice, 20_000);
                server.signal("KILL");
            }
        }
        let sent = writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap());
        (sent.collect(), reader.join().unwrap())
    })
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
    Duration::from_micros(u64::try_from(dice.throw(most)).unwrap())
}
